"""How Google Cloud treats each resource type; one object a type."""

from __future__ import annotations

from pathways.gcp import resource_type
from sandbox.cloud.kinds import bucket, cluster, iam, network, node_pool, others, tpu
from sandbox.cloud.kinds.base import Kind, Site

_KINDS: dict[str, Kind] = {
    kind.token: kind
    for kind in (
        bucket.Bucket(),
        cluster.Cluster(),
        iam.Account(),
        iam.AccountMember(),
        iam.BucketMember(),
        iam.CryptoKeyMember(),
        iam.CustomRole(),
        iam.ProjectMember(),
        iam.Service(),
        network.Address(),
        network.Firewall(),
        network.Network(),
        network.Reservation(),
        network.ResourcePolicy(),
        network.Router(),
        network.RouterNat(),
        network.Subnetwork(),
        node_pool.NodePool(),
        others.AlertPolicy(),
        others.BinaryAuthorization(),
        others.CryptoKey(),
        others.Dashboard(),
        others.KeyRing(),
        others.Metric(),
        others.NotificationChannel(),
        tpu.V2QueuedResource(),
        tpu.V2Vm(),
    )
}


def kind_of(token: str) -> Kind:
    """The ways of a resource type. Raises pathways.gcp.UnknownType."""
    return _KINDS[resource_type(token).token]


__all__ = ["Kind", "Site", "kind_of"]
