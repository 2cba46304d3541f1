"""Names and numbers of GKE's that the program writes and its rules look for."""

CLOUD_PLATFORM_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The only access scope of nodes: what a node may do is decided by the roles of its account."""

NODE_ROLE = "roles/container.defaultNodeServiceAccount"
"""Logs, metrics and node registration. A custom account without it leaves nodes degraded."""

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
"""By which a node pool names the reservation that it consumes."""

CONCURRENT_OPERATIONS = 5
"""Node pool operations that GKE takes at once on a cluster; it refuses more with HTTP 429, "hits the concurrent
operations quota 5". Reported in 2023; no page of Google's tells today's number.
Source: hashicorp/terraform-provider-google#15205."""

WEBHOOK_PORT = 9443
"""Where controllers built on controller-runtime (JobSet, Kueue) serve their webhooks."""

QUEUE_API_PORT = 8082
"""Where Kueue serves its API of pending workloads, a part of the cluster's own: unreachable, it keeps namespaces from
being deleted. Source: chart of Kueue 0.17.0."""

REPLACED_WHEN_CHANGED = (
    "nodeConfig.machineType",
    "nodeCount",
    "nodeLocations",
    "placementPolicy.tpuTopology",
    "placementPolicy.type",
)
"""What of a TPU node pool cannot change: another one takes its place. The provider plans these in place and then sends
nothing (topology, placement), or GKE refuses (node count of a multi-host pool: "manual resize is not supported") or
pretends (machine type, terraform-provider-google#23502). Another zone would grow such a pool by a second, partial slice
and shrink the first one; a reservation stays behind."""

CHANGED_ON_LIVING_NODES = frozenset({"labels", "resourceLabels", "resourceManagerTags", "tags", "taints"})
"""Parts of a pool's nodeConfig that GKE changes on nodes that run; for every other one it makes them anew.

Source: GKE API, NodePools.update; GKE documentation, "Update a node pool".
"""

SLICE_PODS_PER_NODE = 16
"""Of a TPU host, which runs one worker, on the host network, and GKE's own pods."""

CPU_PODS_PER_NODE = 64
"""Of a node for heads or controllers. Heads use the host network; the others are controllers and GKE's own."""

RESERVED_ADDRESSES = 4
"""Addresses of a subnetwork's primary range that Google Cloud keeps for itself.

Source: Google Cloud documentation, "Subnets", unusable addresses.
"""

NETWORKING_DRIVER_LABEL = "cloud.google.com/gke-networking-dra-driver"
"""Of nodes whose NICs GKE's networking driver hands out. Of GKE's labels the one that a pool's owner sets (XPK)."""


def addresses_of_pods(max_pods: int) -> int:
    """Return how many addresses of the pod range a node takes: the power of two that is twice its pods at least.

    Source: GKE documentation, "Configure maximum Pods per node".
    """
    return 1 << (2 * max_pods - 1).bit_length()
