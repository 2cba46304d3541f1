"""XPK, the peer that `check` and `plan` are measured against, in a virtual environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain.cache import Cache

VERSION = "1.16.0"


class NoXpk(Exception):
    """XPK cannot be had. The text says why."""


@dataclass(frozen=True)
class Xpk:
    """An installed XPK. home: a folder that it takes for the user's, whose own it neither reads nor writes."""

    program: Path
    home: Path

    def dry_run(self, slices: int) -> tuple[list[str], dict[str, str]]:
        """The command that prints what it would do for a cluster of so many v5p-128 slices, and its environment."""
        command = [
            str(self.program),
            "cluster",
            "create-pathways",
            "--dry-run",
            "--cluster=large",
            "--tpu-type=v5p-128",
            f"--num-slices={slices}",
            "--zone=us-east5-a",
            "--project=project",
            "--on-demand",
        ]
        return command, {**os.environ, "HOME": str(self.home), "TELEMETRY_ENABLED": "false"}


@contextmanager
def installed() -> Iterator[Xpk]:
    """XPK from the user's cache, put there first where it is not. Raises NoXpk."""
    folder = Cache.of().root / "bench" / f"xpk-{VERSION}"
    program = folder / "bin" / "xpk"
    if not program.exists():
        _install(folder)
    with tempfile.TemporaryDirectory() as home:
        yield Xpk(program, Path(home))


def _install(folder: Path) -> None:
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for command in ([sys.executable, "-m", "venv", "--clear", str(folder)], [*pip, f"xpk=={VERSION}"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoXpk(f"XPK {VERSION} cannot be installed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
