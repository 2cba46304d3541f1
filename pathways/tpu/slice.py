"""Arithmetic of TPU slices: from a machine type and a topology to chips, hosts, placement and names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from pathways.tpu.generations import Generation, Machine, Placement
from pathways.tpu.names import names_of_slice
from pathways.tpu.topology import Topology, spell


@dataclass(frozen=True)
class Slice:
    """A TPU slice: chips wired by ICI, provisioned as one GKE node pool. Made by parse_slice, which checks it.

    topology: chips along each axis, as GKE orders them.
    """

    machine: Machine
    topology: Topology

    @property
    def machine_type(self) -> str:
        """Compute Engine name, such as "ct6e-standard-4t"."""
        return self.machine.name

    @property
    def generation(self) -> Generation:
        return self.machine.generation

    @property
    def topology_text(self) -> str:
        """The topology as GKE spells it, such as "4x4x4"."""
        return spell(self.topology)

    @property
    def chips(self) -> int:
        return math.prod(self.topology)

    @property
    def chips_per_host(self) -> int:
        return self.machine.chips

    @property
    def hosts(self) -> int:
        """VMs of the node pool. Never an input: a multi-host pool cannot be resized."""
        return self.chips // self.chips_per_host

    @property
    def multi_host(self) -> bool:
        return self.hosts > 1

    @property
    def placement(self) -> Placement:
        return self.generation.placement if self.multi_host else Placement.NONE

    @property
    def accelerator(self) -> str:
        """Value of the label cloud.google.com/gke-tpu-accelerator on the slice's nodes."""
        return self.generation.accelerator

    @property
    def pathways_instance_type(self) -> str | None:
        """What the PathwaysJob controller tells the resource manager, such as "tpuv5:4x4x4".

        None where the controller does not take the slice.
        """
        if self.topology_text not in self.machine.controller_topologies:
            return None
        return f"{self.machine.pathways_type}:{self.topology_text}"

    @property
    def accelerator_type(self) -> str | None:
        """What the Cloud TPU API calls the slice, such as "v5litepod-16"; None where a count does not tell it apart.

        Source: Google, Cloud TPU documentation, the pages of each generation.
        """
        terms = self.generation.tpu_vm
        name = f"{terms.name}-{self.chips * self.generation.tensor_cores}" if terms else None
        return name if name in self.names and not self.machine.unconfirmed else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that parse_slice takes for exactly this slice, such as "v5p-128" and "v5p-4x4x4"."""
        return names_of_slice(self.machine, self.topology)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful about a slice that is legal as far as is known."""
        found = []
        if self.machine.unconfirmed:
            found.append(f"{self.machine_type} is known to tools only; Google's GKE documents do not list it")
        elif self.topology not in self.generation.published:
            found.append(f"no published list has {self.topology_text} for {self.generation.name}")
        if self.chips > self.generation.documented_chips:
            limit = self.generation.documented_chips
            found.append(f"Google's documents stop at {limit:,} chips for {self.generation.name}, tools go on")
        return tuple(found)

    def __str__(self) -> str:
        return f"{self.machine_type} {self.topology_text}"
