"""The examples' own environment: their pinned packages, beside the sandbox's programs and shared by all checkouts."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from sandbox.toolchain.cache import Cache
from tests.examples.requirements import all_requirements

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def examples_python() -> Path:
    """The Python that runs the examples. Its environment is made on first use, which takes half a minute."""
    wanted = all_requirements(EXAMPLES)
    key = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:12]
    folder = Cache.of().root / "examples" / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # goes with the process, however that ends
        if not (folder / "complete").exists():
            print(f"\nexamples: installing {' '.join(wanted)}", file=sys.__stderr__, flush=True)
            venv.create(folder, clear=True, with_pip=True)
            install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*install, *wanted], check=True)
            (folder / "complete").touch()
    return folder / "bin" / "python"
