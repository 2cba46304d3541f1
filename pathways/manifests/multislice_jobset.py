"""The JobSet of a multislice workload."""

from __future__ import annotations

from pathways.manifests.controller.job import ACCELERATOR_LABEL, TOPOLOGY_LABEL
from pathways.manifests.controller.jobset import EXCLUSIVE_TOPOLOGY, HOST_NETWORK, POOL_LABEL
from pathways.manifests.failures import failure_policy, pod_failure_policy
from pathways.manifests.labels import GROUP_LABEL, group_selector
from pathways.manifests.main_container import main_container, placement, pull, share_memory, volumes
from pathways.manifests.objects import Manifest, job_metadata
from pathways.manifests.program import host_variables
from pathways.quantities import binary_quantity
from pathways.runtime import MAIN_CONTAINER
from pathways.settings import MultisliceWorkload, StackSettings

SLICE = "slice"
"""Name of the replicated job, one Job of which runs on each slice."""
TPU_PORTS = (8471, 8080, 8431)
"""Between the hosts of a slice, the coordinator of the slices, and the runtime's metrics, which GKE reads where their
port is declared. Source: GKE documentation, Multislice; "TPU runtime metrics"."""


def multislice_jobset(settings: StackSettings, workload: MultisliceWorkload) -> Manifest:
    """Return the JobSet: a Job for each slice, a pod for each host. Any failed pod fails its Job, and with it the set.

    GKE tells every pod its place (TPU_WORKER_ID, TPU_WORKER_HOSTNAMES, MEGASCALE_...), so it is not written here.
    """
    slice_ = settings.group(workload.slices.group).slice
    job: Manifest = {
        "backoffLimit": 0,
        "completions": slice_.hosts,
        "parallelism": slice_.hosts,
        "template": {"spec": _pod(settings, workload)},
    }
    if policy := pod_failure_policy(workload, MAIN_CONTAINER):
        job["podFailurePolicy"] = policy
    spec: Manifest = {
        "failurePolicy": failure_policy(workload),
        "replicatedJobs": [{"name": SLICE, "replicas": workload.slices.count, "template": {"spec": job}}],
    }
    if workload.time_to_live_seconds is not None:
        spec["ttlSecondsAfterFinished"] = workload.time_to_live_seconds
    metadata = job_metadata(settings, workload)
    metadata["annotations"] = {**metadata.get("annotations", {}), EXCLUSIVE_TOPOLOGY: POOL_LABEL}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}


def _pod(settings: StackSettings, workload: MultisliceWorkload) -> Manifest:
    group = settings.group(workload.slices.group)
    shape = {ACCELERATOR_LABEL: group.slice.accelerator, TOPOLOGY_LABEL: group.slice.topology_text}
    main = _container(settings, workload, group.slice.machine.chips)
    pod: Manifest = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": workload.grace_seconds,
        **(HOST_NETWORK if workload.host_network else {}),
        **placement(workload.workers),
        "nodeSelector": {**workload.workers.node_selector, **group_selector(group), **shape},
        "containers": [main],
    }
    if workload.priority:
        pod["priorityClassName"] = workload.priority
    if workload.has_group_to_itself:
        pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_others(workload)]}}
    if mounted := list(volumes(workload)):
        pod["volumes"] = mounted
    share_memory(pod, workload.resources.shared_memory(group.slice.machine.memory_gb), main)
    pull(workload, pod)
    return pod


def _container(settings: StackSettings, workload: MultisliceWorkload, chips: int) -> Manifest:
    own = workload.resources
    amounts = {
        "cpu": str(own.cpus) if own.cpus else "",
        "memory": binary_quantity(own.memory_gib * 1024) if own.memory_gib else "",
    }
    amount = {**{name: text for name, text in amounts.items() if text}, "google.com/tpu": str(chips)}
    resources = {"requests": amount, "limits": dict(amount)}
    container = main_container(MAIN_CONTAINER, workload, host_variables(settings, workload), resources)
    container["ports"] = [{"containerPort": port} for port in TPU_PORTS]
    if workload.privileged:
        container["securityContext"] = {"privileged": True}
    return container


def _others(workload: MultisliceWorkload) -> Manifest:
    """Return the term that keeps pods of other jobs, of any namespace, out of the group that this one is in.

    The documents add an affinity to the job's own pods, which does not hold beside JobSet's own: it is the node
    selector that keeps the job in its group.
    """
    name = "jobset.sigs.k8s.io/jobset-name"
    return {
        "topologyKey": GROUP_LABEL,
        "namespaceSelector": {},
        "labelSelector": {
            "matchExpressions": [
                {"key": name, "operator": "Exists"},
                {"key": name, "operator": "NotIn", "values": [workload.name]},
            ]
        },
    }
