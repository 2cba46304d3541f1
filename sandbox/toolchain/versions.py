"""Versions as Go modules, Go and Pulumi write them: v1.37.2, go1.26.8, 3.274.1-alpha.5."""

from __future__ import annotations

import re
from pathlib import Path

Numbers = tuple[int, int, int]

_NUMBERS = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def numbers(version: str) -> Numbers:
    """The three numbers of a version, to compare by; what precedes or follows them is left out.

    Raises ValueError where the text holds no version.
    """
    found = _NUMBERS.search(version)
    if found is None:
        raise ValueError(f"{version!r} holds no version")
    major, minor, patch = found.groups(default="0")
    return int(major), int(minor), int(patch)


def required(go_mod: Path, module: str) -> str:
    """The version at which a go.mod pins a module, such as "v1.37.2".

    Raises ValueError where the go.mod does not require the module.
    """
    found = re.search(rf"^(?:require)?\s+{re.escape(module)} (v\S+)", go_mod.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{go_mod} does not require {module}")
    return found[1]


def go_directive(go_mod: Path) -> str:
    """The oldest Go that may build the module, such as "1.26.6"; with GOTOOLCHAIN=local Go holds to it.

    Raises ValueError where the go.mod has no go line.
    """
    found = re.search(r"^go (\S+)", go_mod.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{go_mod} has no go line")
    return found[1]
