"""From what a person writes to a slice, or to an error that says what is legal and what was probably meant."""

from __future__ import annotations

import math
import re
from enum import StrEnum

from pathways.tpu.generations import Generation, Machine, catalog
from pathways.tpu.names import Shape, counts, generation_of_name, shape_of_topology, shapes_of_chips
from pathways.tpu.slice import Slice
from pathways.tpu.topology import Topology, parse_topology, spell
from pathways.wording import LISTED, did_you_mean, listed, quoted
from pathways.wording import nearest as nearest_text

_COUNT = re.compile(r"[0-9]{1,9}")


class Part(StrEnum):
    """Which part of a slice's description an error is about."""

    NAME = "name"
    MACHINE_TYPE = "machine type"
    TOPOLOGY = "topology"


class IllegalSlice(ValueError):
    """No such slice exists. The text says why, what is legal and what is nearest.

    part: what is at fault. value: as written. nearest: the legal values that are closest, best first; may be empty.
    """

    def __init__(self, part: Part, value: str, fault: str, legal: str, nearest: list[str]) -> None:
        self.part, self.value, self.nearest = part, value, nearest
        super().__init__(f"{quoted(value)} {fault}; legal: {legal}{did_you_mean(nearest)}")


def parse_slice(name: str, topology: str | None = None) -> Slice:
    """Return the slice of a name ("v5p-128", "v6e-4x4"), or of a machine type and a topology.

    A count fits several topologies at times: the most cubic one is meant. Raises IllegalSlice.
    """
    return _named(name) if topology is None else _of_machine(name, topology)


def other_slices_of_count(slice_: Slice) -> list[Slice]:
    """Return the other slices of the generation with as many chips: what a count in a name does not tell apart."""
    shapes = shapes_of_chips(slice_.generation, slice_.chips)
    return [other for other in (Slice(*shape) for shape in shapes) if other != slice_]


def every_slice() -> list[Slice]:
    """Return every legal slice, by generation and machine type."""
    return [
        Slice(machine, topology) for machine in catalog().machines.values() for topology in machine.topologies.values()
    ]


def _named(name: str) -> Slice:
    prefix, _, size = name.partition("-")
    generation = generation_of_name(prefix)
    if generation is None or not size:
        raise _unknown_name(name, prefix, size)
    shape = _shape_of_size(generation, size)
    if shape is not None:
        return Slice(*shape)
    if _COUNT.fullmatch(size):
        raise _not_a_count(name, generation, int(size))
    raise _not_a_topology(Part.NAME, name, size, generation, generation.machines)


def _shape_of_size(generation: Generation, size: str) -> Shape | None:
    """Return what the part of a name after the dash means: a number of TensorCores, or a topology."""
    if not _COUNT.fullmatch(size):
        return shape_of_topology(generation, size)
    chips, rest = divmod(int(size), generation.tensor_cores)
    shapes = shapes_of_chips(generation, chips) if rest == 0 else []
    return shapes[0] if shapes else None


def _not_a_count(name: str, generation: Generation, cores: int) -> IllegalSlice:
    unit = "chips" if generation.tensor_cores == 1 else f"TensorCores, {generation.tensor_cores} a chip"
    legal = counts(generation)
    nearest = sorted(legal, key=lambda count: abs(math.log(count / max(cores, 1))))[:2]
    prefix = name.partition("-")[0]
    return IllegalSlice(
        Part.NAME,
        name,
        f"is no slice: the number counts {unit}",
        listed([f"{prefix}-{count}" for count in legal]),
        [f"{prefix}-{count}" for count in sorted(nearest)],
    )


def _of_machine(machine_type: str, topology: str) -> Slice:
    machine = catalog().machines.get(machine_type)
    if machine is None:
        legal = list(catalog().machines)
        nearest = nearest_text(machine_type, legal)
        raise IllegalSlice(Part.MACHINE_TYPE, machine_type, "is not a TPU machine type", " ".join(legal), nearest)
    if topology not in machine.topologies:
        raise _not_a_topology(Part.TOPOLOGY, topology, topology, machine.generation, [machine])
    return Slice(machine, machine.topologies[topology])


def _unknown_name(name: str, prefix: str, size: str) -> IllegalSlice:
    generations = {each: generation for generation in catalog().generations.values() for each in generation.names}
    legal = ", ".join(f"{each}-N" for each in generations)
    if name in catalog().machines:
        machine = catalog().machines[name]
        topologies = _legal_topologies(machine.topologies, machine.generation)
        return IllegalSlice(Part.NAME, name, "is a machine type, which needs a topology besides", topologies, [])
    if re.fullmatch(r"v[23](-[0-9]*)?", name):
        fault = "is of a generation that GKE multislice and Pathways do not support"
        return IllegalSlice(Part.NAME, name, fault, legal, [])
    close = nearest_text(prefix, generations, cutoff=0.5)
    nearest = [f"{each}-{size}" for each in close if _shape_of_size(generations[each], size) is not None]
    return IllegalSlice(Part.NAME, name, "is no name of a TPU slice", legal, nearest)


def _not_a_topology(
    part: Part, value: str, topology: str, generation: Generation, machines: list[Machine]
) -> IllegalSlice:
    """Return the error about a topology that none of the machines has."""
    legal = {text: axes for machine in machines for text, axes in machine.topologies.items()}
    owner = machines[0].name if len(machines) == 1 else generation.name
    nearest = _nearest_topology(topology, legal)
    elsewhere = shape_of_topology(generation, topology)
    fault = f"is not a topology of {owner}"
    if elsewhere is not None:
        fault += f", whose hosts have {machines[0].chips} chips (it is one of {elsewhere[0].name})"
    if part is Part.NAME:
        nearest = [value.replace(topology, each) for each in nearest]
    return IllegalSlice(part, value, fault, _legal_topologies(legal, generation), nearest)


def _nearest_topology(topology: str, legal: dict[str, Topology]) -> list[str]:
    """Return the legal spelling that is nearest: that of the closest sides, else of the closest number of chips."""
    axes = parse_topology(topology.strip().lower().replace("*", "x").replace("×", "x"))  # noqa: RUF001
    if axes is None:
        return nearest_text(topology, legal)
    return [min(legal, key=lambda text: _distance(legal[text], axes))]


def _distance(one: Topology, other: Topology) -> float:
    """Return how far apart two topologies are, whatever the order of their sides; 0 for the same sides."""
    if len(one) != len(other):
        return abs(math.log(math.prod(one) / math.prod(other)))
    return sum(abs(math.log(side / other_side)) for side, other_side in zip(sorted(one), sorted(other), strict=True))


def _legal_topologies(legal: dict[str, Topology], generation: Generation) -> str:
    if generation.longest_side is None or len(legal) <= LISTED:
        return " ".join(legal)
    small = [text for text, axes in legal.items() if any(side % 4 for side in axes)]
    return (
        f"{' '.join(small)} and AxBxC of multiples of 4 with A<=B<=C, C<={generation.longest_side},"
        f" up to {generation.pod_chips:,} chips (e.g. {spell((4, 4, 4))} {spell((4, 4, 8))} {spell((8, 8, 8))})"
    )
