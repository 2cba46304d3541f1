"""The VPC of a cluster: one subnetwork with pod and service ranges, NAT, and the webhook firewall rule."""

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from components.site import Site
from pathways.settings import NetworkSettings

POD_RANGE = "pods"
SERVICE_RANGE = "services"

FLOW_LOGS: compute.SubnetworkLogConfigArgsDict = {
    "aggregation_interval": "INTERVAL_5_SEC",
    "flow_sampling": 0.5,
    "metadata": "INCLUDE_ALL_METADATA",
}

MTU = 8896
"""Bytes; the largest that a VPC takes. Workers of different slices talk over it."""


@dataclass(frozen=True)
class NetworkArgs:
    """site: its cluster gives the VPC its name, its region is that of all parts. settings: disjoint IPv4 blocks."""

    site: Site
    settings: NetworkSettings


@dataclass(frozen=True)
class Subnet:
    """Where the nodes of a cluster are. network, subnetwork: ids. pod_range, service_range: names of its ranges."""

    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    pod_range: str
    service_range: str


class Network(pulumi.ComponentResource):
    """A VPC of its own for one cluster of private nodes.

    Private nodes have no way out but the NAT: images from outside Google's registries (JobSet's, most users') come
    through it, so whatever starts nodes must depend on this whole component. Google's own services are reached
    without it, by private Google access.

    GKE itself opens the traffic among nodes and pods, and 443 and 10250 from the control plane, but not 9443, where
    webhooks of controllers listen: without a rule every JobSet is refused after a time-out. Its source is
    the control plane's range, since the control plane calls from there whatever endpoint its clients use; where GKE
    tunnels such calls through konnectivity agents the rule lies idle.

    All names are fixed, so a part that must be replaced is deleted first. A VPC cannot be deleted while firewall
    rules that GKE made are left in it; they go with the cluster.

    Attributes: subnet.
    """

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:Network", name, None, opts)
        site, settings = args.site, args.settings
        options = pulumi.ResourceOptions(parent=self, delete_before_replace=True)
        network = compute.Network(
            f"{name}-vpc",
            name=site.cluster_name,
            auto_create_subnetworks=False,
            mtu=MTU,
            routing_mode="REGIONAL",
            opts=options,
        )
        subnetwork = compute.Subnetwork(
            f"{name}-subnetwork",
            name=f"{site.cluster_name}-nodes",
            network=network.id,
            region=site.region,
            ip_cidr_range=settings.node_range,
            private_ip_google_access=True,
            secondary_ip_ranges=[
                {"range_name": POD_RANGE, "ip_cidr_range": settings.pod_range},
                {"range_name": SERVICE_RANGE, "ip_cidr_range": settings.service_range},
            ],
            log_config=FLOW_LOGS if settings.flow_logs else None,
            opts=options,
        )
        router = compute.Router(
            f"{name}-router",
            name=f"{site.cluster_name}-router",
            network=network.id,
            region=site.region,
            opts=options,
        )
        compute.RouterNat(
            f"{name}-nat",
            name=f"{site.cluster_name}-nat",
            router=router.name,
            region=site.region,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
            subnetworks=[{"name": subnetwork.id, "source_ip_ranges_to_nats": ["ALL_IP_RANGES"]}],
            log_config={"enable": True, "filter": "ERRORS_ONLY"},
            opts=options,
        )
        let_webhooks_in(f"{name}-webhooks", site, network.id, settings.control_plane_range, None, options)
        self.subnet = Subnet(network.id, subnetwork.id, POD_RANGE, SERVICE_RANGE)
        self.register_outputs({"networkId": network.id, "subnetworkId": subnetwork.id})


def let_webhooks_in(
    name: str,
    site: Site,
    network: pulumi.Input[str],
    control_plane_range: str,
    project: str | None,
    options: pulumi.ResourceOptions,
) -> None:
    """Let the control plane call webhooks on the nodes, by a firewall rule. project: None for the stack's."""
    compute.Firewall(
        name,
        name=f"{site.cluster_name}-webhooks",
        project=project,
        description="The control plane calls the webhooks of controllers that run on the nodes",
        network=network,
        direction="INGRESS",
        source_ranges=[control_plane_range],
        target_tags=[site.node_tag],
        allows=[{"protocol": "tcp", "ports": [str(port) for port in site.called_ports]}],
        opts=options,
    )
