"""The examples' own environment: their pinned packages, kept beside the sandbox's programs for all checkouts."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from sandbox.toolchain.cache import Cache

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REQUIREMENTS = EXAMPLES / "requirements.txt"


@pytest.fixture(scope="session")
def examples_python() -> Path:
    """The Python that runs the examples; made on first use, which takes a minute."""
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = Cache.of().root / "examples" / key
    python = folder / Path(sysconfig.get_path("scripts", vars={"base": ""})).name / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            print(f"\nmaking the examples' environment of {REQUIREMENTS.name}", file=sys.__stderr__, flush=True)
            venv.create(folder, clear=True, with_pip=True)
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*install, "--requirement", REQUIREMENTS], check=True)
            (folder / "complete").touch()
    return python
