"""The network of second NICs."""

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from components.network import FLOW_LOGS, MTU
from components.site import Site


@dataclass(frozen=True)
class SecondNetworkArgs:
    """node_range: IPv4 block of the NICs. flow_logs: whether their flows are logged."""

    site: Site
    node_range: str
    flow_logs: bool


class SecondNetwork(pulumi.ComponentResource):
    """A VPC for the second NICs of TPU hosts, over which slices talk to each other.

    Workers are on the host network and see all NICs of their host, so no Kubernetes network is declared for them.
    It has neither NAT nor ranges for pods: nothing but traffic among hosts is in it, and all of that is let in.

    Attributes: network_id, subnetwork_id.
    """

    def __init__(self, name: str, args: SecondNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:SecondNetwork", name, None, opts)
        site = args.site
        options = pulumi.ResourceOptions(parent=self, delete_before_replace=True)
        network = compute.Network(
            f"{name}-vpc",
            name=f"{site.cluster_name}-second",
            auto_create_subnetworks=False,
            mtu=MTU,
            routing_mode="REGIONAL",
            opts=options,
        )
        subnetwork = compute.Subnetwork(
            f"{name}-subnetwork",
            name=f"{site.cluster_name}-second",
            network=network.id,
            region=site.region,
            ip_cidr_range=args.node_range,
            private_ip_google_access=True,
            log_config=FLOW_LOGS if args.flow_logs else None,
            opts=options,
        )
        compute.Firewall(
            f"{name}-hosts",
            name=f"{site.cluster_name}-second-hosts",
            description="Hosts of slices call each other",
            network=network.id,
            direction="INGRESS",
            source_ranges=[args.node_range],
            allows=[{"protocol": "all"}],
            opts=options,
        )
        self.network_id = network.id
        self.subnetwork_id = subnetwork.id
        self.register_outputs({"networkId": self.network_id, "subnetworkId": self.subnetwork_id})
