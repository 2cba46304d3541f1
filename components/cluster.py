"""The GKE cluster: a private control plane behind a DNS endpoint."""

import json
from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.network import POD_RANGE, SERVICE_RANGE
from components.site import Site
from pathways.settings import ClusterSettings

MAINTENANCE_WINDOW: container.ClusterMaintenancePolicyRecurringWindowArgsDict = {
    "start_time": "2026-01-03T02:00:00Z",
    "end_time": "2026-01-03T10:00:00Z",
    "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU",
}
"""Eight hours on Saturdays and Sundays, UTC. GKE wants 48 hours in any 92 days, in windows of 4 hours at least.
The dates are fixed (they only anchor the recurrence), so that nothing differs from one day to the next."""

UPGRADES_BY_HAND: container.ClusterMaintenancePolicyMaintenanceExclusionArgsDict = {
    "exclusion_name": "minor-and-node-upgrades-by-hand",
    "start_time": "2026-01-01T00:00:00Z",
    "exclusion_options": {"scope": "NO_MINOR_OR_NODE_UPGRADES", "end_time_behavior": "UNTIL_END_OF_SUPPORT"},
}
"""An upgrade of a node restarts its whole slice, so only patches of the control plane come by themselves.
The end is not written: GKE moves it with the version's support, and a date of ours would differ from it."""


@dataclass(frozen=True)
class ClusterArgs:
    """network, subnetwork: ids. control_plane_range: a /28 that nothing else uses."""

    site: Site
    settings: ClusterSettings
    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    control_plane_range: str


class Cluster(pulumi.ComponentResource):
    """A private, VPC-native GKE Standard cluster with no node pool of its own.

    The control plane is regional, so that it stays up through its own upgrades and a zone's failure; nodes are in
    the one zone that the slices are in, since Pathways' parts must not be apart.

    Clients come through the DNS endpoint, which IAM guards (container.clusters.connect); IP endpoints are off. An
    authorized-networks block would switch them on again (terraform-google-kubernetes-engine#2216), so there is none.

    GKE insists on a first pool: it makes one of a single node, which the provider deletes at once. That node runs as
    the project's default Compute Engine account for these minutes. What the API reports about it afterwards would
    plan a replacement of the cluster (pulumi-gcp#744), hence the ignored properties.

    A protected cluster takes two steps to destroy: `up` without deletion protection, then `destroy`.

    Attributes: cluster_name (an output that waits for the cluster), resource (to be deleted with), kubeconfig (secret).
    """

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:Cluster", name, None, opts)
        site, settings = args.site, args.settings
        self.resource = container.Cluster(
            f"{name}-cluster",
            name=site.cluster_name,
            location=site.region,
            node_locations=[site.zone],
            remove_default_node_pool=True,
            initial_node_count=1,
            network=args.network,
            subnetwork=args.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy={
                "cluster_secondary_range_name": POD_RANGE,
                "services_secondary_range_name": SERVICE_RANGE,
            },
            datapath_provider="ADVANCED_DATAPATH",
            private_cluster_config={
                "enable_private_nodes": True,
                "master_ipv4_cidr_block": args.control_plane_range,
            },
            control_plane_endpoints_config={
                "dns_endpoint_config": {"allow_external_traffic": True},
                "ip_endpoints_config": {"enabled": False},
            },
            workload_identity_config={"workload_pool": f"{site.project}.svc.id.goog"},
            enable_shielded_nodes=True,
            release_channel={"channel": settings.release_channel.upper()},
            maintenance_policy={
                "recurring_window": MAINTENANCE_WINDOW,
                "maintenance_exclusions": [UPGRADES_BY_HAND],
            },
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
                protect=settings.deletion_protection,
                delete_before_replace=True,
                ignore_changes=["initialNodeCount", "nodeConfig", "nodeVersion"],
                custom_timeouts=pulumi.CustomTimeouts(create="90m", update="90m", delete="90m"),
            ),
        )
        self.cluster_name = self.resource.name
        self.kubeconfig: pulumi.Output[str] = pulumi.Output.secret(
            self.resource.control_plane_endpoints_config.apply(
                lambda endpoints: json.dumps(kubeconfig(site.cluster_name, dns_endpoint(endpoints)))
            )
        )
        self.register_outputs({"clusterName": self.cluster_name, "kubeconfig": self.kubeconfig})


def dns_endpoint(endpoints: container.outputs.ClusterControlPlaneEndpointsConfig) -> str:
    """Return the host that clients reach the control plane by; ValueError where GKE reports none."""
    if endpoints.dns_endpoint_config is None or endpoints.dns_endpoint_config.endpoint is None:
        raise ValueError("GKE reports no DNS endpoint of the cluster.")
    return endpoints.dns_endpoint_config.endpoint


def kubeconfig(context: str, endpoint: str) -> dict[str, object]:
    """Return a kubeconfig that reaches a DNS endpoint ("host" or "host:port") with the caller's own Google credentials.

    It holds no credential and no certificate authority: the endpoint's certificate is a public one.
    """
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": f"https://{endpoint}"}}],
        "users": [
            {
                "name": context,
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "command": "gke-gcloud-auth-plugin",
                        "installHint": "Install it with: gcloud components install gke-gcloud-auth-plugin",
                        "provideClusterInfo": True,
                    }
                },
            }
        ],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
        "current-context": context,
    }
