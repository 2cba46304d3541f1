"""TPU VMs outside GKE, and the queue in which they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pathways.gcp.exceptions import QUEUED_RESOURCE
from pathways.tpu import IllegalSlice, catalog, parse_slice
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Minutes, Site
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import google
from sandbox.cloud.store import Record


class V2QueuedResource(Kind):
    """Its VMs come at once, and from then on its deletion is refused: the provider does not ask for it by force.

    Source: Cloud TPU API v2, queuedResources.delete, and google_tpu_v2_queued_resource, whose deletion has no
    parameters. The wording of the refusals is not confirmed.
    """

    token = QUEUED_RESOURCE
    label = "QueuedResource"

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        location = record.id.partition("/queuedResources/")[0]
        for spec in _node_specs(record):
            if spec.get("parent") != location:
                raise google(400, f"Parent {spec.get('parent')!r} does not match {location!r}", "badRequest")
            zone, wanted = location.rpartition("/")[2], str(spec["node"].get("acceleratorType", ""))
            if _is_known(wanted) and not _is_in(zone, wanted):
                raise google(404, f'Accelerator type "{wanted}" not found in zone {zone}', "notFound")

    def admit_deletion(self, site: Site, record: Record) -> None:
        super().admit_deletion(site, record)
        if any(_node_specs(record)):
            raise google(400, f"Queued resource {record.id} is ACTIVE; delete its nodes or use force", "badRequest")


class V2Vm(Kind):
    token = "gcp:tpu/v2Vm:V2Vm"
    label = "Vm"
    minutes = Minutes(create=2, delete=1)

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {"apiVersion": "V2_ALPHA1", "health": "HEALTHY", "state": "READY", "queuedResource": "", "symptoms": []},
        )


def _node_specs(record: Record) -> Iterator[dict[str, Any]]:
    tpu = record.properties.get("tpu") or {}
    yield from tpu.get("nodeSpecs") or ()


def _is_known(accelerator_type: str) -> bool:
    """Whether it is of a generation that the catalogue has; of older ones, such as v2-8, nothing is known here."""
    prefix = accelerator_type.partition("-")[0]
    return any(prefix in generation.names for generation in catalog().generations.values())


def _is_in(zone: str, accelerator_type: str) -> bool:
    """Whether the Cloud TPU API calls a slice so, and may have it in the zone."""
    try:
        slice_ = parse_slice(accelerator_type)
    except IllegalSlice:
        return False
    return slice_.accelerator_type == accelerator_type and slice_.generation.is_offered_in(zone) is not False
