"""The node pool for Pathways heads and controllers: CPU machines."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.node_config import hardened_node_config
from components.pool_lanes import PoolLanes
from components.site import Site
from pathways.manifests import HEAD_LABELS
from pathways.settings import HeadSettings

POOL_NAME = "heads"

PODS_PER_NODE = 64
"""A /25 of the pod range for each node. Heads use the host network; the others are controllers and GKE's own."""


@dataclass(frozen=True)
class HeadNodePoolArgs:
    """What a HeadNodePool is made from.

    head: machine type and bounds of the autoscaler. cluster: its name, an output that waits for it.
    service_account: email. lanes: the order of pools. after: what must stand before nodes start.
    """

    site: Site
    head: HeadSettings
    cluster: pulumi.Input[str]
    service_account: pulumi.Input[str]
    lanes: PoolLanes
    after: Sequence[pulumi.Resource]


class HeadNodePool(pulumi.ComponentResource):
    """CPU nodes without any taint: TPU nodes carry google.com/tpu, so controllers have nowhere else to run.

    Nor can a headless PathwaysJob's head be given a toleration. Heads use the host network and its fixed ports, so
    there is one on a node at most: the largest number of nodes bounds the Pathways jobs that run at the same time.

    It has no size of its own: the autoscaler owns it from the first node on, and the count of that first request
    is ignored afterwards, as a change to it would replace the pool.
    """

    def __init__(self, name: str, args: HeadNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:HeadNodePool", name, None, opts)
        site, head = args.site, args.head
        self.pool = container.NodePool(
            f"{name}-pool",
            name=POOL_NAME,
            cluster=args.cluster,
            location=site.region,
            node_locations=[site.zone],
            initial_node_count=head.min_nodes,
            autoscaling={
                "min_node_count": head.min_nodes,
                "max_node_count": head.max_nodes,
                "location_policy": "BALANCED",
            },
            max_pods_per_node=PODS_PER_NODE,
            node_config=hardened_node_config(
                machine_type=head.machine_type,
                service_account=args.service_account,
                node_tag=site.node_tag,
                labels=HEAD_LABELS,
                resource_labels=site.labels(POOL_NAME),
            ),
            management={"auto_repair": True, "auto_upgrade": True},
            upgrade_settings={"strategy": "SURGE", "max_surge": 1, "max_unavailable": 0},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*args.after, *args.lanes.predecessor()],
                delete_before_replace=True,
                ignore_changes=["initialNodeCount"],
                custom_timeouts=args.lanes.timeouts,
            ),
        )
        args.lanes.add(self.pool)
        self.register_outputs({"pool": self.pool.name})
