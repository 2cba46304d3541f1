"""How much of a node a Pathways head takes, and whether a machine type has that much to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from pathways.runtime import HEAD_COMPONENTS
from pathways.tpu import CpuMachine

GIB = 1024**3
CONTAINERS = ("resource manager", "proxy", "its own container")


@dataclass(frozen=True)
class HeadDemand:
    """What the containers of a head ask for, each in turn. cpus: CPUs. memory: bytes."""

    cpus: tuple[Fraction | int, ...]
    memory: tuple[Fraction | int, ...]

    @classmethod
    def of_controller(cls, own: tuple[Fraction | int, Fraction | int] | None) -> Self:
        """Return the demand of a PathwaysJob's head. own: CPUs and bytes of its own containers; None where headless."""
        cpus = [component.cpus for component in HEAD_COMPONENTS]
        memory = [component.memory_bytes for component in HEAD_COMPONENTS]
        return cls((*cpus, *own[:1]), (*memory, *own[1:])) if own else cls(tuple(cpus), tuple(memory))

    def fits(self, machine: CpuMachine) -> bool:
        return sum(self.cpus) * 1000 <= machine.allocatable_millicores and sum(self.memory) <= machine.allocatable_bytes

    def excess_over(self, machine: CpuMachine) -> str:
        """Return a clause with the sums of a head that does not fit on the machine type."""
        names = " + ".join(CONTAINERS[: len(self.memory)])
        return (
            f"{machine.name} leaves {machine.allocatable_millicores / 1000:g} CPUs and"
            f" {_gib(machine.allocatable_bytes):g} GiB to pods; {_sum(self.cpus)} CPUs and"
            f" {_sum([_gib(each) for each in self.memory])} GiB are asked for ({names})"
        )


def _gib(number: Fraction | int) -> float:
    return round(float(number / GIB), 1)


def _sum(parts: Sequence[Fraction | float]) -> str:
    return f"{' + '.join(f'{float(part):g}' for part in parts)} = {round(float(sum(parts)), 1):g}"
