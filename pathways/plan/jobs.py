"""Jobs: what each needs, which run together, which give way to which, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pathways.manifests import overridden_paths
from pathways.plan.groups import GroupPlan
from pathways.runtime import HEAD_COMPONENTS
from pathways.settings import HeadSettings, MultisliceWorkload, PathwaysWorkload, StackSettings, Workload
from pathways.shares import shares

GIB = 1024**3


@dataclass(frozen=True)
class HeadsPlan:
    """The CPU pool of heads. A head fills a node, ports and all, so the largest number of nodes bounds the jobs.

    cpus, memory_gib: what a node leaves to pods.
    """

    machine_type: str
    min_nodes: int
    max_nodes: int
    cpus: float
    memory_gib: float


@dataclass(frozen=True)
class HeadNeed:
    """What a job's head asks of its node: resource manager, proxy, and the job's own container where it has one."""

    cpus: int
    memory_gib: float


@dataclass(frozen=True)
class JobPlan:
    """A job and its place among the others, when all are wanted at once and nothing is broken.

    chips, hosts: of all its slices. priority: value of its PriorityClass; 0 without one, as Kubernetes has it.
    waits_for: what it lacks while those that go first run; None where it runs.
    on_spares: slices that it takes beyond those that jobs may count on.
    queue: that it waits in, if any. borrowed: slices that it takes beyond those that its queue is guaranteed.
    pushes_out, gives_way_to: jobs of a lower or higher priority that share its slices, or the head nodes where they are
    fewer than the jobs. A job takes from jobs of lower priority when too little is left, also when a slice has failed;
    one in a queue from those in the same queue.
    form: "PathwaysJob" or "JobSet". recovery: what starts again when a slice fails: "inJob", "slice" or "job".
    restarts: of the whole job. resumable: Pathways can save and restore it when its nodes are taken away with notice.
    not_resumable_for: what keeps a Pathways job from that.
    overridden: paths in its manifest that the settings overwrite.
    """

    name: str
    kind: str
    mode: str
    form: str
    recovery: str
    restarts: int
    resumable: bool
    not_resumable_for: str | None
    overridden: tuple[str, ...]
    group: str
    slices: int
    chips: int
    hosts: int
    priority_class: str | None
    priority: int
    head: HeadNeed | None
    waits_for: str | None
    on_spares: int
    queue: str | None
    borrowed: int
    pushes_out: tuple[str, ...]
    gives_way_to: tuple[str, ...]

    @property
    def runs(self) -> bool:
        return self.waits_for is None


@dataclass(frozen=True)
class Occupancy:
    """Slices of a group when all jobs are wanted at once. free: spares included."""

    group: str
    used: int
    free: int


def plan_heads(head: HeadSettings) -> HeadsPlan:
    """Return what the head pool offers."""
    machine = head.machine
    return HeadsPlan(
        machine_type=machine.name,
        min_nodes=head.min_nodes,
        max_nodes=head.max_nodes,
        cpus=machine.allocatable_millicores / 1000,
        memory_gib=machine.allocatable_bytes / GIB,
    )


def plan_jobs(
    settings: StackSettings, groups: Sequence[GroupPlan]
) -> tuple[tuple[JobPlan, ...], tuple[Occupancy, ...]]:
    """Return the jobs in the order of the settings, and how full their groups are.

    Slices and head nodes go to the job of the highest priority first, among equals to the first of the file. Where
    there are queues, jobs within what their queues are guaranteed come before others, and spares are left alone.
    """
    free = {group.name: group.count if settings.queues else len(group.pools) for group in groups}
    used = dict.fromkeys(free, 0)
    heads = settings.head.max_nodes
    waiting: dict[str, str | None] = {}
    on_spares: dict[str, int] = {}
    running: list[Workload] = []
    borrowed = _borrowed(settings)
    for workload in sorted(settings.workloads, key=lambda job: (borrowed[job.name] > 0, -settings.priority_value(job))):
        name, group, wanted = workload.name, workload.slices.group, workload.slices.count
        left = heads if _takes_head_node(workload) else None
        waiting[name] = _kept_out(workload, running) or _lack(group, wanted, free[group], left, settings.head.max_nodes)
        on_spares[name] = 0
        if waiting[name] is None:
            running.append(workload)
            free[group] -= wanted
            used[group] += wanted
            heads -= _takes_head_node(workload)
            on_spares[name] = max(0, min(wanted, used[group] - settings.group(group).count))
    jobs = tuple(
        _job_plan(workload, settings, waiting[workload.name], on_spares[workload.name], borrowed[workload.name])
        for workload in settings.workloads
    )
    return jobs, tuple(Occupancy(g.name, used[g.name], len(g.pools) - used[g.name]) for g in groups)


def _borrowed(settings: StackSettings) -> dict[str, int]:
    """Return by job how many slices it takes beyond what its queue is guaranteed; the most urgent are served first."""
    left = {name: dict(share.slices) for name, share in shares(settings).guaranteed.items()}
    borrowed = {}
    for workload in sorted(settings.workloads, key=lambda each: -settings.priority_value(each)):
        group, wanted = workload.slices.group, workload.slices.count
        own = left.get(workload.queue or "", {group: wanted})
        borrowed[workload.name] = max(0, wanted - own.get(group, 0))
        own[group] = max(0, own.get(group, 0) - wanted)
    return borrowed


def _kept_out(workload: Workload, running: Sequence[Workload]) -> str | None:
    """Return what keeps a job out of its group: a multislice job has its group to itself, unless it says otherwise."""
    in_group = [other for other in running if other.slices.group == workload.slices.group]
    for other in in_group:
        if _has_group_to_itself(other):
            return f"{other.name}, which has group {other.slices.group} to itself"
    if in_group and _has_group_to_itself(workload):
        return f"{in_group[0].name}, as it has group {workload.slices.group} to itself"
    return None


def _has_group_to_itself(workload: Workload) -> bool:
    return isinstance(workload, MultisliceWorkload) and workload.has_group_to_itself


def _lack(group: str, wanted: int, free: int, heads: int | None, all_heads: int) -> str | None:
    """Return what a job lacks. heads: nodes that are left for its head; None where it needs none."""
    if wanted > free:
        return f"{wanted} slices of {group}, {free} free"
    if heads == 0:
        return f"a node for its head, {all_heads} at most"
    return None


def _job_plan(
    workload: Workload, settings: StackSettings, waits_for: str | None, on_spares: int, borrowed: int
) -> JobPlan:
    slice_ = settings.group(workload.slices.group).slice
    priority, obstacle = settings.priority_value(workload), _obstacle_to_resuming(workload, settings)
    with_head = [each for each in settings.workloads if _takes_head_node(each)]
    heads_are_short = len(with_head) > settings.head.max_nodes
    sharing = [
        other
        for other in settings.workloads
        if other.name != workload.name
        and other.queue == workload.queue
        and (
            other.slices.group == workload.slices.group
            or (heads_are_short and other in with_head and workload in with_head)
        )
    ]
    return JobPlan(
        name=workload.name,
        kind=workload.kind,
        mode=workload.mode if isinstance(workload, PathwaysWorkload) else "batch",
        form=_form(workload, settings),
        recovery=workload.recovery if isinstance(workload, PathwaysWorkload) else "job",
        restarts=workload.job_restarts,
        resumable=isinstance(workload, PathwaysWorkload) and obstacle is None,
        not_resumable_for=obstacle,
        overridden=tuple(overridden_paths(patch)) if (patch := workload.overrides.patch) else (),
        group=workload.slices.group,
        slices=workload.slices.count,
        chips=workload.slices.count * slice_.chips,
        hosts=workload.slices.count * slice_.hosts,
        priority_class=workload.priority,
        priority=priority,
        head=_head_need(workload),
        waits_for=waits_for,
        on_spares=on_spares,
        queue=workload.queue,
        borrowed=borrowed,
        pushes_out=tuple(other.name for other in sharing if settings.priority_value(other) < priority),
        gives_way_to=tuple(other.name for other in sharing if settings.priority_value(other) > priority),
    )


def _obstacle_to_resuming(workload: Workload, settings: StackSettings) -> str | None:
    """Return what keeps Pathways from saving a job to the scratch bucket and restoring it from there."""
    if not isinstance(workload, PathwaysWorkload):
        return None
    if workload.components.sidecar:
        return "it has colocated Python"
    return None if settings.scratch.enabled else "there is no scratch bucket"


def _form(workload: Workload, settings: StackSettings) -> str:
    by_controller = isinstance(workload, PathwaysWorkload) and settings.install.pathways_job.enabled
    return "PathwaysJob" if by_controller else "JobSet"


def _takes_head_node(workload: Workload) -> bool:
    """Whether a job's head fills a node of the head pool."""
    return isinstance(workload, PathwaysWorkload) and not workload.head.colocated


def _head_need(workload: Workload) -> HeadNeed | None:
    """Return what a job's head asks for; None where it has none."""
    if not isinstance(workload, PathwaysWorkload):
        return None
    cpus = sum(component.cpus for component in HEAD_COMPONENTS)
    memory = sum(component.memory_bytes for component in HEAD_COMPONENTS)
    if workload.mode == "batch":
        cpus += workload.resources.cpus
        memory += workload.resources.memory_bytes
    return HeadNeed(cpus, round(memory / GIB, 1))
