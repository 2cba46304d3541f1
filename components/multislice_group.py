"""A multislice group: as many TPU node pools as the group has slices, spares included."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute, container

from components.capacity import pool_capacity
from components.names import NODE_POOL_NAME_LENGTH, RESOURCE_NAME_LENGTH, bounded
from components.node_config import hardened_node_config
from components.pool_lanes import PoolLanes
from components.second_network import SecondNetwork
from components.site import Site
from pathways.gke import NETWORKING_DRIVER_LABEL, REPLACED_WHEN_CHANGED, SLICE_PODS_PER_NODE
from pathways.manifests import group_labels
from pathways.manifests.labels import NETWORKING_LABEL
from pathways.settings import SliceGroup
from pathways.tpu import Placement, Slice


@dataclass(frozen=True)
class MultisliceGroupArgs:
    """What a MultisliceGroup is made from.

    group: shape, count, spares and capacity of its slices. cluster: its name, an output that waits for it.
    service_account: email. protect: refuse to delete or replace a slice. key: of Cloud KMS, for boot disks.
    second_network: for second NICs; None where the group's hosts have one NIC.
    lanes: the order of pools. after: what must stand before nodes start.
    """

    site: Site
    group: SliceGroup
    cluster: pulumi.Input[str]
    service_account: pulumi.Input[str]
    protect: bool
    key: str | None
    second_network: SecondNetwork | None
    lanes: PoolLanes
    after: Sequence[pulumi.Resource]


class MultisliceGroup(pulumi.ComponentResource):
    """Node pools that together serve multislice jobs, one for each slice: JobSet keeps a job's slices apart by pool.

    A slice is replaced, never resized or re-shaped, and the old pool goes first: its capacity cannot exist twice,
    and neither can its name. Labels, among them the group's size, change in place on living nodes.

    GKE's own labels (cloud.google.com/...) and the google.com/tpu taint are GKE's to set. Placement follows from the
    slice: none for a single host (GKE refuses a topology), compact with the topology, or for tpu7x a workload policy
    that is made before the pools and deleted after them; its name carries the topology, so that pools of a new shape
    never meet the old policy (xpk#751, xpk#753).

    With `protect` the engine refuses to delete or replace a pool; a slice that is given up must be unprotected first.
    """

    def __init__(self, name: str, args: MultisliceGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:MultisliceGroup", name, None, opts)
        site, slice_ = args.site, args.group.slice
        capacity = pool_capacity(args.group, site.project)
        placement = self._placement(name, args)
        node_config: container.NodePoolNodeConfigArgsDict = {
            **hardened_node_config(
                machine_type=slice_.machine_type,
                service_account=args.service_account,
                node_tag=site.node_tag,
                labels={**group_labels(args.group), **_networking_labels(args.group)},
                resource_labels=site.labels(args.group.name),
                key=args.key,
            ),
            **capacity.node_config,
        }
        self.pools: list[container.NodePool] = []
        for index in range(args.group.pools):
            pool = container.NodePool(
                f"{name}-{index}",
                name=bounded(f"{args.group.name}-{index}", NODE_POOL_NAME_LENGTH),
                cluster=args.cluster,
                location=site.cluster_location,
                node_locations=[site.zone],
                placement_policy=placement,
                max_pods_per_node=SLICE_PODS_PER_NODE,
                network_config=_network_config(args),
                node_config=node_config,
                node_count=capacity.node_count,
                autoscaling=capacity.autoscaling,
                queued_provisioning=capacity.queued_provisioning,
                management={"auto_repair": capacity.auto_repair, "auto_upgrade": True},
                upgrade_settings=capacity.upgrade_settings,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    depends_on=[*args.after, *args.lanes.predecessor()],
                    protect=args.protect,
                    delete_before_replace=True,
                    replace_on_changes=[*REPLACED_WHEN_CHANGED, f'nodeConfig.labels["{NETWORKING_LABEL}"]'],
                    custom_timeouts=args.lanes.timeouts,
                ),
            )
            args.lanes.add(pool)
            self.pools.append(pool)
        self.register_outputs({"pools": [pool.name for pool in self.pools]})

    def _placement(self, name: str, args: MultisliceGroupArgs) -> container.NodePoolPlacementPolicyArgsDict | None:
        """Return the placement of every pool, after declaring the policy that it refers to, if any."""
        slice_ = args.group.slice
        match slice_.placement:
            case Placement.NONE:
                return None
            case Placement.COMPACT:
                return {"type": "COMPACT", "tpu_topology": slice_.topology_text}
            case Placement.WORKLOAD:
                policy = compute.ResourcePolicy(
                    f"{name}-policy",
                    name=policy_name(args.site.cluster_name, args.group.name, slice_),
                    region=args.site.region,
                    workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": slice_.topology_text},
                    opts=pulumi.ResourceOptions(parent=self, delete_before_replace=False),
                )
                # GKE reads the type back empty beside a policy: any other value would differ for ever.
                return {"type": "", "policy_name": policy.name}


def _network_config(args: MultisliceGroupArgs) -> container.NodePoolNetworkConfigArgsDict | None:
    if args.second_network:
        nic = {"network": args.second_network.network_id, "subnetwork": args.second_network.subnetwork_id}
        return {"additional_node_network_configs": [nic]}
    return {"accelerator_network_profile": "auto"} if args.group.networking == "dra" else None


def _networking_labels(group: SliceGroup) -> dict[str, str]:
    driver = {NETWORKING_DRIVER_LABEL: "true"} if group.networking == "dra" else {}
    return {**driver, NETWORKING_LABEL: group.networking} if group.networking != "singleNic" else {}


def policy_name(cluster_name: str, group_name: str, slice_: Slice) -> str:
    """Return the name of a group's workload policy, which tells clusters, groups and topologies apart."""
    return bounded(f"{cluster_name}-{group_name}-{slice_.topology_text}", RESOURCE_NAME_LENGTH)
