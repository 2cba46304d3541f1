"""Chip-hours, and what they cost where the stack file gives rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pathways.plan.groups import GroupPlan
from pathways.plan.tpu_vms import TpuVmPlan
from pathways.tpu import Slice

HOURS_A_DAY = 24
HOURS_A_MONTH = 730
"""A twelfth of a year, as Google bills."""


@dataclass(frozen=True)
class GroupCost:
    """What a group, or a TPU VM, costs while all its VMs are there. group: its name.

    chips: also chip-hours an hour. rate: USD for a chip-hour.
    """

    group: str
    generation: str
    chips: int
    standing: bool
    rate: float | None

    @property
    def usd_per_hour(self) -> float | None:
        return None if self.rate is None else self.rate * self.chips


@dataclass(frozen=True)
class Costs:
    """What all groups and TPU VMs cost. Heads, network and storage are not counted."""

    groups: tuple[GroupCost, ...]

    @property
    def chips(self) -> int:
        return sum(group.chips for group in self.groups)

    @property
    def standing_chips(self) -> int:
        """Chips that are paid for whether or not a job runs on them."""
        return sum(group.chips for group in self.groups if group.standing)

    @property
    def usd_per_hour(self) -> float | None:
        """USD an hour of the groups that have a rate; None where none has."""
        known = [group.usd_per_hour for group in self.groups if group.usd_per_hour is not None]
        return sum(known) if known else None

    @property
    def without_rate(self) -> tuple[str, ...]:
        """Generations whose rate is not given."""
        return tuple(dict.fromkeys(group.generation for group in self.groups if group.rate is None))


def plan_costs(groups: Sequence[GroupPlan], rates: Mapping[str, float], tpu_vms: Sequence[TpuVmPlan] = ()) -> Costs:
    """Return the costs. rates: USD for a chip-hour, by generation."""

    def cost(name: str, slice_: Slice, chips: int, standing: bool) -> GroupCost:
        generation = slice_.generation.name
        return GroupCost(name, generation, chips, standing, rates.get(generation))

    return Costs(
        (
            *(cost(group.name, group.slice, group.chips, group.source.standing) for group in groups),
            *(cost(vm.name, vm.slice, vm.slice.chips, standing=True) for vm in tpu_vms),
        )
    )
