"""PromQL for Cloud Monitoring, and one filter for Cloud Logging.

Metrics of JobSets: GKE documentation, "Collect and view kube state metrics", table of JobSet metrics (GKE 1.32.4 and
later; the cluster switches the package JOBSET on). Metrics of containers and nodes: Cloud Monitoring documentation,
"Kubernetes metrics"; PromQL writes kubernetes.io/NODE/METRIC as kubernetes_io:NODE_METRIC.
"""

from __future__ import annotations

from dataclasses import dataclass

from pathways.runtime import MAIN_CONTAINER, PROXY, RESOURCE_MANAGER
from pathways.settings import StackSettings

HEAD_CONTAINERS = "|".join([RESOURCE_MANAGER.name, PROXY.name, MAIN_CONTAINER])


@dataclass(frozen=True)
class Queries:
    """Queries about one cluster's jobs. cluster, namespace: names."""

    cluster: str
    namespace: str

    @classmethod
    def of(cls, settings: StackSettings) -> Queries:
        return cls(settings.cluster.name, settings.namespace)

    @property
    def missing_replicas(self) -> str:
        """Jobs of each replicated job that neither run nor have ended: slices, where it is that of the workers."""
        of = self._jobsets
        return (
            f"kube_jobset_specified_replicas{of} - kube_jobset_ready_replicas{of} - kube_jobset_succeeded_replicas{of}"
        )

    @property
    def ready_replicas(self) -> str:
        return f"kube_jobset_ready_replicas{self._jobsets}"

    def restarts(self, window: str = "") -> str:
        """Restarts of whole jobs; with a window, such as 1h, those within it."""
        counted = f"kube_jobset_restarts{self._jobsets}"
        return f"delta({counted}[{window}])" if window else counted

    @property
    def duty_cycle(self) -> str:
        """Percent of the time in which the chips of a pod compute; the mean of each pod."""
        return f"avg by (pod_name) (kubernetes_io:container_accelerator_duty_cycle{self._containers()})"

    @property
    def head_memory(self) -> str:
        """Share of its limit, 0 to 1, that each container of a head uses."""
        only = f'container_name=~"{HEAD_CONTAINERS}",memory_type="non-evictable"'
        return f"kubernetes_io:container_memory_limit_utilization{self._containers(only)}"

    @property
    def ready_nodes(self) -> str:
        """Nodes of each node pool that are ready."""
        of = f'{{monitored_resource="k8s_node",cluster_name="{self.cluster}",condition="Ready",status="True"}}'
        return f"sum by (node_pool_name) (kubernetes_io:node_status_condition{of})"

    @property
    def _jobsets(self) -> str:
        return f'{{cluster="{self.cluster}",namespace="{self.namespace}"}}'

    def _containers(self, only: str = "") -> str:
        of = f'monitored_resource="k8s_container",cluster_name="{self.cluster}",namespace_name="{self.namespace}"'
        return f"{{{of}{',' if only else ''}{only}}}"


def node_pool_errors(settings: StackSettings) -> str:
    """Return the filter for operations on node pools that GKE could not carry out, from its audit log."""
    return " ".join(
        [
            'resource.type="gke_nodepool"',
            f'resource.labels.cluster_name="{settings.cluster.name}"',
            f'logName="projects/{settings.project}/logs/cloudaudit.googleapis.com%2Factivity"',
            "severity>=ERROR",
        ]
    )
