"""The cluster autoscaler: node pools grow when pods wait for nodes, and shrink when nodes have been idle."""

from sandbox.cloud.autoscaler.loop import Autoscaler
from sandbox.cloud.autoscaler.resizing import Resizer

__all__ = ["Autoscaler", "Resizer"]
