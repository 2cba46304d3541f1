"""Queues: what each team is guaranteed, and what it may borrow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pathways.settings import StackSettings
from pathways.shares import shares


@dataclass(frozen=True)
class QueuePlan:
    """A queue. name: None for what no team is guaranteed and any may use.

    guaranteed: slices by group. heads: nodes for heads that go with them. may_borrow: slices that others leave, too.
    """

    name: str | None
    weight: int
    guaranteed: Mapping[str, int]
    heads: int
    may_borrow: Mapping[str, int]
    jobs: tuple[str, ...]


def plan_queues(settings: StackSettings) -> tuple[QueuePlan, ...]:
    """Return the queues in the order of the settings, and what is left for all where anything is; empty without any."""
    if not settings.queues:
        return ()
    found = shares(settings)
    queues = []
    for queue in settings.queues:
        share = found.guaranteed[queue.name]
        others = {group.name: group.count - share.slices.get(group.name, 0) for group in settings.slices}
        jobs = tuple(workload.name for workload in settings.workloads if workload.queue == queue.name)
        queues.append(QueuePlan(queue.name, queue.weight, share.slices, share.heads, others, jobs))
    left = QueuePlan(None, 0, found.left.slices, found.left.heads, {}, ())
    return (*queues, left) if any(found.left.slices.values()) or found.left.heads else tuple(queues)
