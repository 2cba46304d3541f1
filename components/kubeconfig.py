"""How clients reach a cluster: by its DNS endpoint, or by its address."""

import json
from typing import Any

import pulumi
from pulumi_gcp import container


def kubeconfig_of(cluster: container.Cluster, context: str, *, dns_endpoint: bool) -> pulumi.Output[str]:
    """Return the kubeconfig of a cluster, as JSON and secret, for the caller's own Google credentials."""
    if dns_endpoint:
        server = cluster.control_plane_endpoints_config.apply(lambda endpoints: {"server": _named(endpoints)})
    else:
        # Taken out first: among others in Output.all it would be a plain dictionary.
        authority = cluster.master_auth.apply(lambda auth: auth.cluster_ca_certificate)
        server = pulumi.Output.all(cluster.endpoint, authority).apply(lambda told: _addressed(*told))
    text = server.apply(lambda reached: json.dumps(kubeconfig(context, reached)))
    return pulumi.Output.secret(text)


def _named(endpoints: container.outputs.ClusterControlPlaneEndpointsConfig) -> str:
    """Return the URL of the DNS endpoint, whose certificate is a public one; ValueError where GKE reports none."""
    if endpoints.dns_endpoint_config is None or endpoints.dns_endpoint_config.endpoint is None:
        raise ValueError("GKE reports no DNS endpoint of the cluster.")
    return f"https://{endpoints.dns_endpoint_config.endpoint}"


def _addressed(address: str, authority: str) -> dict[str, Any]:
    """Return the URL of the address, and the authority that vouches for it, in base64."""
    return {"server": f"https://{address}", "certificate-authority-data": authority}


def kubeconfig(context: str, cluster: dict[str, Any]) -> dict[str, object]:
    """Return a kubeconfig with one context and no credential. cluster: its server, and what clients trust."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": cluster}],
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
