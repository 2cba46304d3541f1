"""How a drill is told: lines as they happen, pictures at the turning points, figures at the end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox.cluster_view import ClusterView, NodeView, PodView

_GLYPHS = {"Running": "■", "Pending": "□", "Terminating": "▨", "Failed": "✗", "Succeeded": "✓"}
_NOTHING = "·"


class StoryFailed(Exception):
    """An expectation did not hold. Its text says which, and what was seen."""


@dataclass(frozen=True)
class Figure:
    """Something that was measured. value: None where it did not happen in time. limit: the largest that is fine."""

    name: str
    value: float | None
    unit: str
    limit: float | None

    @property
    def fine(self) -> bool:
        return self.limit is None or (self.value is not None and self.value <= self.limit)

    def __str__(self) -> str:
        if self.value is None:
            return "not within the time given"
        return f"{self.value:.1f} {self.unit}" if self.unit == "s" else f"{self.value:g} {self.unit}".rstrip()


class Story:
    """Tells what happens, with seconds since the last mark, and keeps the figures. console: None to be silent."""

    def __init__(self, console: Console | None) -> None:
        self._console = console
        self._zero = time.monotonic()
        self.figures: list[Figure] = []

    @property
    def seconds(self) -> float:
        """Seconds since the last mark."""
        return time.monotonic() - self._zero

    def mark(self, text: str) -> None:
        """Says what is done, and counts the seconds from here."""
        self._zero = time.monotonic()
        if self._console:
            self._console.print(Text(f"\n  0.0 s  {text}", style="bold"))

    def tell(self, text: str, since: float | None = None) -> None:
        """Says what is seen. since: the moment, of the monotonic clock; now by default."""
        if self._console:
            seconds = self.seconds if since is None else max(since - self._zero, 0.0)
            self._console.print(Text(f"{seconds:5.1f} s  {text}"))

    def figure(self, name: str, value: float | None, unit: str = "s", limit: float | None = None) -> None:
        """Keeps a figure. Raises StoryFailed where it is above its limit; ValueError where its name is taken."""
        if name in self.as_data():
            raise ValueError(f"there is a figure already: {name}")
        found = Figure(name, None if value is None else round(value, 2), unit, limit)
        self.figures.append(found)
        if not found.fine:
            raise StoryFailed(f"{name}: {found}; {limit:g} {unit} at most were expected")

    def expect(self, holds: bool, what: str, seen: object = "") -> None:
        """Raises StoryFailed unless what is expected holds."""
        if not holds:
            raise StoryFailed(f"{what}: {seen}" if seen != "" else what)
        self.tell(f"as expected: {what}")

    def picture(self, seen: ClusterView) -> None:
        """Draws the slices: a glyph for each host, and whose pods are on them."""
        if self._console is None:
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 9), show_header=False)
        for pool, nodes in seen.slices().items():
            pods = [pod for pod in seen.pods if pod.slice == pool]
            names = ", ".join(sorted({pod.job for pod in pods})) or "free"
            table.add_row(pool, "".join(_glyph(node, pods) for node in nodes), names)
        self._console.print(table)

    def as_data(self) -> dict[str, Any]:
        """Returns value, unit and limit of each figure, by its name; a value is null where it never came about."""
        return {
            figure.name: {"value": figure.value, "unit": figure.unit, "limit": figure.limit} for figure in self.figures
        }

    def show_figures(self) -> None:
        if self._console is None or not self.figures:
            return
        table = Table("figure", "measured", "at most", title="figures", title_justify="left")
        for figure in self.figures:
            table.add_row(figure.name, str(figure), f"{figure.limit:g} {figure.unit}" if figure.limit else "")
        self._console.print(table)


def _glyph(node: NodeView, pods: list[PodView]) -> str:
    phases = [pod.phase for pod in pods if pod.node == node.name]
    return next((_GLYPHS.get(phase, "?") for phase in sorted(phases, key=list(_GLYPHS).index)), _NOTHING)
