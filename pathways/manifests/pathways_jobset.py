"""The JobSet of a Pathways workload, for clusters without the PathwaysJob controller."""

from __future__ import annotations

from typing import Any

from pathways.manifests.controller import jobset_of_pathways_job
from pathways.manifests.controller.containers import WORKER_CONTAINER
from pathways.manifests.controller.jobset import WORKERS
from pathways.manifests.failures import failure_policy, pod_failure_policy
from pathways.manifests.main_container import placement, plain_value, pull, share_memory, variable
from pathways.manifests.objects import Manifest
from pathways.manifests.pathways_job import head_placement, pathways_job
from pathways.quantities import binary_quantity
from pathways.runtime import MAIN_CONTAINER
from pathways.settings import PathwaysWorkload, StackSettings
from pathways.settings.pathways_workload import Head


def pathways_jobset(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    """Return the JobSet: the very one that the controller would make, and what only a JobSet can have.

    With recovery inJob and no setting that a PathwaysJob lacks, there is nothing of the latter.
    """
    jobset = without_owner(jobset_of_pathways_job(pathways_job(settings, workload)))
    spec = jobset["spec"]
    head, workers = (replicated["template"]["spec"] for replicated in spec["replicatedJobs"])
    _complete_head(workload, head["template"]["spec"])
    _complete_workers(workload, workers["template"]["spec"])
    if workload.recovery == "inJob":
        workers["backoffLimit"] = workers["completions"] * workload.retries_per_host
    else:
        _fail_at_once(workload, spec, head, workers)
    for job in (head, workers):
        pull(workload, job["template"]["spec"])
    if workload.time_to_live_seconds is not None:
        spec["ttlSecondsAfterFinished"] = workload.time_to_live_seconds
    return jobset


def without_owner(jobset: Manifest) -> Manifest:
    """Return the JobSet that the controller would post, as one that nobody owns."""
    kept = {key: value for key, value in jobset["metadata"].items() if key != "ownerReferences"}
    return {**jobset, "metadata": kept}


def _complete_head(workload: PathwaysWorkload, pod: Manifest) -> None:
    """Place the head of a headless job, which a PathwaysJob has no template for."""
    if workload.mode == "headless" and (workload.recovery != "inJob" or workload.head != Head()):
        pod.update(head_placement(workload))


def _complete_workers(workload: PathwaysWorkload, pod: Manifest) -> None:
    pod.update(placement(workload.workers))
    sidecars = pod.get("initContainers", [])
    if workload.components.sidecar and sidecars:
        _complete_sidecar(workload.components.sidecar.flags, workload.components.sidecar.env, sidecars[0])
    workers = [container for container in pod["containers"] if container["name"] == WORKER_CONTAINER]
    if workload.workers.shared_memory_gib:
        share_memory(pod, binary_quantity(workload.workers.shared_memory_gib * 1024), *workers, *sidecars)


def _complete_sidecar(flags: tuple[str, ...], variables: dict[str, Any], sidecar: Manifest) -> None:
    if flags:
        sidecar["args"] = list(flags)
    sidecar["env"] = [*sidecar["env"], *(variable(name, plain_value(value)) for name, value in variables.items())]


def _fail_at_once(workload: PathwaysWorkload, spec: Manifest, head: Manifest, workers: Manifest) -> None:
    """Let any failed pod fail its Job, and the failure policy decide what starts again.

    A Job that retries by itself finds its old leader in the way for a minute or for ever (jobset#1276).
    """
    alone = [WORKERS] if workload.recovery == "slice" else []
    spec["failurePolicy"] = failure_policy(workload, alone)
    head["template"]["spec"]["restartPolicy"] = workers["template"]["spec"]["restartPolicy"] = "Never"
    workers["backoffLimit"] = 0
    main = MAIN_CONTAINER if workload.mode == "batch" else None
    for job, container in ((head, main), *([] if alone else [(workers, None)])):
        if policy := pod_failure_policy(workload, container):
            job["podFailurePolicy"] = policy
