"""Rules about Kueue's queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from pathways.quantities import parse_quantity
from pathways.rules.groups import node_labels
from pathways.rules.heads import head_demand
from pathways.rules.jobs import TPU, job_name, workers_of
from pathways.rules.kinds import CLUSTER_QUEUE, JOBS, LOCAL_QUEUE, RESOURCE_FLAVOR
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.runtime import QUEUE_LABEL
from pathways.wording import among, sentence

HEAD_RESOURCES = ("cpu", "memory")


@resource_rule(
    "queue-covers-heads",
    Severity.ERROR,
    [CLUSTER_QUEUE],
    remedy="Cover cpu and memory in the same resource group, with a flavor for head nodes.",
    source="GoogleCloudPlatform/cluster-toolkit#5645; Kueue: a workload is admitted when all it asks for has quota",
)
def heads_are_covered(queue: Value, _: Context) -> Iterator[Problem]:
    """A queue with quota for TPUs has quota for CPUs and memory too: a Pathways head asks for both, and is never
    admitted otherwise.
    """
    groups = queue.at("spec", "resourceGroups")
    covered = {name for group in groups.items() for name in group["coveredResources"].texts()}
    missing = [name for name in HEAD_RESOURCES if name not in covered]
    if TPU in covered and missing and groups.certain:
        place = next(group["coveredResources"] for group in groups.items() if TPU in group["coveredResources"].texts())
        yield Problem(place, f"The quota covers {', '.join(sorted(covered))}, and not {' and '.join(missing)}.")


@resource_rule(
    "queue-one-resource-group",
    Severity.WARNING,
    [CLUSTER_QUEUE],
    remedy="Write one resource group with cpu, memory and google.com/tpu, and two flavors in it.",
    source="GoogleCloudPlatform/cluster-toolkit#5841",
)
def one_resource_group(queue: Value, _: Context) -> Iterator[Problem]:
    """TPUs, CPUs and memory are in one resource group: from two groups a pod gets the node selectors of both flavors,
    and no node has both.
    """
    groups = queue.at("spec", "resourceGroups").items()
    of_tpus = [group for group in groups if TPU in group["coveredResources"].texts()]
    of_heads = [group for group in groups if set(HEAD_RESOURCES) & set(group["coveredResources"].texts())]
    if of_tpus and of_heads and of_tpus[0].path != of_heads[0].path:
        yield Problem(of_heads[0], "TPUs are in one resource group, CPUs and memory in another.")


@resource_rule(
    "queue-flavors-complete",
    Severity.ERROR,
    [CLUSTER_QUEUE],
    remedy="List the covered resources, in their order, in each flavor; 0 is a quota.",
    source="Kueue: its webhook compares the lists",
)
def flavors_are_complete(queue: Value, _: Context) -> Iterator[Problem]:
    """Each flavor of a resource group has a quota for each resource that the group covers, in the same order."""
    for group in queue.at("spec", "resourceGroups").items():
        covered = group["coveredResources"]
        for flavor in group["flavors"].items():
            names = [resource["name"].text for resource in flavor["resources"].items()]
            if covered.certain and flavor.certain and names != covered.texts() and None not in names:
                have, want = ", ".join(map(str, names)) or "nothing", ", ".join(covered.texts())
                yield Problem(flavor, f"The flavor {flavor['name']} has quota for {have}; covered are {want}.")


@stack_rule(
    "queue-references",
    Severity.ERROR,
    [CLUSTER_QUEUE, LOCAL_QUEUE, *JOBS],
    remedy="Correct the name, or declare what it names.",
    source="Kueue: a queue whose parts are missing stays inactive",
)
def references_are_kept(stack: Stack, _: Context) -> Iterator[Problem]:
    """What queues and jobs name exists: flavors of a ClusterQueue, the ClusterQueue of a LocalQueue, the LocalQueue of
    a job. Names are held against the resources of that kind, where there are any.
    """
    names = {kind: _names(stack, kind) for kind in (RESOURCE_FLAVOR, CLUSTER_QUEUE, LOCAL_QUEUE)}
    in_order = {kind: sorted(known) for kind, known in names.items()}
    for place, kind in _references(stack):
        if place.text and names[kind] and place.text not in names[kind]:
            there_are = among(place.text, in_order[kind])
            yield Problem(place, sentence(f"{place} is no {kind.rpartition('/')[2]}; {there_are}"))


def _references(stack: Stack) -> Iterator[tuple[Value, str]]:
    """Yield every name that is referred to, and the kind of what it should be."""
    for queue in stack.each(CLUSTER_QUEUE):
        for group in queue.at("spec", "resourceGroups").items():
            for flavor in group["flavors"].items():
                yield flavor["name"], RESOURCE_FLAVOR
    for local in stack.each(LOCAL_QUEUE):
        yield local.at("spec", "clusterQueue"), CLUSTER_QUEUE
    for job in stack.each(*JOBS):
        yield job.at("metadata", "labels", QUEUE_LABEL), LOCAL_QUEUE


def _names(stack: Stack, kind: str) -> frozenset[str]:
    """Return the names of all resources of a kind; none where some are not known, since any may be meant."""
    names = [value.at("metadata", "name").text for value in stack.each(kind)]
    return frozenset(name for name in names if name) if None not in names else frozenset()


@dataclass
class _Quota:
    """What a ClusterQueue has in all, by resource. elastic: whether it can borrow."""

    amounts: dict[str, Fraction] = field(default_factory=dict)
    elastic: bool = False


@stack_rule(
    "queue-admits-jobs",
    Severity.ERROR,
    [*JOBS],
    remedy="Raise the quota, or lower what the job asks for.",
    source="Kueue: a job that asks for more than the quota is never admitted",
)
def quota_admits(stack: Stack, _: Context) -> Iterator[Problem]:
    """The quota of the queue that a job is sent to suffices for the job alone: head and workers."""
    quotas = {name: _quota(queue) for queue in stack.each(CLUSTER_QUEUE) if (name := queue.at("metadata", "name").text)}
    queues = {
        local.at("metadata", "name").text: local.at("spec", "clusterQueue").text for local in stack.each(LOCAL_QUEUE)
    }
    for job in stack.each(*JOBS):
        label = job.at("metadata", "labels", QUEUE_LABEL)
        quota = quotas.get(queues.get(label.text) or "")
        if label.text is None or quota is None or quota.elastic:
            continue
        for resource, wanted in _wanted(job).items():
            held = quota.amounts.get(resource)
            if held is not None and wanted > held:
                message = f"{job_name(job)} asks for {float(wanted):,g} of {resource}, its queue has {float(held):,g}."
                yield Problem(label, message)


def _quota(queue: Value) -> _Quota:
    spec = queue["spec"]
    found = _Quota(elastic=not spec["cohort"].absent or not spec["cohortName"].absent)
    for group in spec["resourceGroups"].items():
        for flavor in group["flavors"].items():
            for resource in flavor["resources"].items():
                amount, name = parse_quantity(resource["nominalQuota"].content), resource["name"].text
                if amount is None or name is None:
                    found.elastic = True
                else:
                    found.amounts[name] = found.amounts.get(name, Fraction(0)) + amount
    return found


def _wanted(job: Value) -> dict[str, Fraction]:
    wanted: dict[str, Fraction] = {}
    chips = [each.slices * each.slice.chips for each in workers_of(job) if each.slices and each.slice]
    if chips:
        wanted[TPU] = Fraction(sum(chips))
    demand, _ = head_demand(job)
    if demand:
        wanted["cpu"], wanted["memory"] = Fraction(sum(demand.cpus)), Fraction(sum(demand.memory))
    return wanted


@stack_rule(
    "flavor-finds-nodes",
    Severity.ERROR,
    [RESOURCE_FLAVOR],
    remedy="Write labels that nodes of a pool have.",
    source="Cluster Toolkit and XPK: the flavor of heads selects cloud.google.com/gke-nodepool cpu-np",
    uses=OF_STACKS,
)
def flavor_selects_nodes(stack: Stack, _: Context) -> Iterator[Problem]:
    """The node labels of a flavor are those of some node pool of the stack, if it has any: pods of that flavor would
    find no node.
    """
    labels = [node_labels(stack, pool) for pool in pools(stack)]
    for flavor in stack.each(RESOURCE_FLAVOR):
        wanted = flavor.at("spec", "nodeLabels")
        selector = wanted.labels()
        if labels and selector and not any(all(each.get(key) == selector[key] for key in selector) for each in labels):
            shown = ", ".join(f"{key}={text}" for key, text in selector.items())
            yield Problem(wanted, f"No node pool has the labels {shown}.")
