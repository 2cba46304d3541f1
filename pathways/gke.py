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
