"""The examples' own environment: their pinned packages, beside the sandbox's programs and shared by all checkouts."""

from __future__ import annotations

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
    """The Python that runs the examples. Its environment is made on first use, which takes a minute."""
    wanted = all_requirements(EXAMPLES)
    cache = Cache(Cache.of().root / "examples")
    folder = cache.root / hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:12]
    with cache.lock(lambda: say("waiting for another process that installs")):
        if not (folder / "complete").exists():
            say(f"installing {' '.join(wanted)}")
            venv.create(folder, clear=True, with_pip=True)
            install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*install, *wanted], check=True)
            (folder / "complete").touch()
    return folder / "bin" / "python"


def say(text: str) -> None:
    print(f"\nexamples: {text}", file=sys.__stderr__, flush=True)
