"""What Pathways and its controller bring to a pod and demand of a job: containers, sizes, variables, names.

Source, where none is named: PathwaysJob controller v0.1.4 and JobSet 0.11, as they run.
"""

from __future__ import annotations

from dataclasses import dataclass

MAIN_CONTAINER = "main"

SERVER_IMAGE = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server"
"""Resource manager and workers."""
PROXY_IMAGE = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/proxy_server"

RESOURCE_MANAGER_PORT = 29001
PROXY_PORT = 29000
WORKER_PORT = 29005
HEAD_PORTS = (PROXY_PORT, RESOURCE_MANAGER_PORT, RESOURCE_MANAGER_PORT + 1)
WORKER_PORTS = (WORKER_PORT, WORKER_PORT + 1, 8471, 8080)
"""All on the host network, so they are the node's."""
SIDECAR_PORT = 50051
"""Of colocated Python, on the host network as well."""
GKE_ENVIRONMENT = (
    "TPU_WORKER_ID",
    "TPU_WORKER_HOSTNAMES",
    "MEGASCALE_NUM_SLICES",
    "MEGASCALE_SLICE_ID",
    "MEGASCALE_COORDINATOR_ADDRESS",
)
"""What GKE tells each host of a job without Pathways. Source: GKE documentation, Multislice."""


@dataclass(frozen=True)
class Component:
    """A container that the controller adds to the head. memory_bytes and cpus are its limits, hence its requests."""

    name: str
    cpus: int
    memory_bytes: int

    @property
    def limits(self) -> dict[str, str]:
        return {"cpu": str(self.cpus), "memory": f"{self.memory_bytes // 10**9}G"}


RESOURCE_MANAGER = Component("pathways-rm", 8, 32 * 10**9)
PROXY = Component("pathways-proxy", 16, 100 * 10**9)
HEAD_COMPONENTS = (RESOURCE_MANAGER, PROXY)

MAIN_ENVIRONMENT = ("PATHWAYS_HEAD", "JAX_PLATFORMS", "XCLOUD_ENVIRONMENT", "JAX_BACKEND_TARGET")
"""Variables that the controller appends to the main container. The JobSet CRD refuses a name that comes twice."""

SERVICE_SUFFIX = "-server"
"""After a job's name: the Service that leads to its program."""
COLOCATED_HEAD_PREFIX = "colocated-head-of-"
"""Before a job's name: the PriorityClass of its head, where that runs beside workers."""

AUTOCHECKPOINT_GRACE_SECONDS = 300
"""How long Cloud TPU waits for a checkpoint before maintenance. Source: Cloud TPU documentation, Autocheckpoint."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
QUEUE_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
"""By which Kueue knows a job's queue, and its WorkloadPriorityClass. Source: Kueue 0.17, constants."""

RESERVED_PRIORITIES = 1_000_000_000
"""Kubernetes keeps the values of PriorityClasses from here on for itself."""

MAX_NAME_LENGTH = 22
MAX_LABEL_LENGTH = 63


def coordinator_label(name: str) -> str:
    """Return the value of the label with the coordinator's address that JobSet puts on every pod of a PathwaysJob."""
    return f"{name}-pathways-head-0-0.{name}"


def image_tag(jax_version: str) -> str:
    """Return the tag that Pathways' images for a JAX version have."""
    return f"jax-{jax_version}"
