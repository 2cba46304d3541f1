"""Small Kubernetes objects."""

from __future__ import annotations

from typing import Any

from pathways.settings import StackSettings, Workload

Manifest = dict[str, Any]
"""A Kubernetes object as its API takes it, in JSON."""


def job_metadata(settings: StackSettings, job: Workload) -> Manifest:
    """Return the metadata of the object that a job becomes."""
    metadata: Manifest = {"name": job.name, "namespace": settings.namespace}
    for key, values in (("labels", job.labels), ("annotations", job.annotations)):
        if values:
            metadata[key] = dict(values)
    return metadata


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
