"""What the settings of a stack tell the rules."""

from __future__ import annotations

from pathways.rules.model import Context, Environment, KnownReservation
from pathways.settings import Reservation, StackSettings


def context_of(settings: StackSettings) -> Context:
    """Return what rules know of a stack besides its resources."""
    return Context(
        environment=Environment(settings.environment),
        jax=settings.jax,
        jax_of_jobs={workload.name: workload.jax for workload in settings.workloads if workload.jax},
        budget=settings.budget,
        concurrent_operations=settings.cluster.concurrent_operations,
        reservations={
            group.capacity.name: KnownReservation(chips=group.capacity.chips)
            for group in settings.slices
            if isinstance(group.capacity, Reservation) and group.capacity.chips is not None
        },
    )
