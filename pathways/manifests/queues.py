"""Kueue's objects: flavors of slices and heads, one queue for each team, and the cohort in which they lend and borrow.

Source of what the fields mean: Kueue 0.17, API kueue.x-k8s.io/v1beta2.
"""

from __future__ import annotations

from collections.abc import Mapping

from pathways.manifests.colocation import colocated_head_class
from pathways.manifests.labels import HEAD_LABELS, group_selector
from pathways.manifests.objects import Manifest
from pathways.quantities import binary_quantity
from pathways.settings import PathwaysWorkload, Queue, SliceGroup, StackSettings
from pathways.shares import Share, shares

API_VERSION = "kueue.x-k8s.io/v1beta2"
COHORT = "pathways"
HEADS_FLAVOR = "heads"
RESOURCES = ("cpu", "memory", "google.com/tpu", "pods")
"""What there are quotas of. Pods count heads: host ports let one onto a node, however many CPUs it leaves."""

HOST_OF_UNKNOWN_SIZE = (1024, 8192)
"""CPUs and GiB of a host whose size no source tells: more than any has, so that its chips alone decide."""

Amounts = tuple[str, str, str, str]
"""Of each of the RESOURCES, as Kubernetes itself writes them."""


def resource_flavors(settings: StackSettings) -> list[Manifest]:
    """Return a flavor for heads and one for each group. Their labels are in the node selectors of jobs already."""
    labels = {HEADS_FLAVOR: HEAD_LABELS, **{flavor_of(group): group_selector(group) for group in settings.slices}}
    return [_object("ResourceFlavor", name, {"nodeLabels": dict(selected)}) for name, selected in labels.items()]


def flavor_of(group: SliceGroup) -> str:
    """Return the name of a group's flavor."""
    return f"slices-{group.name}"


def cohort(settings: StackSettings) -> Manifest:
    """Return the cohort of all queues, with what no queue is guaranteed."""
    return _object("Cohort", COHORT, {"resourceGroups": _quotas(settings, shares(settings).left)})


def cluster_queues(settings: StackSettings) -> list[Manifest]:
    """Return each team's quotas.

    A job takes what is free, borrowed or not. Where too little is, it takes back what its queue is guaranteed from
    those that have borrowed it, or pushes out jobs of lower priority in its own queue; what no queue is guaranteed is
    shared by weight. Younger jobs pass one that waits for other slices.
    """
    guaranteed = shares(settings).guaranteed
    return [_cluster_queue(settings, queue, guaranteed[queue.name]) for queue in settings.queues]


def _cluster_queue(settings: StackSettings, queue: Queue, share: Share) -> Manifest:
    spec = {
        "cohortName": COHORT,
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": settings.namespace}},
        "queueingStrategy": "BestEffortFIFO",
        # The head of a headless PathwaysJob has no node selector: it must not look further than the first flavor.
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"},
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "fairSharing": {"weight": str(queue.weight)},
        "resourceGroups": _quotas(settings, share),
    }
    return _object("ClusterQueue", queue.name, spec)


def local_queues(settings: StackSettings) -> list[Manifest]:
    """Return what jobs name: a queue in their namespace, of the same name as the team's."""
    found = [_object("LocalQueue", queue.name, {"clusterQueue": queue.name}) for queue in settings.queues]
    return [{**each, "metadata": {**each["metadata"], "namespace": settings.namespace}} for each in found]


def workload_priority_classes(settings: StackSettings) -> list[Manifest]:
    """Return the priorities of waiting jobs: those of their pods.

    A job without one whose head runs beside workers has one all the same: Kueue would take that of its head.
    """
    jobs = [job for job in settings.workloads if isinstance(job, PathwaysWorkload) and not job.priority]
    values = {**settings.priorities, **{colocated_head_class(job): 0 for job in jobs if job.head.colocated}}
    return [
        {"apiVersion": API_VERSION, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in values.items()
    ]


def _quotas(settings: StackSettings, share: Share) -> list[Manifest]:
    """Return the quotas of a share, in one resource group: from two, pods would get the selectors of two flavors."""
    amounts: Mapping[str, Amounts] = {
        HEADS_FLAVOR: _of_heads(settings, share.heads),
        **{flavor_of(group): _of_slices(group, share.slices.get(group.name, 0)) for group in settings.slices},
    }
    flavors = [
        {"name": name, "resources": [{"name": r, "nominalQuota": q} for r, q in zip(RESOURCES, of_flavor, strict=True)]}
        for name, of_flavor in amounts.items()
    ]
    return [{"coveredResources": list(RESOURCES), "flavors": flavors}]


def _of_heads(settings: StackSettings, nodes: int) -> Amounts:
    machine = settings.head.machine
    millicores = machine.allocatable_millicores * nodes
    cpus = f"{millicores}m" if millicores % 1000 else str(millicores // 1000)
    return cpus, _memory(machine.allocatable_bytes // 1024**2 * nodes), "0", str(nodes)


def _of_slices(group: SliceGroup, slices: int) -> Amounts:
    """Return the quota of slices: all that their hosts have. Pods: a worker for each host, and a head for each slice,
    as a job with its head beside its workers has one slice at least.
    """
    slice_ = group.slice
    cpus, memory_gib = (
        known or most
        for known, most in zip((slice_.machine.vcpus, slice_.machine.memory_gb), HOST_OF_UNKNOWN_SIZE, strict=True)
    )
    hosts = slices * slice_.hosts
    return str(hosts * cpus), _memory(hosts * memory_gib * 1024), str(slices * slice_.chips), str(hosts + slices)


def _memory(mebibytes: int) -> str:
    return binary_quantity(mebibytes) if mebibytes else "0"


def _object(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
