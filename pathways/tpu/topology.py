"""Topologies: how many chips a slice has along each axis."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

Topology = tuple[int, ...]
"""Chips along each axis, in GKE's order, such as (4, 4, 8)."""

_SPELLING = re.compile(r"[1-9][0-9]{0,4}(x[1-9][0-9]{0,4}){1,2}")


def parse_topology(text: str) -> Topology | None:
    """Return the axes that `text` spells ("4x4x8"), or None where it spells none."""
    return tuple(map(int, text.split("x"))) if _SPELLING.fullmatch(text) else None


def spell(topology: Topology) -> str:
    return "x".join(map(str, topology))


def roundness(topology: Topology) -> int:
    """Return a number that is least for the most cubic of several topologies with equally many chips."""
    return sum(topology)


def cuboids(chips: int, longest_side: int) -> Iterator[Topology]:
    """Yield every AxBxC of multiples of 4 with A <= B <= C <= longest_side and at most `chips` chips."""
    sides = range(4, longest_side + 1, 4)
    for a in sides:
        for b in sides[a // 4 - 1 :]:
            for c in sides[b // 4 - 1 :]:
                if math.prod((a, b, c)) > chips:
                    break
                yield (a, b, c)
