"""A real Kubernetes control plane on this machine, for the one cluster of a sandbox."""

from sandbox.control_plane.control_plane import ControlPlane, NoCluster

__all__ = ["ControlPlane", "NoCluster"]
