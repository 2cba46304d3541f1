"""The short form of the page of changes, for the README; made of the page, so that the two agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pathways.changes.effects import INTERRUPTING, PARTS
from pathways.changes.page import WORDS

BEGIN, END = "<!-- changes -->", "<!-- /changes -->"
HEADING = f"""\
{BEGIN}
What a change does to a stack that runs; all of it is in [docs/changes.md](docs/changes.md). What is **bold** the engine
refuses in prod until it is told to, see there.

| settings | interrupt nothing | interrupt |
|---|---|---|
"""
MANY = 12
"""Settings of one effect that are not listed."""

_LINE = re.compile(r"\| `(?P<setting>[^`]+)` \| (?P<change>.*) \| (?P<effect>.*) \|")
_INTERRUPTING = tuple(word for effect, word in WORDS.items() if effect in INTERRUPTING)


class Line(NamedTuple):
    """A row of the page. key: the setting, without what its section says."""

    key: str
    change: str
    effect: str

    @property
    def head(self) -> str:
        return self.key.partition(".")[0]

    @property
    def interruption(self) -> str:
        """What is interrupted, or who refuses; "" where nothing is."""
        if self.effect.startswith("refused by "):
            return f"refused by {self.effect.removeprefix('refused by ').partition(':')[0]}"
        return "; ".join(_interruptions(self.effect.partition(". ")[0]))


def with_short_form(text: str, page: str) -> str:
    """Return a text with the short form of the page in the place that is marked for it.

    Raises ValueError where there is none.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} with an {END} after it")
    return before + _short_form(page) + after


def _short_form(page: str) -> str:
    rows = []
    for section in page.split("\n## ")[1:]:
        title, _, table = section.partition("\n")
        noun = title.strip("`")
        found = (_LINE.fullmatch(line) for line in table.splitlines())
        lines = [Line(_key(noun, line["setting"]), line["change"], line["effect"]) for line in found if line]
        rows.append(f"| {title} | {' | '.join(_columns(lines))} |\n")
    return HEADING + "".join(rows) + END


def _key(noun: str, setting: str) -> str:
    return setting.removeprefix(noun).removeprefix("[]").removeprefix(".")


def _columns(lines: Sequence[Line]) -> tuple[str, str]:
    """Return the settings of a section that interrupt nothing, and the others by what they do."""
    by_effect: dict[str, dict[str, None]] = {}
    for line in lines:
        by_effect.setdefault(line.interruption, {})[_name(line, lines)] = None
    calm = by_effect.pop("", {})
    most = max(map(len, by_effect.values()), default=0)
    harsh = (
        f"{effect}: {'all others' if MANY < len(names) == most else ', '.join(names)}"
        for effect, names in by_effect.items()
    )
    return ", ".join(calm), "; ".join(harsh)


def _name(line: Line, others: Sequence[Line]) -> str:
    """Return as much of a setting's path, or its change besides, as tells it from those that act in another way."""
    if len({other.interruption for other in others if other.head == line.head}) == 1:
        return f"`{line.head}`"
    alone = len({other.interruption for other in others if other.key == line.key}) == 1
    return f"`{line.key}`" if alone else f"`{line.key}` ({line.change})"


def _interruptions(effect: str) -> Iterator[str]:
    """Yield the parts of an effect that interrupt something: "replace **slice**"."""
    for clause in effect.split("; "):
        word = next((word for word in _INTERRUPTING if clause.startswith(f"{word} ")), None)
        parts = [part for part in clause.removeprefix(f"{word} ").split(", ") if part.strip("*") in PARTS]
        if word is not None and parts:
            yield f"{word} {', '.join(parts)}"
