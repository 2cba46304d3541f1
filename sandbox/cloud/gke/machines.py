"""Machine types that the simulated cloud has: those of the TPU catalogue and Compute Engine's predefined CPU types."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pathways.tpu import CpuMachine, Machine, catalog, cpu_machines

_GIB_PER_VCPU = {"standard": 4.0, "highmem": 8.0, "highcpu": 1.0}
"""Of the predefined types of most series. Source: Compute Engine documentation, "General-purpose machine family"."""

_SMALLER_MEMORY = {"n1": 3.75, "c4": 3.75}
"""GiB per vCPU of the standard types of series that differ. Source: the same page."""

_SHARED_CORE = {"e2-micro": (2, 1), "e2-small": (2, 2), "e2-medium": (2, 4)}

_CPU_TYPE = re.compile(r"(a|c|e|f|g|h|m|n|t|z)\d+d?-(standard|highmem|highcpu)-(\d{1,3})")


@dataclass(frozen=True)
class NodeMachine:
    """A machine type as nodes have it. tpu: its entry in the TPU catalogue, None for a CPU machine."""

    name: str
    vcpus: int
    memory_gb: int
    tpu: Machine | None = None

    @property
    def family(self) -> str:
        return self.name.partition("-")[0]

    @property
    def chips(self) -> int:
        return self.tpu.chips if self.tpu else 0

    @property
    def allocatable(self) -> CpuMachine:
        """What GKE leaves to pods; the same arithmetic for every machine."""
        return CpuMachine(self.name, self.vcpus, self.memory_gb)

    def is_offered_in(self, zone: str) -> bool:
        """Whether a zone has the machine type. Zones of which too little is known have everything."""
        return self.tpu is None or self.tpu.generation.is_offered_in(zone) is not False


def find_machine(name: str) -> NodeMachine | None:
    """The machine type of this name; None where Compute Engine has none."""
    if name in catalog().machines:
        return _tpu_machine(catalog().machines[name])
    if name in cpu_machines():
        known = cpu_machines()[name]
        return NodeMachine(name, known.vcpus, known.memory_gb)
    if name in _SHARED_CORE:
        return NodeMachine(name, *_SHARED_CORE[name])
    match = _CPU_TYPE.fullmatch(name)
    if match is None or (int(match[3]) % 2 and match[3] != "1"):
        return None
    series, shape, vcpus = name.partition("-")[0], match[2], int(match[3])
    ratio = _SMALLER_MEMORY.get(series, 4.0) if shape == "standard" else _GIB_PER_VCPU[shape]
    return NodeMachine(name, vcpus, max(1, int(vcpus * ratio)))


def _tpu_machine(machine: Machine) -> NodeMachine:
    """Where no source tells the size of a machine, that of its sibling with the most chips is scaled down."""
    if machine.vcpus is not None and machine.memory_gb is not None:
        return NodeMachine(machine.name, machine.vcpus, machine.memory_gb, machine)
    sibling = max((m for m in machine.generation.machines if m.vcpus and m.memory_gb), key=lambda m: m.chips)
    assert sibling.vcpus is not None
    assert sibling.memory_gb is not None
    share = machine.chips / sibling.chips
    return NodeMachine(machine.name, int(sibling.vcpus * share), int(sibling.memory_gb * share), machine)
