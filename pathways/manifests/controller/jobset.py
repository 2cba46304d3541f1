"""The JobSet of a PathwaysJob.

This is the bare function of the controller, without admission: it returns a JobSet also where the API server or
JobSet's webhook would refuse the one or the other.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pathways.manifests.controller.containers import (
    SHARED_VOLUME,
    colocated_python_sidecars,
    main_variables,
    proxy,
    resource_manager,
    worker,
)
from pathways.manifests.controller.job import Job
from pathways.manifests.controller.reading import Fields
from pathways.manifests.objects import Manifest

EXCLUSIVE_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"
HOST_LABEL = "kubernetes.io/hostname"
POOL_LABEL = "cloud.google.com/gke-nodepool"

HEAD = "pathways-head"
WORKERS = "worker"
HOST_NETWORK = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}


def jobset_of_pathways_job(manifest: Manifest) -> Manifest:
    """Return the JobSet that the controller posts. Raises ControllerRefusal where it fails.

    manifest: the PathwaysJob, as it is sent to the API server or as that keeps it.
    """
    job = Job(manifest)
    spec: Manifest = {
        "startupPolicy": {"startupPolicyOrder": "InOrder"},
        "failurePolicy": {"maxRestarts": job.max_restarts} if job.max_restarts else {},
        "coordinator": {"replicatedJob": HEAD},
        "replicatedJobs": [_head_job(job), _worker_job(job)],
    }
    if job.head_template is not None:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": [HEAD]}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": _metadata(job), "spec": spec}


def _metadata(job: Job) -> Manifest:
    copied = {"namespace": job.metadata.text("namespace"), "labels": job.metadata.labels("labels")}
    owner = {
        "apiVersion": "pathways-job.pathways.domain/v1",
        "kind": "PathwaysJob",
        "name": job.name,
        "uid": job.metadata.text("uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "name": job.name,
        **{key: deepcopy(value) for key, value in copied.items() if value},
        **_annotations(job.annotations),
        "ownerReferences": [owner],
    }


def _head_job(job: Job) -> Manifest:
    """Return the replicated job of the head. It is exclusive to its host in the default mode alone."""
    exclusive = {EXCLUSIVE_TOPOLOGY: HOST_LABEL} if job.exclusive_head else {}
    annotations = {**job.annotations, **exclusive}
    template = {
        "metadata": _annotations(annotations),
        "spec": {
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "template": {"metadata": _annotations(annotations), "spec": _head_pod(job)},
        },
    }
    return {"name": HEAD, "replicas": 1, "template": template}


def _head_pod(job: Job) -> Manifest:
    """Return the head's pod: the user's, with Pathways' containers as sidecars, or those alone where there is none."""
    added = [resource_manager(job), proxy(job)]
    if job.head_template is None:
        pod: Manifest = {"containers": added}
    else:
        pod = deepcopy(job.head_template.content)
        sidecars = [{**container, "restartPolicy": "Always"} for container in added]
        pod["initContainers"] = [*deepcopy(job.head_template.sequence("initContainers")), *sidecars]
        containers = job.head_template.objects("containers")
        pod["containers"] = [_with_main_variables(container, job) for container in containers]
    if job.colocated:
        pod["nodeSelector"] = dict(job.tpu_selector)
    return {**pod, **HOST_NETWORK}


def _with_main_variables(container: Fields, job: Job) -> Manifest:
    """Return the user's container; the main one has Pathways' variables after its own, even if a name comes twice."""
    copy = deepcopy(container.content)
    if container.text("name") == job.main_container:
        copy["env"] = [*deepcopy(container.sequence("env")), *main_variables()]
    return copy


def _worker_job(job: Job) -> Manifest:
    """Return the replicated job of the workers: one job for each slice. No replicas are written for no slices."""
    template = {
        "spec": {
            "backoffLimit": job.worker_retries,
            "completions": job.vms,
            "parallelism": job.vms,
            "template": {"metadata": _annotations({EXCLUSIVE_TOPOLOGY: POOL_LABEL}), "spec": _worker_pod(job)},
        },
    }
    replicas = {"replicas": job.slices} if job.slices else {}
    return {"name": WORKERS, **replicas, "template": template}


def _worker_pod(job: Job) -> Manifest:
    pod: Manifest = {
        **HOST_NETWORK,
        "nodeSelector": dict(job.tpu_selector),
        "containers": [worker(job)],
        "volumes": [deepcopy(SHARED_VOLUME)],
    }
    if sidecars := colocated_python_sidecars(job):
        pod["initContainers"] = sidecars
    if job.grace_seconds is not None:
        pod["terminationGracePeriodSeconds"] = job.grace_seconds
    if job.priority_class:
        pod["priorityClassName"] = job.priority_class
    if job.colocated:
        pod["affinity"] = _colocated_affinity(job.name)
    return pod


def _colocated_affinity(name: str) -> Manifest:
    """Return the terms by which a slice's pool should hold pods of this job, and none of another."""
    own = {"key": "jobset.sigs.k8s.io/jobset-name", "operator": "In", "values": [name]}
    others = {**own, "operator": "NotIn"}
    return {
        "podAffinity": _required([own]),
        "podAntiAffinity": _required([others, {"key": "job-name", "operator": "Exists"}]),
    }


def _required(expressions: list[Manifest]) -> Manifest:
    term = {"topologyKey": POOL_LABEL, "labelSelector": {"matchExpressions": deepcopy(expressions)}}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def _annotations(annotations: dict[str, Any]) -> Manifest:
    return {"annotations": dict(annotations)} if annotations else {}
