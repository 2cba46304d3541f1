"""GKE clusters and their node pools: how they belong together, and what GKE lets happen at once.

Source of the wordings: terraform-provider-google#15205 (429), #10366 and #3650 (400).
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.cloud.kinds.base import Site
from sandbox.cloud.references import CLUSTER, NODE_POOL, SUBNETWORK, region_of
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record, Status

VERSION = "1.34.3-gke.1318000"
"""Of control plane and nodes; new enough for every TPU generation. Source: Cluster Toolkit, its TPU7x blueprint."""

_DOING = {Status.PROVISIONING: "creating", Status.RECONCILING: "upgrading", Status.STOPPING: "deleting"}


def cluster_id(pool: str) -> str:
    """The id of the cluster that a node pool's id names."""
    project, location, cluster, _ = pool.split("/")
    return f"projects/{project}/locations/{location}/clusters/{cluster}"


def pools_of(site: Site, cluster: str) -> list[Record]:
    return [pool for pool in site.store.of_type(NODE_POOL) if cluster_id(pool.id) == cluster]


def subnetwork_of(site: Site, cluster: Record) -> Record | None:
    """The subnetwork that the cluster's nodes have their addresses from; None for the default one."""
    name = str(cluster.properties.get("subnetwork") or "").rpartition("/")[2]
    region = region_of(str(cluster.properties.get("location")))
    for subnetwork in site.store.of_type(SUBNETWORK):
        if subnetwork.properties["name"] == name and subnetwork.properties["region"] == region:
            return subnetwork
    return None


def zones_of(location: str) -> list[str]:
    """The zones in which a cluster has nodes when none are named: the zone itself, or three of the region."""
    return [location] if location.count("-") > 1 else [f"{location}-{letter}" for letter in "abc"]


def refuse_pool_operation(site: Site, pool: str) -> None:
    """Raises Refusal where another operation stands in the way of one on this node pool."""
    cluster = cluster_id(pool)
    name = cluster.rpartition("/")[2]
    known = site.store.get(CLUSTER, cluster)
    if known is not None and known.under_way:
        raise _busy(known, f"{_DOING[known.status]} cluster {name}")
    under_way = [other for other in pools_of(site, cluster) if other.under_way]
    for other in under_way:
        if other.id == pool:
            raise _busy(other, f"{_DOING[other.status]} a node pool for cluster {name}")
    limit = site.options.concurrent_operations
    if len(under_way) >= limit:
        raise google(
            429,
            f'Too many operations: cluster "{name}" hits the concurrent operations quota {limit}, '
            "please try again later.",
            "rateLimitExceeded",
        )


def refuse_cluster_operation(site: Site, cluster: Record) -> None:
    """Raises Refusal where another operation stands in the way of one on this cluster."""
    name = cluster.id.rpartition("/")[2]
    for doing, other in _under_way(site, cluster):
        raise _busy(other, f"{doing} {name}")


def _under_way(site: Site, cluster: Record) -> Iterator[tuple[str, Record]]:
    if cluster.under_way:
        yield f"{_DOING[cluster.status]} cluster", cluster
    for pool in pools_of(site, cluster.id):
        if pool.under_way:
            yield f"{_DOING[pool.status]} a node pool for cluster", pool


def _busy(record: Record, doing: str) -> Refusal:
    operation = f"operation-{1_700_000_000_000 + record.serial}-{record.serial:08x}"
    return google(
        400,
        f"Operation {operation} is currently {doing}. Please wait and try again once it is done.",
        "failedPrecondition",
    )
