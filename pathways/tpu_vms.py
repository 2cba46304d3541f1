"""How to reach a TPU VM outside GKE, and how to let go of it."""

from __future__ import annotations

from pathways.settings import StackSettings, TpuVm

_COMMAND = "gcloud compute tpus queued-resources"


def ssh_command(settings: StackSettings, vm: TpuVm) -> str:
    """Return the command that logs in to the first host; --worker N is for another."""
    way = "" if vm.external_ips else " --tunnel-through-iap"
    return f"{_COMMAND} ssh {vm.name} {_place(settings)}{way} --worker 0"


def delete_command(settings: StackSettings, vm: TpuVm) -> str:
    """Return the command that deletes a TPU VM which has come, for the provider cannot.

    Source: Cloud TPU API, projects.locations.queuedResources.delete: without force, which the provider does not send, a
    queued resource is deleted only while it waits, or after its TPU VM.
    """
    return f"{_COMMAND} delete {vm.name} {_place(settings)} --force"


def _place(settings: StackSettings) -> str:
    return f"--zone {settings.zone} --project {settings.project}"
