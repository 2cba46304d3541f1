"""Groups of equal TPU slices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from pathways.settings.base import NAME, Fault, NotNegative, Positive, Settings, Text, must_hold
from pathways.settings.capacity import Capacity, FlexStart, Queued
from pathways.tpu import Generation, IllegalSlice, Part, Slice, parse_slice
from pathways.wording import quoted

_KEY_OF_PART = {Part.NAME: "tpu", Part.MACHINE_TYPE: "machineType", Part.TOPOLOGY: "topology"}


class SliceGroup(Settings):
    """Slices of one shape; each is a node pool. Written as `tpu`, or as `machineType` and `topology`."""

    name: Annotated[str, Field(pattern=NAME, max_length=32)]
    """Name of the group, which jobs refer to; node pools are named after it."""
    tpu: Text | None = None
    """Name of a slice: v6e-16 (chips), v5p-128 (TensorCores), or with the topology, v5p-4x4x4."""
    machine_type: Text | None = None
    """Compute Engine machine type, such as ct6e-standard-4t; with a topology."""
    topology: Text | None = None
    """Chips along each axis, such as 4x4; with a machine type."""
    count: Positive
    """Slices that jobs may ask for."""
    spares: NotNegative = 0
    """Slices besides, that take the place of failed ones."""
    capacity: Capacity
    autoscaled: bool = False
    """Whether slices come when jobs want them and go when none does. flexStart and queued ones always do."""
    networking: Literal["singleNic", "secondNic", "dra"] = "singleNic"
    """How slices talk to each other, where the generation has a choice: secondNic adds a NIC in a network of its own;
    dra leaves networks and NICs to GKE's networking driver."""

    @must_hold
    def _is_a_slice(self) -> Iterator[Fault]:
        if self.tpu is not None and (self.machine_type is not None or self.topology is not None):
            yield Fault(("tpu",), "says machine type and topology already; keep it, or the other two")
        elif self.tpu is None and self.machine_type is None:
            yield Fault(("tpu",), "is missing (or machineType and topology are); for example tpu: v6e-16")
        elif self.tpu is None and self.topology is None:
            yield Fault(("topology",), "is missing: a machine type alone is no slice; for example 4x4")
        else:
            try:
                yield from self._networking_of(self.slice.generation)
            except IllegalSlice as error:
                yield Fault((_KEY_OF_PART[error.part],), str(error))

    def _networking_of(self, generation: Generation) -> Iterator[Fault]:
        legal = ("singleNic", *generation.networking)
        if self.networking not in legal:
            message = f"{quoted(self.networking)} is not for {generation.name}; legal: {', '.join(legal)}"
            yield Fault(("networking",), message)

    @must_hold
    def _comes_and_goes(self) -> Iterator[Fault]:
        stands = "autoscaled" in self.model_fields_set and not self.autoscaled
        if stands and isinstance(self.capacity, FlexStart | Queued):
            yield Fault(("autoscaled",), "is false, and such capacity comes with a job and goes with it; leave it out")

    @property
    def stands(self) -> bool:
        """Whether its slices are there as long as the stack is; others come with a job and go with it."""
        return not self.autoscaled and not isinstance(self.capacity, FlexStart | Queued)

    @cached_property
    def slice(self) -> Slice:
        return parse_slice(self.tpu) if self.tpu else parse_slice(self.machine_type or "", self.topology)

    @property
    def pools(self) -> int:
        """Node pools of the group: one for each slice, spares included."""
        return self.count + self.spares
