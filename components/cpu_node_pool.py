"""Node pools of CPU machines: for heads and for controllers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.node_config import hardened_node_config
from components.pool_lanes import PoolLanes
from components.site import Site
from pathways.gke import CPU_PODS_PER_NODE
from pathways.manifests import HEAD_LABELS, SYSTEM_LABELS
from pathways.settings import HeadSettings, SystemSettings


@dataclass(frozen=True)
class CpuNodePoolArgs:
    """What a node pool of CPU machines is made from.

    settings: machine type and bounds of the autoscaler. cluster: its name, an output that waits for it.
    service_account: email. key: of Cloud KMS, for boot disks. lanes: the order of pools.
    after: what must stand before nodes start.
    """

    site: Site
    settings: HeadSettings | SystemSettings
    cluster: pulumi.Input[str]
    service_account: pulumi.Input[str]
    key: str | None
    lanes: PoolLanes
    after: Sequence[pulumi.Resource]


class HeadNodePool(pulumi.ComponentResource):
    """CPU nodes for Pathways heads, without any taint: a headless PathwaysJob's head can be given no toleration.

    Heads use the host network and its fixed ports, so there is one on a node at most: the largest number of nodes
    bounds the Pathways jobs that run at the same time.
    """

    def __init__(self, name: str, args: CpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:HeadNodePool", name, None, opts)
        self.pool = _autoscaled_pool(self, f"{name}-pool", "heads", HEAD_LABELS, args)
        self.register_outputs({"pool": self.pool.name})


class SystemNodePool(pulumi.ComponentResource):
    """Small CPU nodes for controllers, without any taint: not all of them can be given a toleration.

    TPU nodes carry google.com/tpu, and on a head's node a controller would take from what its machine type was chosen
    for.
    """

    def __init__(self, name: str, args: CpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:SystemNodePool", name, None, opts)
        self.pool = _autoscaled_pool(self, f"{name}-pool", "system", SYSTEM_LABELS, args)
        self.register_outputs({"pool": self.pool.name})


def _autoscaled_pool(
    parent: pulumi.Resource, name: str, pool_name: str, labels: Mapping[str, str], args: CpuNodePoolArgs
) -> container.NodePool:
    """Declare a pool that has no size of its own.

    The autoscaler owns it from the first node on, and the count of that first request is ignored afterwards, as a
    change to it would replace the pool.
    """
    site, settings = args.site, args.settings
    pool = container.NodePool(
        name,
        name=pool_name,
        cluster=args.cluster,
        location=site.cluster_location,
        node_locations=[site.zone],
        initial_node_count=settings.min_nodes,
        autoscaling={
            "min_node_count": settings.min_nodes,
            "max_node_count": settings.max_nodes,
            "location_policy": "BALANCED",
        },
        max_pods_per_node=CPU_PODS_PER_NODE,
        node_config=hardened_node_config(
            machine_type=settings.machine_type,
            service_account=args.service_account,
            node_tag=site.node_tag,
            labels=labels,
            resource_labels=site.labels(pool_name),
            key=args.key,
        ),
        management={"auto_repair": True, "auto_upgrade": True},
        upgrade_settings={"strategy": "SURGE", "max_surge": 1, "max_unavailable": 0},
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=[*args.after, *args.lanes.predecessor()],
            delete_before_replace=True,
            ignore_changes=["initialNodeCount"],
            custom_timeouts=args.lanes.timeouts,
        ),
    )
    args.lanes.add(pool)
    return pool
