"""TPU VMs outside GKE: what each is."""

from __future__ import annotations

from dataclasses import dataclass

from pathways.settings import StackSettings
from pathways.tpu import Slice


@dataclass(frozen=True)
class TpuVmPlan:
    """A TPU VM. accelerator_type, runtime: as the Cloud TPU API calls its slice and the software on its hosts.

    Its chips count against quotas of the Cloud TPU API in the zone, which are others than those of GKE's nodes.
    """

    name: str
    slice: Slice
    accelerator_type: str
    runtime: str


def plan_tpu_vms(settings: StackSettings) -> tuple[TpuVmPlan, ...]:
    """Return the TPU VMs of the settings."""
    return tuple(TpuVmPlan(vm.name, vm.slice, vm.accelerator_type, vm.runtime) for vm in settings.tpu_vms)
