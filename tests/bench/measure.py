"""One figure of a benchmark, and the table of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Measure:
    """name: what was measured. value: in `unit`. target: the most that it should be; None: no target."""

    name: str
    value: float
    unit: str
    target: float | None = None


def print_table(title: str, measures: Iterable[Measure]) -> None:
    table = Table("measure", "value", "target", "", title=title)
    for one in measures:
        target = "" if one.target is None else f"{one.target:.4g} {one.unit}"
        verdict = "" if one.target is None else "met" if one.value <= one.target else "missed"
        table.add_row(one.name, f"{one.value:.1f} {one.unit}", target, verdict)
    Console(width=120).print(table)
