"""The GKE cluster: a private control plane."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.kubeconfig import kubeconfig_of
from components.network import Subnet
from components.site import Site
from pathways.maintenance import FIRST_DAY, recurring_window, span, standing_scope
from pathways.settings import ClusterSettings, MaintenanceSettings

PROJECT_POLICY = "PROJECT_SINGLETON_POLICY_ENFORCE"


@dataclass(frozen=True)
class ClusterArgs:
    """What a Cluster is made from.

    subnet: where its nodes are. control_plane_range: a /28 that nothing else uses.
    multi_networking: whether nodes may have more than one NIC. key: of Cloud KMS, for secrets and boot disks.
    after: what must stand before, such as the right to use the key.
    """

    site: Site
    settings: ClusterSettings
    subnet: Subnet
    control_plane_range: str
    multi_networking: bool
    key: str | None
    after: Sequence[pulumi.Resource]


class Cluster(pulumi.ComponentResource):
    """A private, VPC-native GKE Standard cluster with no node pool of its own.

    The control plane is regional, so that it stays up through its own upgrades and a zone's failure; nodes are in
    the one zone that the slices are in, since Pathways' parts must not be apart.

    Clients come through the DNS endpoint, which IAM guards (container.clusters.connect). IP endpoints are off, unless
    networks are authorised: such a block would switch them on by itself (terraform-google-kubernetes-engine#2216), so
    there is none otherwise.

    GKE insists on a first pool: it makes one of a single node, which the provider deletes at once. That node runs as
    the project's default Compute Engine account for these minutes. What the API reports about it afterwards would
    plan a replacement of the cluster (pulumi-gcp#744), hence the ignored properties.

    A protected cluster takes two steps to destroy: `up` without deletion protection, then `destroy`.

    Attributes: cluster_name (an output that waits for the cluster), resource (to be deleted with), kubeconfig (secret).
    """

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:Cluster", name, None, opts)
        site, settings = args.site, args.settings
        self.resource: pulumi.Resource | None
        self.resource = cluster = container.Cluster(
            f"{name}-cluster",
            name=site.cluster_name,
            location=site.region,
            node_locations=[site.zone],
            remove_default_node_pool=True,
            initial_node_count=1,
            network=args.subnet.network,
            subnetwork=args.subnet.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy={
                "cluster_secondary_range_name": args.subnet.pod_range,
                "services_secondary_range_name": args.subnet.service_range,
            },
            datapath_provider="ADVANCED_DATAPATH",
            enable_multi_networking=args.multi_networking or None,
            enable_intranode_visibility=True,
            private_cluster_config={
                "enable_private_nodes": True,
                "enable_private_endpoint": _private_endpoint(settings),
                "master_ipv4_cidr_block": args.control_plane_range,
            },
            control_plane_endpoints_config={
                "dns_endpoint_config": {"allow_external_traffic": settings.dns_endpoint},
                "ip_endpoints_config": {"enabled": bool(settings.authorized_networks)},
            },
            master_authorized_networks_config=_authorized(settings),
            workload_identity_config={"workload_pool": f"{site.project}.svc.id.goog"},
            enable_shielded_nodes=True,
            binary_authorization={"evaluation_mode": PROJECT_POLICY} if settings.binary_authorization else None,
            security_posture_config={"mode": _POSTURES[settings.security_posture]},
            authenticator_groups_config={"security_group": settings.rbac_group} if settings.rbac_group else None,
            database_encryption={"state": "ENCRYPTED", "key_name": args.key} if args.key else None,
            release_channel={"channel": settings.release_channel.upper()},
            maintenance_policy=_maintenance(settings.maintenance),
            logging_config={"enable_components": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
            monitoring_config={
                "enable_components": ["CADVISOR", "JOBSET", "KUBELET", "POD", "SYSTEM_COMPONENTS"],
                "managed_prometheus": {"enabled": True},
            },
            cost_management_config={"enabled": True},
            resource_labels=site.labels("cluster"),
            deletion_protection=settings.deletion_protection,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=args.after,
                protect=settings.deletion_protection,
                delete_before_replace=True,
                ignore_changes=["initialNodeCount", "nodeConfig", "nodeVersion"],
                custom_timeouts=pulumi.CustomTimeouts(create="90m", update="90m", delete="90m"),
            ),
        )
        self.cluster_name: pulumi.Output[str] = cluster.name
        self.kubeconfig = kubeconfig_of(cluster, site.cluster_name, dns_endpoint=settings.dns_endpoint)
        self.register_outputs({"clusterName": self.cluster_name, "kubeconfig": self.kubeconfig})


_POSTURES = {"off": "DISABLED", "basic": "BASIC", "enterprise": "ENTERPRISE"}


def _private_endpoint(settings: ClusterSettings) -> bool | None:
    """Whether the address is a private one alone; None where there is no address."""
    return not settings.has_public_address if settings.authorized_networks else None


def _authorized(settings: ClusterSettings) -> container.ClusterMasterAuthorizedNetworksConfigArgsDict | None:
    if not settings.authorized_networks:
        return None
    return {
        "cidr_blocks": [
            {"display_name": name, "cidr_block": block} for name, block in settings.authorized_networks.items()
        ],
        "gcp_public_cidrs_access_enabled": False,
    }


def _maintenance(settings: MaintenanceSettings) -> container.ClusterMaintenancePolicyArgsDict:
    """The window, and what it leaves alone. An upgrade of a node restarts its whole slice.

    The exclusion that stands has no end written: GKE moves it with the version's support, and a date of ours would
    differ from it.
    """
    exclusions: list[container.ClusterMaintenancePolicyMaintenanceExclusionArgsDict] = []
    if scope := standing_scope(settings):
        options: container.ClusterMaintenancePolicyMaintenanceExclusionExclusionOptionsArgsDict
        options = {"scope": scope, "end_time_behavior": "UNTIL_END_OF_SUPPORT"}
        exclusions.append(
            {"exclusion_name": _NAMES[scope], "start_time": f"{FIRST_DAY}T00:00:00Z", "exclusion_options": options}
        )
    for freeze in settings.freezes:
        start, end = span(freeze.first, freeze.last)
        exclusions.append(
            {
                "exclusion_name": freeze.name,
                "start_time": start,
                "end_time": end,
                "exclusion_options": {"scope": "NO_UPGRADES"},
            }
        )
    window = recurring_window(settings)
    return {
        "recurring_window": {
            "start_time": window["start_time"],
            "end_time": window["end_time"],
            "recurrence": window["recurrence"],
        },
        "maintenance_exclusions": exclusions,
    }


_NAMES = {
    "NO_MINOR_OR_NODE_UPGRADES": "minor-and-node-upgrades-by-hand",
    "NO_MINOR_UPGRADES": "minor-upgrades-by-hand",
}
