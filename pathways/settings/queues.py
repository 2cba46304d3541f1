"""Queues: what each team is guaranteed."""

from __future__ import annotations

from pathways.settings.base import Name, Positive, Settings, Text


class Queue(Settings):
    """A team's queue. It may use what others leave idle, until they want it back."""

    name: Name
    """Name of the queue, which jobs refer to."""
    slices: dict[Text, Positive] = {}  # noqa: RUF012
    """Slices that the team is guaranteed, by group, and with each a node for a head, as far as there are as many.
    Absent: the team has what others leave."""
    weight: Positive = 1
    """Share of what no one is guaranteed or others leave: a queue of weight 2 gets twice what one of weight 1 gets."""
