"""A network that someone else made and keeps."""

from dataclasses import dataclass

import pulumi

from components.network import Subnet, let_webhooks_in
from components.site import Site
from pathways.settings import ExistingNetwork as ExistingNetworkSettings


@dataclass(frozen=True)
class ExistingNetworkArgs:
    """control_plane_range: the /28 from which the control plane calls."""

    site: Site
    settings: ExistingNetworkSettings
    control_plane_range: str


class ExistingNetwork(pulumi.ComponentResource):
    """A subnetwork of others, perhaps in another project (Shared VPC). It gets the webhooks' firewall rule, no more.

    Ways out for private nodes (NAT) and private Google access are its owner's. In a Shared VPC GKE's own service agent
    needs the role of a network user on the subnetwork, and of a host service agent in the project that owns it.

    Attributes: subnet.
    """

    def __init__(self, name: str, args: ExistingNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:ExistingNetwork", name, None, opts)
        site, settings = args.site, args.settings
        project = settings.project or site.project
        self.subnet = Subnet(
            network=f"projects/{project}/global/networks/{settings.network}",
            subnetwork=f"projects/{project}/regions/{site.region}/subnetworks/{settings.subnetwork}",
            pod_range=settings.pod_range,
            service_range=settings.service_range,
        )
        let_webhooks_in(
            f"{name}-webhooks",
            site,
            self.subnet.network,
            args.control_plane_range,
            project,
            pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.register_outputs({"networkId": self.subnet.network, "subnetworkId": self.subnet.subnetwork})
