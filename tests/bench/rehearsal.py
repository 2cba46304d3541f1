"""How long the sandbox takes and how much memory it needs, with the dev stack and the toolchain built."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.bench.measure import Measure

STACK = "dev"
MIB = 1024**2


def measures() -> Iterator[Measure]:
    """up from nothing, preview of what is unchanged, memory of all processes, down."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATHWAYS_SANDBOX_ROOT": folder}
        yield Measure("up of dev from nothing", _seconds("up", environment), "s", 60)
        yield Measure("preview of an unchanged stack", min(_seconds("preview", environment) for _ in range(3)), "s", 5)
        yield Measure("memory of the sandbox", _memory(Path(folder) / STACK), "MiB", 1.5 * 1024)
        yield Measure("down", _seconds("down", environment), "s")


def _seconds(command: str, environment: dict[str, str]) -> float:
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "sandbox", command, STACK], env=environment, check=True, capture_output=True)
    return time.monotonic() - started


def _memory(home: Path) -> float:
    """MiB that the daemon and its processes hold, pages that they share counted once (PSS)."""
    daemon = psutil.Process(json.loads((home / "daemon.json").read_text())["pid"])
    return float(sum(process.memory_full_info().pss for process in [daemon, *daemon.children(recursive=True)])) / MIB
