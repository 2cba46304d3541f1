"""The node pools of the simulated cloud, as the autoscaler sees them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sandbox.cloud.autoscaler.nodes import Node, node_of
from sandbox.cloud.autoscaler.sizing import ScaledPool
from sandbox.cloud.gke.nodes import NodeSpot, node_manifest
from sandbox.cloud.gke.pools import pool_request, pool_shape
from sandbox.cloud.kinds import Site
from sandbox.cloud.references import NODE_POOL
from sandbox.cloud.store import Record, Status


def scaled_pools(site: Site, resting: Collection[str]) -> list[ScaledPool]:
    """The pools with autoscaling that stand. resting: ids of those that cannot grow now.

    Pools of queued provisioning are among them: they grow for pods that tolerate their taint, where GKE would wait for
    a ProvisioningRequest.
    """
    return [
        _scaled_pool(site, record, open=record.status is Status.RUNNING and record.id not in resting)
        for record in site.store.of_type(NODE_POOL)
        if record.status in (Status.RUNNING, Status.RECONCILING) and record.properties.get("autoscaling")
    ]


def coming_nodes(site: Site, there: Collection[str]) -> list[Node]:
    """Nodes of pools that are being created or changed. there: names of those that have come."""
    return [
        node_of(node_manifest(pool_shape(site, record), NodeSpot(**node)))
        for record in site.store.of_type(NODE_POOL)
        if record.status in (Status.PROVISIONING, Status.RECONCILING)
        for node in record.nodes
        if node["name"] not in there
    ]


def _scaled_pool(site: Site, record: Record, *, open: bool) -> ScaledPool:
    shape, request = pool_shape(site, record), pool_request(site, record)
    zone_bounds, bounds = _bounds(record.properties["autoscaling"], len(request.zones))
    return ScaledPool(
        id=record.id,
        nodes={zone: [node["name"] for node in record.nodes if node["zone"] == zone] for zone in request.zones},
        zone_bounds=zone_bounds,
        bounds=bounds,
        pattern=node_of(node_manifest(shape, NodeSpot("pattern", request.zones[0], "0.0.0.0"))),
        whole=request.hosts if request.multi_host else None,
        open=open,
        cost=(shape.machine.chips, shape.machine.vcpus),
    )


def _bounds(scaling: Mapping[str, Any], zones: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Least and most nodes of a zone, and in all: a pool has bounds of one sort or of the other."""
    if scaling.get("totalMaxNodeCount"):
        least, most = scaling.get("totalMinNodeCount") or 0, scaling["totalMaxNodeCount"]
        return (0, most), (least, most)
    least, most = scaling.get("minNodeCount") or 0, scaling.get("maxNodeCount") or 0
    return (least, most), (least * zones, most * zones)
