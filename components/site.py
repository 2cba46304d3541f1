"""Where the resources of a stack are, and what they are named after."""

import re
from dataclasses import dataclass

from pathways.gke import QUEUE_API_PORT, WEBHOOK_PORT
from pathways.settings import StackSettings


@dataclass(frozen=True)
class Site:
    """Where and whose all resources of a stack are.

    zone: the nodes' one zone, in the region. cluster_location: of the control plane, the region as a rule.
    called_ports: of controllers on the nodes, which the control plane calls.
    """

    project: str
    region: str
    zone: str
    stack: str
    environment: str
    cluster_name: str
    cluster_location: str
    called_ports: tuple[int, ...]

    @classmethod
    def of(cls, settings: StackSettings) -> "Site":
        return cls(
            project=settings.project,
            region=settings.region,
            zone=settings.zone,
            stack=settings.stack,
            environment=settings.environment,
            cluster_name=settings.cluster.name,
            cluster_location=settings.cluster_location,
            called_ports=(WEBHOOK_PORT, QUEUE_API_PORT) if settings.queues else (WEBHOOK_PORT,),
        )

    @property
    def cluster_path(self) -> str:
        """What no other cluster in the world has."""
        return f"projects/{self.project}/locations/{self.cluster_location}/clusters/{self.cluster_name}"

    @property
    def node_tag(self) -> str:
        """Network tag of every node, the target of firewall rules."""
        return f"{self.cluster_name}-nodes"

    def labels(self, role: str) -> dict[str, str]:
        """Labels in Google Cloud, by which people find an owner and bills are told apart."""
        return {
            "managed-by": "pulumi",
            "stack": _label_value(self.stack),
            "environment": self.environment,
            "role": role,
        }


def _label_value(text: str) -> str:
    """Google Cloud takes lower-case letters, digits, "-" and "_", 63 at most; stacks are named more freely."""
    return re.sub(r"[^a-z0-9_-]", "-", text.lower())[:63]
