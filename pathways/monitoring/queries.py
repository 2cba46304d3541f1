"""PromQL for Cloud Monitoring, and one filter for Cloud Logging.

Metrics of JobSets: GKE documentation, "Collect and view kube state metrics", table of JobSet metrics (GKE 1.32.4 and
later; the cluster switches the package JOBSET on). Metrics of containers: Cloud Monitoring documentation, "Kubernetes
metrics". Metrics of nodes and node pools: GKE documentation, "Deploy TPU workloads in GKE Standard", health metrics
(GKE 1.32.1 and later; the status of a pool only where its slice has several hosts). Names in PromQL: Cloud Monitoring
documentation, "PromQL in Cloud Monitoring": the first / becomes a colon, what is no letter, digit or _ becomes _.

GKE reads the duty cycle from port 8431 of a TPU container, where the container declares that port and its libtpu
serves it (the same page, "runtime metrics"). Whether Pathways' workers serve it is told by no source.
"""

from __future__ import annotations

import re
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
        """Jobs of each replicated job that neither run, nor have ended, nor wait in a queue: slices, or heads."""
        accounted_for = ("ready", "succeeded", "suspended")
        rest = "".join(f" - kube_jobset_{state}_replicas{self._jobsets}" for state in accounted_for)
        return f"kube_jobset_specified_replicas{self._jobsets}{rest}"

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
    def pools_in_error(self) -> str:
        """1 of each node pool that is in ERROR."""
        of = f'{{monitored_resource="k8s_node_pool",cluster_name="{self.cluster}",status="Error"}}'
        return f"kubernetes_io:node_pool_status{of}"

    @property
    def failed_operations(self) -> str:
        """Operations on node pools that failed within five minutes, as counted by the metric over the log."""
        metric = re.sub(r"\W", "_", node_pool_errors_metric(self.cluster))
        return f'sum(increase(logging_googleapis_com:user_{metric}{{monitored_resource="gke_nodepool"}}[5m]))'

    @property
    def _jobsets(self) -> str:
        return f'{{cluster="{self.cluster}",namespace="{self.namespace}"}}'

    def _containers(self, only: str = "") -> str:
        of = f'monitored_resource="k8s_container",cluster_name="{self.cluster}",namespace_name="{self.namespace}"'
        return f"{{{of}{',' if only else ''}{only}}}"


def node_pool_errors_metric(cluster: str) -> str:
    """Return the name of the metric that counts what node_pool_errors finds."""
    return f"{cluster}-node-pool-errors"


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
