"""A GKE cluster that someone else made and keeps."""

from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.kubeconfig import kubeconfig_of
from components.site import Site


@dataclass(frozen=True)
class ExistingClusterArgs:
    """dns_endpoint: whether it is reached by its DNS endpoint, else by its address."""

    site: Site
    dns_endpoint: bool


class ExistingCluster(pulumi.ComponentResource):
    """A cluster that is read and never changed: it stands when the stack is destroyed.

    Attributes: those of Cluster; there is no resource to be deleted with.
    """

    def __init__(self, name: str, args: ExistingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gke:ExistingCluster", name, None, opts)
        cluster = container.Cluster.get(
            f"{name}-cluster", args.site.cluster_path, opts=pulumi.ResourceOptions(parent=self)
        )
        self.resource: pulumi.Resource | None = None
        self.cluster_name: pulumi.Output[str] = cluster.name
        self.kubeconfig = kubeconfig_of(cluster, args.site.cluster_name, dns_endpoint=args.dns_endpoint)
        self.register_outputs({"clusterName": self.cluster_name, "kubeconfig": self.kubeconfig})
