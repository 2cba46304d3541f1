"""Whether a region, a reservation and a subnetwork have room for a node pool."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.cloud.gke.clusters import cluster_id, pools_of, subnetwork_of
from sandbox.cloud.gke.machines import find_machine
from sandbox.cloud.gke.nodes import free_addresses
from sandbox.cloud.gke.pools import RESERVATION_PATH, reservation_of
from sandbox.cloud.gke.rules import PoolRequest, quota_refusal, reservation_refusal
from sandbox.cloud.kinds.base import Site
from sandbox.cloud.options import Reservation
from sandbox.cloud.references import CLUSTER, NODE_POOL, RESERVATION, region_of
from sandbox.cloud.refusal import Refusal, bad_request, google
from sandbox.cloud.store import Record, Status

DEFAULT_RANGE = "10.128.0.0/20"
"""Addresses of nodes in the default network."""

_RESERVATION_KEY = "compute.googleapis.com/reservation-name"


def refuse_without_capacity(site: Site, record: Record, pool: PoolRequest) -> None:
    """Raises Refusal where Google Cloud has no room for a new pool. record: its draft."""
    for refusal in (_reservation_refusal(site, record, pool), _quota_refusal(site, record, pool)):
        if refusal is not None:
            raise refusal


def addresses_for(site: Site, record: Record, count: int) -> Iterator[str]:
    """Addresses for new nodes of a pool. Raises Refusal where the subnetwork has fewer than asked for."""
    cluster = site.store.get(CLUSTER, cluster_id(record.id))
    subnetwork = subnetwork_of(site, cluster) if cluster else None
    cidr = str(subnetwork.properties["ipCidrRange"]) if subnetwork else DEFAULT_RANGE
    taken = {node["ip"] for pool in pools_of(site, cluster_id(record.id)) for node in pool.nodes}
    found = [address for address, _ in zip(free_addresses(cidr, taken), range(count), strict=False)]
    if len(found) < count:  # the wording is not confirmed
        raise google(403, f"Insufficient free IP addresses in the node range {cidr}: IP_SPACE_EXHAUSTED.", "forbidden")
    return iter(found)


def _reservation_refusal(site: Site, record: Record, pool: PoolRequest) -> Refusal | None:
    affinity = record.inputs.get("nodeConfig", {}).get("reservationAffinity") or {}
    if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        return None
    named = affinity.get("values") or []
    if affinity.get("key") != _RESERVATION_KEY or len(named) != 1:  # the wording is not confirmed
        return bad_request(f'Specific reservation needs key "{_RESERVATION_KEY}" and exactly one value.')
    match = RESERVATION_PATH.fullmatch(named[0])
    if match is None or (match[3] and not match[1]):  # a block needs the whole path before it
        return reservation_refusal(pool, named[0], None, 0)
    if site.options.reservations is None and not site.store.of_type(RESERVATION):
        return None
    in_use = sum(
        _machines_of(other)
        for other in site.store.of_type(NODE_POOL)
        if other.id != record.id and reservation_of(other.properties) == match[2]
    )
    found = _find_reservation(site, match[1] or pool.project, match[2], pool)
    return reservation_refusal(pool, named[0], found, in_use)


def _find_reservation(site: Site, project: str, name: str, pool: PoolRequest) -> Reservation | None:
    for record in site.store.of_type(RESERVATION):
        if record.id == f"projects/{project}/zones/{pool.zones[0]}/reservations/{name}":
            specific = record.properties["specificReservation"]
            machine_type = specific.get("instanceProperties", {}).get("machineType", pool.machine.name)
            return Reservation(name, pool.zones[0], machine_type, specific["count"], project)
    for reservation in site.options.reservations or ():
        if reservation.name == name and (reservation.project or pool.project) == project:
            return reservation
    return None


def _quota_refusal(site: Site, record: Record, pool: PoolRequest) -> Refusal | None:
    tpu = pool.machine.tpu
    limit = site.options.quota.get(tpu.generation.name) if tpu else None
    if tpu is None or limit is None or pool.reservation:
        return None
    others = [other for other in site.store.of_type(NODE_POOL) if other.id != record.id]
    in_use = sum(_chips_of(other, tpu.generation.name, region_of(pool.zones[0])) for other in others)
    return quota_refusal(pool, limit, in_use)


def _chips_of(pool: Record, generation: str, region: str) -> int:
    """Chips of a generation that a pool takes from a region's quota."""
    machine = find_machine(pool.properties["nodeConfig"]["machineType"])
    counts = (
        machine is not None
        and machine.tpu is not None
        and machine.tpu.generation.name == generation
        and region_of(pool.properties["nodeLocations"][0]) == region
        and reservation_of(pool.properties) is None
    )
    return machine.chips * _machines_of(pool) if machine and counts else 0


def _machines_of(pool: Record) -> int:
    return 0 if pool.status is Status.ERROR else len(pool.nodes)
