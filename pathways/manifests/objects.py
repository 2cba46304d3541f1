"""Small Kubernetes objects."""

from __future__ import annotations

from typing import Any

from pathways.manifests.colocation import colocated_head_class
from pathways.runtime import QUEUE_LABEL, QUEUE_PRIORITY_LABEL
from pathways.settings import PathwaysWorkload, StackSettings, Workload

Manifest = dict[str, Any]
"""A Kubernetes object as its API takes it, in JSON."""


def job_metadata(settings: StackSettings, job: Workload) -> Manifest:
    """Return the metadata of the object that a job becomes."""
    metadata: Manifest = {"name": job.name, "namespace": settings.namespace}
    for key, values in (("labels", {**job.labels, **_queue_labels(job)}), ("annotations", job.annotations)):
        if values:
            metadata[key] = dict(values)
    return metadata


def _queue_labels(job: Workload) -> dict[str, str]:
    """Return what Kueue reads; nothing for a job in no queue."""
    if job.queue is None:
        return {}
    head_class = colocated_head_class(job) if isinstance(job, PathwaysWorkload) and job.head.colocated else None
    priority = job.priority or head_class
    return {QUEUE_LABEL: job.queue, **({QUEUE_PRIORITY_LABEL: priority} if priority else {})}


def namespace(name: str) -> Manifest:
    """Return the namespace of jobs. Pathways' workers mount the host's /tmp, so its pods are privileged ones."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
    }


def priority_class(name: str, value: int) -> Manifest:
    """Return a PriorityClass whose pods push out those of lower value; never the default of pods that name none."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "globalDefault": False,
        "preemptionPolicy": "PreemptLowerPriority",
        "description": f"Jobs of priority {value}; they push out those of a lower one",
    }
