"""What to do about what Google Cloud refuses, by the words in which it does."""

from __future__ import annotations

WAYS_BACK = (
    (
        "concurrent operations quota",
        "something else holds the cluster's operations: run `up` again, or lower cluster.concurrentOperations",
    ),
    (
        "Insufficient regional quota",
        "ask for more of that quota at the console, or lower the group's count or spares; `up` then goes on",
    ),
    (
        "Reservation does not have enough resources",
        "enlarge the reservation, or lower the group's count or spares; `up` then goes on",
    ),
    (
        "not found for node pool",
        "correct the reservation's name, project or zone in the group's capacity; `up` then goes on",
    ),
    (
        "STOCKOUT",
        "wait and run `up` again, or take other capacity: a reservation, flexStart, another zone",
    ),
    (
        "already exists",
        "what exists and is not in the state is there as after a lost answer: import it, or `down` and `up`",
    ),
)
"""Words of a refusal, and the way back; the first that fit count.

On the real cloud the words are the same, and `pulumi up` is what goes on.
"""


def way_back(error: str) -> str | None:
    """Return the way back from an error that the engine reports; None of one that explains itself."""
    return next((way for words, way in WAYS_BACK if words.lower() in error.lower()), None)
