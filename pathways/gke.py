"""Names and numbers of GKE's that the program writes and its rules look for."""

CLOUD_PLATFORM_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The only access scope of nodes: what a node may do is decided by the roles of its account."""

NODE_ROLE = "roles/container.defaultNodeServiceAccount"
"""Logs, metrics and node registration. A custom account without it leaves nodes degraded."""

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
"""By which a node pool names the reservation that it consumes."""

WEBHOOK_PORT = 9443
"""Where controllers built on controller-runtime (JobSet, Kueue) serve their webhooks."""
