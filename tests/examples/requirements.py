"""What the examples pin."""

from __future__ import annotations

from pathlib import Path

TPU = "[tpu]"
"""Brings the library that drives the chips, hundreds of megabytes that do nothing on CPU devices."""


def requirements(folder: Path) -> list[str]:
    """Return the lines of an example's requirements.txt that name a package."""
    lines = (folder / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def all_requirements(examples: Path) -> list[str]:
    """Return what all examples need on CPU devices, each package once."""
    folders = [file.parent for file in examples.glob("*/requirements.txt")]
    return sorted({line.replace(TPU, "") for folder in folders for line in requirements(folder)})
