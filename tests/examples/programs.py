"""Running an example on CPU devices."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 120
"""After which a program has gone wrong; all take a few, on a machine that has nothing else to do."""


def environment(devices: int = 8, **variables: object) -> dict[str, str]:
    """Return the environment of a program that sees so many CPU devices."""
    on_cpu = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    return {**os.environ, **on_cpu, **{name: str(value) for name, value in variables.items()}}


def run(python: Path, *words: str | Path, **variables: object) -> str:
    """Return what a program prints that ends well."""
    done = subprocess.run(
        [python, *words],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
