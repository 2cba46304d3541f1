"""Rules about Pathways heads, and the nodes that they run on."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.heads import HeadDemand
from pathways.manifests.controller.job import ACCELERATOR_LABEL
from pathways.manifests.controller.jobset import HOST_LABEL
from pathways.quantities import parse_quantity
from pathways.rules.jobs import (
    INSTANCE_TYPE_LABEL,
    JobSet,
    PathwaysJob,
    ReplicatedJob,
    all_workers,
    is_pathways,
    job_name,
    requested,
)
from pathways.rules.kinds import JOB_SET, JOBS, NODE_POOL, PATHWAYS_JOB
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import NodePool, pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.tpu import cpu_machines

HEAD_SIZE = "PathwaysJob controller v0.1.4: limits of its containers; GKE documentation, Plan GKE Standard node sizes"


@stack_rule(
    "head-pool-untainted",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Keep one CPU node pool without any taint.",
    source="PathwaysJob controller v0.1.4: a headless head can be given no toleration; GKE taints TPU nodes",
    uses=OF_STACKS,
)
def some_pool_is_open(stack: Stack, _: Context) -> Iterator[Problem]:
    """A stack with node pools has an untainted CPU pool: controllers and headless heads have nowhere else to run."""
    found = [pool for pool in pools(stack) if not pool.is_tpu]
    if any(not pool.tainted for pool in found):
        return
    if found:
        yield Problem(found[0].node["taints"], f"Every CPU node pool is tainted ({', '.join(p.name for p in found)}).")
    else:
        first = next(pools(stack), None)
        if first is not None:
            yield Problem(
                first.machine_type, "There are TPU node pools alone, which GKE taints.", "Add a CPU node pool."
            )


@stack_rule(
    "head-pool-sized",
    Severity.ERROR,
    [*JOBS],
    remedy="Take a larger machine type for heads, such as n2-standard-64.",
    source=HEAD_SIZE,
    uses=OF_STACKS,
)
def some_node_is_large_enough(stack: Stack, _: Context) -> Iterator[Problem]:
    """Some untainted CPU node has room for each head: resource manager, proxy and the job's own containers together."""
    machines = [(pool, pool.cpu_machine) for pool in pools(stack) if not pool.is_tpu and not pool.tainted]
    if not machines or any(machine is None for _, machine in machines):
        return
    for job in stack.each(*JOBS):
        demand, place = head_demand(job)
        if demand and not any(machine and demand.fits(machine) for _, machine in machines):
            largest = max((machine for _, machine in machines if machine), key=lambda each: each.memory_gb)
            yield Problem(place, f"The head of {job_name(job)}: {demand.excess_over(largest)}.")


@resource_rule(
    "head-machine-sized",
    Severity.ERROR,
    [*JOBS],
    remedy="Select a larger machine type, such as n2-standard-64.",
    source=HEAD_SIZE,
)
def selected_machine_is_large_enough(job: Value, _: Context) -> Iterator[Problem]:
    """A head that is bound to a machine type fits on it."""
    demand, _place = head_demand(job)
    if demand is None:
        return
    for selector in [PathwaysJob(job).pod.selector, *(each.pod.selector for each in JobSet(job).heads)]:
        machine = cpu_machines().get(selector[INSTANCE_TYPE_LABEL].text or "")
        if machine and not demand.fits(machine):
            yield Problem(selector[INSTANCE_TYPE_LABEL], f"The head of {job_name(job)}: {demand.excess_over(machine)}.")


def head_demand(job: Value) -> tuple[HeadDemand | None, Value]:
    """Return what a Pathways head asks of a CPU node, and where the job says so; None where it needs none."""
    if job.resource.kind == PATHWAYS_JOB:
        pathways = PathwaysJob(job)
        if pathways.colocated:
            return None, job
        own = None if pathways.headless else (pathways.pod.asks("cpu"), pathways.pod.asks("memory"))
        return HeadDemand.of_controller(own), pathways.controller
    heads = JobSet(job).heads
    if not heads or heads[0].pod.selector[ACCELERATOR_LABEL].present:
        return None, job
    containers = heads[0].pod.containers
    cpus = [amount for each in containers if (amount := requested(each, "cpu"))]
    memory = [amount for each in containers if (amount := requested(each, "memory"))]
    return HeadDemand(tuple(cpus), tuple(memory)), heads[0].value


