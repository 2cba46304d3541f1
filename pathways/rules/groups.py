"""Rules about multislice groups, and about jobs and the slices that they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pathways.manifests.labels import GROUP_LABEL, GROUP_SIZE_LABEL, MACHINE_TYPE_LABEL
from pathways.rules.jobs import (
    INSTANCE_TYPE_LABEL,
    TPU,
    JobSet,
    Workers,
    all_workers,
    job_name,
    tpu_selector,
    workers_of,
)
from pathways.rules.kinds import JOB_SET, JOBS, NODE_POOL
from pathways.rules.model import EVERYWHERE, OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import NodePool, pools, tpu_pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.runtime import QUEUE_LABEL

GKE_LABELS = "cloud.google.com/"


@stack_rule(
    "multislice-homogeneous",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Make all pools of a group from one description, or give the other one a group of its own.",
    source="GKE documentation, TPU multislice: equal node pools",
    uses=OF_STACKS,
)
def pools_are_alike(stack: Stack, _: Context) -> Iterator[Problem]:
    """The node pools of a multislice group are alike in machine type, topology, zone, capacity, labels, account and
    version: a job takes any of them.
    """
    first: dict[str, NodePool] = {}
    for pool in tpu_pools(stack):
        if pool.group is None:
            continue
        model = first.setdefault(pool.group, pool)
        for what, place, own, other in _differences(stack, pool, model):
            yield Problem(place, f"{what} {own}, and the pool {model.name} of the group {pool.group} has {other}.")


def _differences(stack: Stack, pool: NodePool, model: NodePool) -> Iterator[tuple[str, Value, object, object]]:
    def shape(each: NodePool) -> str | None:
        slice_ = each.slice_in(stack)
        return slice_.topology_text if slice_ else None

    compared = {
        "The machine type": (pool.machine_type, pool.machine_type.text, model.machine_type.text),
        "The topology": (pool.placement, shape(pool), shape(model)),
        "The zone": (pool.value["nodeLocations"], pool.zone, model.zone),
        "The capacity": (pool.node, _capacity(pool), _capacity(model)),
        "The service account": (
            pool.node["serviceAccount"],
            pool.node["serviceAccount"].text,
            model.node["serviceAccount"].text,
        ),
        "The version": (pool.value["version"], pool.value["version"].text, model.value["version"].text),
    }
    for what, (place, own, other) in compared.items():
        if own is not None and other is not None and own != other:
            yield what, place, own, other
    mine, theirs = pool.node["labels"], model.node["labels"]
    if mine.certain and theirs.certain:
        for key in sorted({*mine.labels(), *theirs.labels()}):
            if mine[key].content != theirs[key].content:
                yield f"The label {key}", mine[key], mine[key], theirs[key]


def _capacity(pool: NodePool) -> str | None:
    """Return the kind of capacity that the pool asks for, or None where that is not known yet."""
    told = (
        pool.node["spot"],
        pool.node["flexStart"],
        pool.node["reservationAffinity"],
        pool.value["queuedProvisioning"],
    )
    if not all(each.certain for each in told):
        return None
    asked = {
        "spot": pool.is_spot,
        f"reservation {pool.reservation}": pool.is_reserved,
        "flex start": pool.is_flex_start,
        "queued": pool.is_queued,
    }
    return " and ".join(kind for kind, wanted in asked.items() if wanted) or "on demand"


@stack_rule(
    "multislice-group-size",
    Severity.ERROR,
    [NODE_POOL],
    remedy=f"Write the number of the group's pools, spares included, as {GROUP_SIZE_LABEL} of each.",
    source="Google, Pathways on GKE: node pools of a multislice group",
    uses=OF_STACKS,
)
def group_has_its_size(stack: Stack, _: Context) -> Iterator[Problem]:
    """A multislice group has as many node pools as its size label says."""
    groups: dict[str, list[NodePool]] = {}
    undetermined = 0
    for pool in pools(stack):
        if pool.is_tpu and pool.group is not None:
            groups.setdefault(pool.group, []).append(pool)
        elif pool.node.at("labels", GROUP_LABEL).unknown or pool.machine_type.unknown:
            undetermined += 1
    for name, members in groups.items():
        possible = [str(len(members) + more) for more in range(undetermined + 1)]
        for pool in members:
            size = pool.node["labels"][GROUP_SIZE_LABEL]
            if size.text is not None and size.text not in possible:
                yield Problem(size, f"The group {name} has {len(members)} node pools, the label says {size}.")


@stack_rule(
    "multislice-count",
    Severity.ERROR,
    [*JOBS],
    remedy="Lower the number of slices, add node pools, or take other labels into the node selector.",
    source="Kubernetes: a pod without a fitting node stays pending",
    uses=OF_STACKS,
    mild_when="several jobs together want more slices than there are, and none is in a queue",
)
def enough_slices(stack: Stack, _: Context) -> Iterator[Problem]:
    """A job finds as many slices by its node selector as it wants, else it waits for ever; and so do, warned of, all
    jobs together.
    """
    labelled = [(pool, node_labels(stack, pool)) for pool in tpu_pools(stack)]
    if not labelled:
        return
    together: dict[tuple[str, ...], list[Workers]] = {}
    for workers in all_workers(stack):
        found = [pool.name for pool, labels in labelled if _selects(workers.selector, labels)]
        if workers.slices is None:
            continue
        if workers.slices > len(found):
            yield Problem(workers.at, _too_few(workers, len(found), len(labelled)))
        elif workers.job.at("metadata", "labels", QUEUE_LABEL).absent:
            together.setdefault(tuple(found), []).append(workers)
    for found_pools, several in together.items():
        wanted = sum(workers.slices or 0 for workers in several)
        if wanted > len(found_pools):
            names = ", ".join(job_name(workers.job) for workers in several)
            message = (
                f"The jobs {names} want {wanted} slices together, and there are {len(found_pools)}: some will wait."
            )
            yield Problem(several[-1].at, message, "Add slices, or put the jobs into a queue.", Severity.WARNING)


def _too_few(workers: Workers, found: int, pools: int) -> str:
    selector = ", ".join(f"{key}={text}" for key, text in sorted(workers.selector.items())) or "no selector"
    return f"{workers.slices} slices wanted, and {found} of {pools} TPU node pools fit the node selector ({selector})."


def node_labels(stack: Stack, pool: NodePool) -> Mapping[str, str]:
    """Return the labels of a pool's nodes: its own, and those that GKE gives."""
    labels = {
        **pool.node["labels"].labels(),
        "cloud.google.com/gke-nodepool": pool.name,
        INSTANCE_TYPE_LABEL: pool.machine_type.text or "",
        "topology.kubernetes.io/zone": pool.zone or "",
    }
    if slice_ := pool.slice_in(stack):
        labels.update(tpu_selector(slice_))
        labels["cloud.google.com/gke-accelerator-count"] = str(slice_.chips_per_host)
    if pool.is_spot:
        labels["cloud.google.com/gke-spot"] = "true"
    if pool.reservation:
        labels["cloud.google.com/reservation-name"] = pool.reservation
    return labels


