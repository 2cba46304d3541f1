"""What each queue is guaranteed of slices and of nodes for heads, and what is left for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pathways.settings import StackSettings


@dataclass(frozen=True)
class Share:
    """slices: by group. heads: nodes of the head pool."""

    slices: Mapping[str, int]
    heads: int


@dataclass(frozen=True)
class Shares:
    """guaranteed: by queue, in the order of the settings. left: what no queue is guaranteed, and any may use."""

    guaranteed: Mapping[str, Share]
    left: Share


def shares(settings: StackSettings) -> Shares:
    """Return who is guaranteed what. Spares are no one's: they take the place of slices that fail."""
    heads = _heads(settings)
    guaranteed = {queue.name: Share(queue.slices, heads[queue.name]) for queue in settings.queues}
    left = {
        group.name: group.count - sum(queue.slices.get(group.name, 0) for queue in settings.queues)
        for group in settings.slices
    }
    return Shares(guaranteed, Share(left, settings.head.max_nodes - sum(heads.values())))


def _heads(settings: StackSettings) -> dict[str, int]:
    """Return how many nodes for heads each queue is guaranteed: one for each of its slices, as long as there are nodes.

    Too few are shared in proportion to the slices, with one at least for each queue that has any (Adams's method).
    """
    heads = {queue.name: 0 for queue in settings.queues}
    slices = {queue.name: sum(queue.slices.values()) for queue in settings.queues if queue.slices}
    for _ in range(min(settings.head.max_nodes, sum(slices.values()))):
        heads[min(slices, key=lambda name: heads[name] / slices[name])] += 1
    return heads
