"""The PathwaysJob of a workload."""

from __future__ import annotations

from typing import Any

from pathways.manifests.labels import HEAD_LABELS, group_selector
from pathways.manifests.objects import Manifest
from pathways.runtime import MAIN_CONTAINER
from pathways.settings import PathwaysWorkload, Secret, StackSettings


def pathways_job(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    """Return the PathwaysJob. Its workers are bound to the group's nodes, a batch job's head to the head pool.

    The head of a headless job has no template, hence no selector: only the taint of TPU nodes keeps it on the CPU pool.
    Secrets among the variables stay as they are written in the stack file.
    """
    controller: Manifest = {"deploymentMode": "default", "mainContainerName": MAIN_CONTAINER}
    if workload.elastic:
        controller["elasticSlices"] = workload.elastic.slices
    if workload.mode == "batch":
        controller["template"] = {"spec": _head(workload)}
    return {
        "apiVersion": "pathways-job.pathways.domain/v1",
        "kind": "PathwaysJob",
        "metadata": {"name": workload.name, "namespace": settings.namespace},
        "spec": {
            "maxRestarts": workload.max_restarts,
            "pathwaysDir": settings.scratch.location,
            "pathwaysVersion": settings.image_tag,
            "controller": controller,
            "workers": [_workers(settings, workload)],
        },
    }


def _workers(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    group = settings.group(workload.slices.group)
    workers: Manifest = {
        "type": group.slice.machine_type,
        "topology": group.slice.topology_text,
        "numSlices": workload.slices.count,
        "nodeSelector": group_selector(group),
        "terminationGracePeriodSeconds": workload.termination_grace_seconds,
    }
    if workload.elastic:
        workers["maxSliceRestarts"] = workload.elastic.slice_restarts
    if workload.priority:
        workers["priorityClassName"] = workload.priority
    return workers


def _head(workload: PathwaysWorkload) -> Manifest:
    """Return the pod spec of a head, but for what the controller adds.

    It is never restarted in place: a restart would fail the job and take the pod, with its logs, away.
    """
    pod: Manifest = {
        "restartPolicy": "Never",
        "nodeSelector": dict(HEAD_LABELS),
        "terminationGracePeriodSeconds": workload.termination_grace_seconds,
        "containers": [_main_container(workload)],
    }
    if workload.priority:
        pod["priorityClassName"] = workload.priority
    return pod


def _main_container(workload: PathwaysWorkload) -> Manifest:
    amount = {"cpu": str(workload.resources.cpus), "memory": f"{workload.resources.memory_gib}Gi"}
    container: Manifest = {"name": MAIN_CONTAINER, "image": workload.image}
    if workload.command:
        container["command"] = list(workload.command)
    if workload.args:
        container["args"] = list(workload.args)
    if workload.env:
        container["env"] = [{"name": name, "value": _value(value)} for name, value in workload.env.items()]
    return {**container, "resources": {"requests": amount, "limits": dict(amount)}}


def _value(value: str | Secret) -> Any:
    return {"secure": value.secure} if isinstance(value, Secret) else value
