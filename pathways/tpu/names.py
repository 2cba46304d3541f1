"""Names of slices: v5p-128 counts TensorCores, v5p-4x4x4 spells the topology."""

from __future__ import annotations

import math
from functools import cache

from pathways.tpu.generations import Generation, Machine, catalog
from pathways.tpu.topology import Topology, roundness, spell

Shape = tuple[Machine, Topology]


def generation_of_name(prefix: str) -> Generation | None:
    """Return the generation that a name begins with, or None."""
    for generation in catalog().generations.values():
        if prefix in generation.names:
            return generation
    return None


def shapes_of_chips(generation: Generation, chips: int) -> list[Shape]:
    """Return every way to have that many chips; the first is what a count in a name means.

    The most cubic topology comes first, for equal ones the machine that needs the fewest hosts, as in Cloud TPU's
    own names: v6e-8 is one host of eight chips. Machines that only tools know come last.
    """
    return _shapes_by_chips(generation).get(chips, [])


def counts(generation: Generation) -> list[int]:
    """Return the numbers of TensorCores that a name of this generation can count, in order."""
    return sorted(chips * generation.tensor_cores for chips in _shapes_by_chips(generation))


def shape_of_topology(generation: Generation, topology: str) -> Shape | None:
    """Return the machine with the fewest hosts for that topology, or None where none of the generation has it."""
    taking = [machine for machine in generation.machines if topology in machine.topologies]
    best = min(taking, key=_preference, default=None)
    return (best, best.topologies[topology]) if best else None


def names_of_slice(machine: Machine, topology: Topology) -> tuple[str, ...]:
    """Return the names that mean exactly this slice; none where another machine or topology is meant by them."""
    generation, text = machine.generation, spell(topology)
    found = []
    if shapes_of_chips(generation, math.prod(topology))[0] == (machine, topology):
        found += [f"{prefix}-{math.prod(topology) * generation.tensor_cores}" for prefix in generation.names]
    if shape_of_topology(generation, text) == (machine, topology):
        found += [f"{prefix}-{text}" for prefix in generation.names]
    return tuple(found)


@cache
def _shapes_by_chips(generation: Generation) -> dict[int, list[Shape]]:
    shapes: dict[int, list[Shape]] = {}
    for machine in generation.machines:
        for topology in machine.topologies.values():
            shapes.setdefault(math.prod(topology), []).append((machine, topology))
    for same_count in shapes.values():
        same_count.sort(key=lambda shape: (roundness(shape[1]), _preference(shape[0])))
    return shapes


def _preference(machine: Machine) -> tuple[bool, int]:
    return (machine.unconfirmed, -machine.chips)
