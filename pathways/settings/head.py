"""The CPU pool for Pathways heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from pathways.settings.base import Fault, Settings, must_hold, refused
from pathways.tpu import CpuMachine, cpu_machines
from pathways.wording import did_you_mean, nearest, quoted

MAX_NODES = 1000


def known_machine(name: str, machines: Mapping[str, CpuMachine], purpose: str) -> str:
    """Return the name of a machine type; raise the error about one that is none of `machines`."""
    if name in machines:
        return name
    meant = did_you_mean(nearest(name, machines))
    raise refused(f"{quoted(name)} is not a known machine type for {purpose}; legal: {' '.join(machines)}{meant}")


def _machine_for_heads(name: str) -> str:
    return known_machine(name, {each.name: each for each in cpu_machines().values() if each.for_heads}, "heads")


class HeadSettings(Settings):
    """Nodes for heads: resource manager, proxy, the job's own container. A head takes a node."""

    machine_type: Annotated[str, AfterValidator(_machine_for_heads)] = "n2-standard-64"
    """Compute Engine machine type."""
    min_nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] = 1
    """Nodes that are always there."""
    max_nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] = 1
    """Nodes at most: as many Pathways jobs run at once; absent: one for each Pathways job, and for each queue."""

    @must_hold
    def _bounds(self) -> Iterator[Fault]:
        if self.max_nodes < self.min_nodes:
            yield Fault(("maxNodes",), f"{self.max_nodes} is less than minNodes, {self.min_nodes}")

    @property
    def machine(self) -> CpuMachine:
        return cpu_machines()[self.machine_type]