@stack_rule(
    "heads-fit-at-once",
    Severity.WARNING,
    [*JOBS],
    remedy="Raise the largest number of head nodes.",
    source="Heads use the host network and its fixed ports: one node carries one head",
    uses=OF_STACKS,
)
def enough_head_nodes(stack: Stack, _: Context) -> Iterator[Problem]:
    """There are as many head nodes as Pathways jobs that may run at once: slices idle behind a head that waits.

    Nodes that are too small for any of the heads do not count.
    """
    found = (workers for workers in all_workers(stack) if workers.pathways and head_demand(workers.job)[0])
    jobs = {job_name(workers.job): workers for workers in found}
    demands = [demand for workers in jobs.values() if (demand := head_demand(workers.job)[0])]
    counts = [pool.largest_count for pool in pools(stack) if _has_room(pool, demands)]
    if not jobs or not counts or None in counts:
        return
    nodes = sum(count for count in counts if count is not None)
    if nodes < len(jobs):
        last = list(jobs.values())[-1]
        yield Problem(last.job, f"{len(jobs)} Pathways jobs, and {nodes} nodes for their heads at most.")


def _has_room(pool: NodePool, demands: list[HeadDemand]) -> bool:
    """Whether some head may run on a node of the pool, as far as can be told."""
    if pool.is_tpu or pool.tainted:
        return False
    return pool.cpu_machine is None or any(demand.fits(pool.cpu_machine) for demand in demands)


@resource_rule(
    "head-completes",
    Severity.WARNING,
    [JOB_SET],
    remedy="Make resource manager and proxy init containers with restartPolicy Always.",
    source="Kubernetes documentation, Sidecar containers; PathwaysJob controller v0.1.4",
)
def head_can_complete(value: Value, _: Context) -> Iterator[Problem]:
    """Resource manager and proxy are sidecars of the job's own container: as ordinary containers they never end, and
    neither does the head.
    """
    jobset = JobSet(value)
    for head in jobset.heads if jobset.tpu_jobs else ():
        own = [container for container in head.pod.main if not is_pathways(container)]
        servers = [container for container in head.pod.main if is_pathways(container)]
        if own and servers:
            names = " and ".join(str(container["name"]) for container in servers)
            yield Problem(servers[0], f"{names} are ordinary containers: they run on when {own[0]['name']} has ended.")


@resource_rule(
    "head-memory-reserved",
    Severity.ERROR,
    [*JOBS],
    remedy="Write memory requests or limits: 32G for the resource manager, 100G for the proxy, and the job's own.",
    source="PathwaysJob controller v0.1.4: limits of its containers; exit code 137 on small nodes",
    mild_when="it is the job's own container",
)
def memory_is_reserved(job: Value, _: Context) -> Iterator[Problem]:
    """The containers of a head say how much memory they need: otherwise the head lands on any small node, and is killed
    there.
    """
    if job.resource.kind == PATHWAYS_JOB:
        yield from _unreserved(PathwaysJob(job).pod.main)
        return
    jobset = JobSet(job)
    for head in jobset.heads if jobset.tpu_jobs else ():
        servers = [container for container in head.pod.sidecars if is_pathways(container)]
        yield from _unreserved([*servers, *head.pod.main])


def _unreserved(containers: list[Value]) -> Iterator[Problem]:
    for container in containers:
        resources = container["resources"]
        amounts = (resources.at(kind, "memory") for kind in ("requests", "limits"))
        if resources.certain and not any(parse_quantity(amount.content) for amount in amounts):
            message = f"The container {container['name']} of the head asks for no memory."
            if is_pathways(container):
                yield Problem(resources, message)
            else:
                yield Problem(resources, message, "Write a memory request or limit.", Severity.WARNING)


@resource_rule(
    "head-alone-on-its-node",
    Severity.WARNING,
    [JOB_SET],
    remedy=f"Annotate the head's replicated job with exclusive topology {HOST_LABEL}, or declare its ports.",
    source="On the host network every port is the node's: 29000 to 29002",
)
def head_is_alone(value: Value, _: Context) -> Iterator[Problem]:
    """Two heads on the host network never share a node: the second one finds the ports taken."""
    jobset = JobSet(value)
    for head in jobset.heads if jobset.tpu_jobs else ():
        if head.pod.spec["hostNetwork"].is_true and not jobset.exclusive_topology(head) and not _declares_ports(head):
            yield Problem(head.value, f"Nothing keeps a second head off the node of {head.name}.")


def _declares_ports(head: ReplicatedJob) -> bool:
    return any(container["ports"].items() for container in head.pod.containers)
