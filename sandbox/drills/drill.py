"""What a drill is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.drills.stage import Stage

STACKS = Path(__file__).with_name("stacks")


@dataclass(frozen=True)
class Drill:
    """A story that must end well.

    name: of the drill, and of its stack, drill-NAME. summary: what it shows, in a line. play: plays it on a stage where
    the stack is not deployed yet. seeds: how many schedules it tries by itself; 0 where chance plays no part.
    """

    name: str
    summary: str
    play: Callable[[Stage], None]
    seeds: int = 0

    @property
    def stack(self) -> str:
        return f"drill-{self.name}"

    @property
    def stack_file(self) -> Path:
        return STACKS / f"Pulumi.{self.stack}.yaml"
