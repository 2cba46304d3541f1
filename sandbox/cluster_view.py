"""What the sandbox's cluster holds, asked from its API server: nodes, jobs and pods as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import httpx2 as httpx
from lightkube import Client, KubeConfig
from lightkube.generic_resource import create_namespaced_resource
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Node, Pod

from pathways.manifests.labels import GROUP_LABEL
from pathways.runtime import QUEUE_LABEL

JobSet = create_namespaced_resource("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets")
PathwaysJob = create_namespaced_resource("pathways-job.pathways.domain", "v1", "PathwaysJob", "pathwaysjobs")

POOL = "cloud.google.com/gke-nodepool"
ACCELERATOR = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
JOB = "jobset.sigs.k8s.io/jobset-name"
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"

Key = tuple[str, str]
"""Namespace and name of a JobSet."""

NOT_SERVED_YET = (404, 429, 503)
"""What the API server answers about a custom resource that is not installed, or about which it only just learnt."""


@dataclass(frozen=True)
class NodeView:
    """pool: node pool. slice: the pool again where it is a TPU slice, else None; one slice is one pool."""

    name: str
    pool: str
    slice: str | None
    group: str | None
    accelerator: str | None
    topology: str | None
    ready: bool


@dataclass(frozen=True)
class PodView:
    """job: the JobSet that the pod belongs to. role: its replicated job. slice: pool of its node if a slice."""

    name: str
    namespace: str
    job: str
    role: str
    slice: str | None
    node: str | None
    phase: str
    ready: bool


@dataclass(frozen=True)
class JobView:
    """ready: every pod that the job asks for is Running and ready. pods: how many are; wanted: how many it asks for.

    ended: Completed or Failed, by JobSet's own word; None while it goes on. reason: why it ended.
    waits_in: the queue that holds it back until its slices are free, if one does.
    """

    name: str
    namespace: str
    kind: str
    ready: bool
    pods: int
    wanted: int
    ended: str | None = None
    reason: str = ""
    waits_in: str | None = None


@dataclass(frozen=True)
class ClusterView:
    nodes: list[NodeView]
    jobs: list[JobView]
    pods: list[PodView]

    def slices(self) -> dict[str, list[NodeView]]:
        """The nodes of each slice, by its pool."""
        pools: dict[str, list[NodeView]] = {}
        for node in sorted(self.nodes, key=lambda node: (node.pool, node.name)):
            if node.slice:
                pools.setdefault(node.slice, []).append(node)
        return pools

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def connect(kubeconfig: Path) -> Client:
    """A client of the sandbox's API server."""
    return Client(config=KubeConfig.from_file(kubeconfig), field_manager="sandbox")


def view(kubeconfig: Path) -> ClusterView:
    """Asks the API server; an empty view where no cluster answers."""
    return view_by(connect(kubeconfig)) if kubeconfig.exists() else ClusterView([], [], [])


def view_by(client: Client) -> ClusterView:
    """The same by a client that there is already."""
    with _unless_absent():
        nodes = [_node(node) for node in client.list(Node)]
        slices = {node.name: node.slice for node in nodes}
        pods = [_pod(pod, slices) for pod in client.list(Pod, namespace="*", labels={JOB: None})]
        running = Counter((pod.namespace, pod.job) for pod in pods if pod.phase == "Running" and pod.ready)
        return ClusterView(nodes, _jobs(client, running), pods)
    return ClusterView([], [], [])


def jobs_by(client: Client) -> list[JobView]:
    """The jobs alone, by what their Jobs count: that costs little for many pods, and is late by a second."""
    with _unless_absent():
        running: Counter[Key] = Counter()
        for job in client.list(Job, namespace="*", labels={JOB: None}):
            running[job.metadata.namespace, job.metadata.labels[JOB]] += (job.status and job.status.ready) or 0
        return _jobs(client, running)
    return []


@contextmanager
def _unless_absent() -> Iterator[None]:
    """Ends the block where no cluster answers."""
    try:
        yield
    except httpx.TransportError:
        pass
    except httpx.HTTPStatusError as error:
        if error.response.status_code not in NOT_SERVED_YET:
            raise


def _node(node: Any) -> NodeView:
    labels = node.metadata.labels or {}
    conditions = node.status.conditions or []
    accelerator = labels.get(ACCELERATOR)
    pool = labels.get(POOL, "")
    return NodeView(
        name=node.metadata.name,
        pool=pool,
        slice=pool if accelerator else None,
        group=labels.get(GROUP_LABEL),
        accelerator=accelerator,
        topology=labels.get(TOPOLOGY),
        ready=any(condition.type == "Ready" and condition.status == "True" for condition in conditions),
    )


def _pod(pod: Any, slices: dict[str, str | None]) -> PodView:
    labels, node = pod.metadata.labels, pod.spec.nodeName
    conditions = pod.status.conditions or []
    return PodView(
        name=pod.metadata.name,
        namespace=pod.metadata.namespace,
        job=labels[JOB],
        role=labels.get(REPLICATED_JOB, ""),
        slice=slices.get(node) if node else None,
        node=node,
        phase="Terminating" if pod.metadata.deletionTimestamp else pod.status.phase,
        ready=any(condition.type == "Ready" and condition.status == "True" for condition in conditions),
    )


def _jobs(client: Client, running: Counter[Key]) -> list[JobView]:
    """running: ready pods of each JobSet."""
    jobsets = [_jobset(manifest, running) for manifest in _list(client, JobSet)]
    ready = {(job.namespace, job.name): job for job in jobsets}
    owned = [_pathways_job(manifest, ready) for manifest in _list(client, PathwaysJob)]
    return owned + jobsets


def _list(client: Client, resource: Any) -> list[Any]:
    try:
        return list(client.list(resource, namespace="*"))
    except httpx.HTTPStatusError as error:
        if error.response.status_code in NOT_SERVED_YET:
            return []
        raise


def _jobset(manifest: Any, running: Counter[Key]) -> JobView:
    name, namespace = manifest.metadata.name, manifest.metadata.namespace
    wanted = sum(
        replicated.get("replicas", 1) * replicated["template"]["spec"].get("parallelism", 1)
        for replicated in manifest.spec["replicatedJobs"]
    )
    pods = running[namespace, name]
    ended, reason = _end(manifest.status or {})
    waits_in = (manifest.metadata.labels or {}).get(QUEUE_LABEL) if manifest.spec.get("suspend") else None
    return JobView(name, namespace, "JobSet", pods == wanted, pods, wanted, ended, reason, waits_in)


def _end(status: dict[str, Any]) -> tuple[str | None, str]:
    """How a JobSet ended, and why; None and no reason while it goes on."""
    ended = status.get("terminalState")
    for condition in status.get("conditions", []):
        if condition["type"] == ended and condition["status"] == "True":
            return ended, condition.get("message", "")
    return ended, ""


def _pathways_job(manifest: Any, jobsets: dict[Key, JobView]) -> JobView:
    name, namespace = manifest.metadata.name, manifest.metadata.namespace
    made = jobsets.get((namespace, name))
    if made is None:
        return JobView(name, namespace, "PathwaysJob", ready=False, pods=0, wanted=0)
    return replace(made, kind="PathwaysJob")
