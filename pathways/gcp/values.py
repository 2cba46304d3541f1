"""Property values of Google Cloud resources: a value that is not known yet, and the paths of values."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

Path = tuple[str | int, ...]


class Unknown(Enum):
    """A value that only the deployment will tell, as previews have them."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN

_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$]*")
_STEP = re.compile(r'\.?([A-Za-z_$][\w$]*|\*)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]')


def format_path(path: Path) -> str:
    """The path as Pulumi writes it: `nodeConfig.labels["pathways.dev/kind"]`, `lifecycleRules[0].action`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            escaped = step.replace('"', '\\"')
            text += f'["{escaped}"]'
    return text


def parse_path(text: str) -> Path:
    """The steps of a path that Pulumi wrote; a wildcard is the step "*".

    Raises ValueError when the text is no property path.
    """
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise ValueError(f"{text!r} is not a property path")
        plain, quoted, index = match.groups()
        if index is not None:
            steps.append(int(index) if index.isdigit() else index)
        else:
            steps.append(plain if plain is not None else quoted.replace('\\"', '"'))
        position = match.end()
    return tuple(steps)


def lies_under(path: Path, prefix: Path) -> bool:
    """Whether a path is the prefix or below it; "*" in the prefix stands for any step."""
    return len(path) >= len(prefix) and all(wanted in ("*", step) for wanted, step in zip(prefix, path, strict=False))


def is_absent(value: object) -> bool:
    """Whether a value means the same as none to the provider: null, false, 0, "" or empty."""
    return value is None or value is False or value == 0 or value in ("", [], {})
