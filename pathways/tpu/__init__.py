"""Facts about Cloud TPUs in GKE, and the arithmetic of slices."""

from pathways.tpu.generations import Generation, Machine, Placement, Quota, catalog
from pathways.tpu.machines import CpuMachine, cpu_machines
from pathways.tpu.parsing import IllegalSlice, Part, every_slice, other_slices_of_count, parse_slice
from pathways.tpu.slice import Slice
from pathways.tpu.topology import Topology
from pathways.tpu.zones import why_not_in_zone

__all__ = [
    "CpuMachine",
    "Generation",
    "IllegalSlice",
    "Machine",
    "Part",
    "Placement",
    "Quota",
    "Slice",
    "Topology",
    "catalog",
    "cpu_machines",
    "every_slice",
    "other_slices_of_count",
    "parse_slice",
    "why_not_in_zone",
]
