"""What the settings of a stack tell the rules."""

from __future__ import annotations

from pathways.rules.model import Context, Environment, KnownReservation
from pathways.settings import Reservation, StackSettings


def context_of(settings: StackSettings) -> Context:
    """Return what rules know of a stack besides its resources.

    Where groups tell different sizes of one reservation, the smallest counts.
    """
    known: dict[str, int] = {}
    for group in settings.slices:
        if isinstance(group.capacity, Reservation) and group.capacity.chips is not None:
            name, chips = group.capacity.name, group.capacity.chips
            known[name] = min(chips, known.get(name, chips))
    return Context(
        environment=Environment(settings.environment),
        jax=settings.jax,
        budget=settings.budget,
        reservations={name: KnownReservation(chips) for name, chips in known.items()},
    )
