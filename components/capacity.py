"""How each way of obtaining TPU capacity is written in a node pool."""

from dataclasses import dataclass, field, replace

from pulumi_gcp import container

from pathways.gke import RESERVATION_KEY
from pathways.settings import Capacity, FlexStart, OnDemand, Queued, Reservation, SliceGroup, Spot

NO_RESERVATION: container.NodePoolNodeConfigReservationAffinityArgsDict = {"consume_reservation_type": "NO_RESERVATION"}
"""Written out: an affinity that is left open may take up someone's reservation, or leave one's own unused."""

IN_PLACE: container.NodePoolUpgradeSettingsArgsDict = {"strategy": "SURGE", "max_surge": 0, "max_unavailable": 1}
"""Upgrades of slices that stand. They never surge: a slice has no VM to spare."""

AS_NODES_GO: container.NodePoolUpgradeSettingsArgsDict = {"strategy": "SHORT_LIVED"}
"""Upgrades of capacity that does not stay: nodes that come are of the new version."""


@dataclass(frozen=True)
class PoolCapacity:
    """The parts of a node pool that depend on where its VMs come from.

    node_config: to be merged into the pool's. It has either node_count or autoscaling.
    """

    node_config: container.NodePoolNodeConfigArgsDict
    node_count: int | None = None
    autoscaling: container.NodePoolAutoscalingArgsDict | None = None
    queued_provisioning: container.NodePoolQueuedProvisioningArgsDict | None = None
    auto_repair: bool = True
    upgrade_settings: container.NodePoolUpgradeSettingsArgsDict = field(default_factory=lambda: IN_PLACE)


def pool_capacity(group: SliceGroup, project: str) -> PoolCapacity:
    """Return what each pool of a group needs for its capacity. project: owner of reservations that name none.

    Standing capacity has exactly as many nodes as a slice has hosts. Other capacity comes and goes whole: none or
    all, as bounds per zone, since GKE refuses bounds on the total ("Maximum node count 0 is not a valid size of TPU pod
    slice"). GKE repairs no flex start nodes.
    """
    found = _of_kind(group.capacity, project)
    hosts = group.slice.hosts
    return replace(found, node_count=hosts) if group.stands else replace(found, autoscaling=_none_or_all(hosts))


def _of_kind(capacity: Capacity, project: str) -> PoolCapacity:
    match capacity:
        case Spot():
            return PoolCapacity({"spot": True, "reservation_affinity": NO_RESERVATION})
        case OnDemand():
            return PoolCapacity({"reservation_affinity": NO_RESERVATION})
        case Reservation():
            return PoolCapacity({"reservation_affinity": _specific(capacity, project)})
        case FlexStart():
            return PoolCapacity(
                {"flex_start": True, "reservation_affinity": NO_RESERVATION},
                auto_repair=False,
                upgrade_settings=AS_NODES_GO,
            )
        case Queued():
            return PoolCapacity(
                {"reservation_affinity": NO_RESERVATION},
                queued_provisioning={"enabled": True},
                upgrade_settings=AS_NODES_GO,
            )


def _none_or_all(hosts: int) -> container.NodePoolAutoscalingArgsDict:
    return {"min_node_count": 0, "max_node_count": hosts, "location_policy": "ANY"}


def _specific(reservation: Reservation, project: str) -> container.NodePoolNodeConfigReservationAffinityArgsDict:
    """The affinity with one reservation, by its full path: a bare name with a block in it is answered by 404."""
    path = f"projects/{reservation.project or project}/reservations/{reservation.name}"
    if reservation.block:
        path += f"/reservationBlocks/{reservation.block}"
    if reservation.sub_block:
        path += f"/reservationSubBlocks/{reservation.sub_block}"
    return {
        "consume_reservation_type": "SPECIFIC_RESERVATION",
        "key": RESERVATION_KEY,
        "values": [path],
    }
