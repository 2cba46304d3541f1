"""CPU machine types for Pathways heads and controllers, and what GKE leaves of a machine to pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pathways.tpu.generations import read_data

GIB = 1024**3
_EVICTION_BYTES = 100 * 1024**2


@dataclass(frozen=True)
class CpuMachine:
    """A CPU machine type. memory_gb: GiB, as Compute Engine counts."""

    name: str
    vcpus: int
    memory_gb: int

    @property
    def for_heads(self) -> bool:
        """Whether a Pathways head may fit, or nearly: others are for controllers."""
        return self.vcpus >= 16 and self.memory_gb >= 64

    @property
    def series(self) -> str:
        """The name without the number of vCPUs, such as "n2-standard"."""
        return self.name.rpartition("-")[0]

    @property
    def allocatable_millicores(self) -> int:
        """What pods can ask for: all but 6% of the first core, 1% of a second, 0.5% of two more, 0.25% of the rest.

        Source: GKE documentation, "Plan GKE Standard node sizes".
        """
        reserved = 60 + 10 * (self.vcpus > 1) + 5 * min(max(self.vcpus - 2, 0), 2) + 2.5 * max(self.vcpus - 4, 0)
        return int(self.vcpus * 1000 - reserved)

    @property
    def allocatable_bytes(self) -> int:
        """What pods can ask for: all but 25% of 4 GiB, 20% of 4, 10% of 8, 6% of 112, 2% of the rest, and 100 MiB.

        Source: GKE documentation, "Plan GKE Standard node sizes".
        """
        rest, reserved = float(self.memory_gb), 0.0
        for width, share in ((4, 0.25), (4, 0.20), (8, 0.10), (112, 0.06)):
            part = min(rest, width)
            reserved, rest = reserved + part * share, rest - part
        return int((self.memory_gb - reserved - rest * 0.02) * GIB) - _EVICTION_BYTES


@cache
def cpu_machines() -> Mapping[str, CpuMachine]:
    """Return the known CPU machine types by name."""
    return {name: CpuMachine(name, **entry) for name, entry in read_data("machines.yaml").items()}