def _selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == text for key, text in selector.items())


@resource_rule(
    "multislice-needs-multi-host",
    Severity.ERROR,
    [*JOBS],
    remedy="Take slices of several hosts, or one slice.",
    source="GKE documentation, TPU multislice: multi-host slices only",
    uses=EVERYWHERE,
    mild_when="Pathways drives the slices: people do run it",
)
def multislice_has_several_hosts(job: Value, _: Context) -> Iterator[Problem]:
    """A job of several slices has slices of several hosts: GKE does not wire up single-host slices for multislice."""
    for workers in workers_of(job):
        if workers.slice is None or workers.slice.multi_host or (workers.slices or 0) < 2:
            continue
        shape = f"{workers.slices} slices {workers.slice.topology_text} of {workers.slice.machine_type}"
        yield Problem(
            workers.at,
            f"{shape}, each a single host.",
            severity=Severity.WARNING if workers.pathways else None,
        )


@resource_rule(
    "multislice-bound-to-group",
    Severity.WARNING,
    [JOB_SET],
    remedy="Select the group's label and add anti-affinity against other jobs' pods, or send the job to a queue.",
    source="JobSet 0.11.1 with the real scheduler: an affinity of one's own does not hold beside exclusive placement",
)
def multislice_is_bound(value: Value, _: Context) -> Iterator[Problem]:
    """A multislice job is kept to its group of slices, and others out of it, or is admitted as a whole by a queue: two
    jobs that each get half of their slices wait for each other for ever.
    """
    jobset = JobSet(value)
    if jobset.is_pathways or not value.at("metadata", "labels", QUEUE_LABEL).absent:
        return
    for job in jobset.tpu_jobs:
        bound = any(not key.startswith(GKE_LABELS) for key, _ in job.pod.selector.entries())
        apart = not job.pod.spec.at("affinity", "podAntiAffinity").absent
        if (job.replicas or 0) > 1 and not (bound and apart):
            yield Problem(
                job.value, f"The {job.replicas} slices of {job.name} may be taken one by one by several jobs."
            )


@resource_rule(
    "slice-selector-ambiguous",
    Severity.WARNING,
    [*JOBS],
    remedy=f"Add {MACHINE_TYPE_LABEL}, cloud.google.com/gke-accelerator-count or another label of the pools.",
    source="PathwaysJob controller v0.1.4: ct*-4t and ct*-8t at 2x4 get identical node selectors",
)
def selector_tells_machines_apart(job: Value, _: Context) -> Iterator[Problem]:
    """The node selector of a job tells nodes of four chips from nodes of eight, where both have slices of that
    topology: GKE labels them alike.
    """
    for workers in workers_of(job):
        if workers.slice is None:
            continue
        text = workers.slice.topology_text
        alike = [machine for machine in workers.slice.generation.machines if text in machine.topologies]
        others = set(workers.selector) - set(tpu_selector(workers.slice))
        if len(alike) > 1 and not others:
            names = " and ".join(machine.name for machine in alike)
            yield Problem(workers.at, f"{names} both have slices {text}, and nothing selects one of them ({TPU}).")
