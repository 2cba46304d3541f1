"""Shows a run of the engine while it lasts: a live table in a terminal, a line a step elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table

from sandbox.engine.events import Events, Step


@contextmanager
def shown(console: Console, title: str, *, planned: bool) -> Iterator[Events]:
    """Events to hand to the engine; what they say is shown until the block ends. planned: nothing is really done."""
    if not console.is_terminal:
        console.print(f"{title} ...", soft_wrap=True)
        yield Events() if planned else Events(told=lambda step: _print_ended(console, step))
        return
    events = Events()
    display = _Display(title, events)
    with Live(display, console=console, refresh_per_second=4, transient=True):
        yield events


def _print_ended(console: Console, step: Step) -> None:
    if step.ended is not None and step.acts:
        verdict = " failed" if step.failed else ""
        line = f"  {step.operation} {step.name}{verdict} {step.ended - step.started:.1f} s"
        console.print(line, highlight=False, markup=False, soft_wrap=True)


class _Display:
    """Rendered anew at every refresh of the screen: what is under way, and how much has ended."""

    def __init__(self, title: str, events: Events) -> None:
        self.title, self.events, self.started = title, events, time.monotonic()

    def __rich__(self) -> Table:
        now = time.monotonic()
        steps = self.events.changed
        done = sum(step.ended is not None for step in steps)
        table = Table.grid(padding=(0, 2))
        table.add_row(f"[bold]{self.title}[/]", f"{now - self.started:.0f} s", f"{done} done")
        for step in steps:
            if step.ended is None:
                table.add_row(f"  {step.operation} {step.name}", f"{now - step.started:.0f} s", step.type)
        return table


def phases(events: Events) -> list[tuple[str, float, int]]:
    """Parts of the platform in the order in which they began: name, seconds from first step to last, resources."""
    parts: dict[str, list[Step]] = {}
    for step in events.changed:
        if step.ended is not None:
            parts.setdefault(step.part, []).append(step)
    return [
        (part, max(step.ended or 0.0 for step in steps) - min(step.started for step in steps), len(steps))
        for part, steps in parts.items()
    ]
