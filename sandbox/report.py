"""What the sandbox's commands print for people."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from sandbox.cluster_view import ClusterView, JobView, PodView
from sandbox.toolchain.toolchain import kubectl
from sandbox.ways_back import way_back

if TYPE_CHECKING:  # the engine's SDK takes a second to import, and `status` does without
    from sandbox.cloud import Record
    from sandbox.engine.events import Events
    from sandbox.engine.runs import Run


WIDTH_OF_FILES = 160
CHANGING_NOTHING = ("same", "read", "refresh")
PARTS_OF_A_REPLACEMENT = ("create-replacement", "delete-replaced")


def console() -> Console:
    """Standard output: as wide as the terminal is, or wide enough for tables where it is not one."""
    made = Console()
    return made if made.is_terminal else Console(width=WIDTH_OF_FILES)


def deployed(console: Console, seen: ClusterView, spent: dict[str, float], events: Events, kubectl: list[str]) -> None:
    """Slices, jobs, where the time went, and how to look around."""
    tables(console, seen)
    times = Table(title="time", title_justify="left", show_header=False)
    for part, seconds in spent.items():
        times.add_row(part, f"{seconds:.1f} s")
    console.print(times)
    console.print(_counted(events) or "nothing to change")
    look_around(console, kubectl)


def look_around(console: Console, kubectl: list[str]) -> None:
    line = shlex.join([*kubectl, "get", "pods", "--all-namespaces", "--output=wide"])
    console.print(f"look around:\n  {line}", soft_wrap=True, highlight=False)


def tables(console: Console, seen: ClusterView) -> None:
    """One row a slice, one row a job."""
    slices = Table(
        "slice", "group", "accelerator", "topology", "hosts ready", "job", title="slices", title_justify="left"
    )
    for pool, nodes in seen.slices().items():
        first = nodes[0]
        jobs = sorted({pod.job for pod in seen.pods if pod.slice == pool})
        ready = sum(node.ready for node in nodes)
        slices.add_row(pool, first.group, first.accelerator, first.topology, f"{ready}/{len(nodes)}", ", ".join(jobs))
    jobs = Table(
        "job", "namespace", "kind", "state", "pods ready", "head on", "slices", title="jobs", title_justify="left"
    )
    for job in seen.jobs:
        pods = [pod for pod in seen.pods if (pod.job, pod.namespace) == (job.name, job.namespace)]
        ready = f"{job.pods}/{job.wanted}"
        jobs.add_row(job.name, job.namespace, job.kind, _state(job), ready, _heads(pods), _slices(pods))
    console.print(slices, jobs)
    for job in seen.jobs:
        if job.ended == "Failed" and job.kind == "JobSet":
            console.print(
                f"{job.name} failed: {job.reason}; a changed or deleted job is made anew by `up`", soft_wrap=True
            )


def _state(job: JobView) -> str:
    if job.waits_in and not job.ended:
        return f"waits in {job.waits_in}"
    return job.ended or ("Running" if job.ready else "Pending")


def _heads(pods: list[PodView]) -> str:
    return ", ".join(sorted(pod.node or "-" for pod in pods if pod.slice is None))


def _slices(pods: list[PodView]) -> str:
    return ", ".join(sorted({pod.slice for pod in pods if pod.slice}))


def status(console: Console, stack: str, running: bool, seen: ClusterView, described: dict[str, Any]) -> None:
    if not running:
        console.print(f"the sandbox of {stack} is not running; `python -m sandbox up {stack}` starts it")
        return
    tables(console, seen)
    versions = ", ".join(f"{name} {version}" for name, version in described["versions"].items())
    ports = ", ".join(f"{name} {port}" for name, port in described["ports"].items())
    console.print(f"versions: {versions}\nports: {ports}", soft_wrap=True, highlight=False)
    look_around(console, [str(kubectl().path), f"--kubeconfig={described['kubeconfig']}"])


def starting(console: Console, stack: str) -> None:
    console.print(f"the sandbox of {stack} is starting")


def changes(console: Console, events: Events) -> None:
    """One row for each resource that would change, or changed."""
    for step in events.changed:
        if step.operation in PARTS_OF_A_REPLACEMENT:
            continue
        console.print(f"  {step.operation} {step.type} {step.name}", highlight=False, soft_wrap=True)
    console.print(_counted(events) or "nothing to change")
    warnings(console, events)


def warnings(console: Console, events: Events) -> None:
    for warning in events.warnings:
        console.print(f"warning: {warning}", highlight=False, markup=False, soft_wrap=True)


def failure(console: Console, done: Run) -> int:
    """Prints each fault and the way on; returns the exit code."""
    for error in done.errors:
        console.print(f"error: {error}", highlight=False, markup=False, soft_wrap=True)
        if way := way_back(error):
            console.print(f"  {way}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"stopped after {done.seconds:.0f} s; what was made is kept, and the next run goes on from there")
    return 1


def pools_in_error(console: Console, pools: list[Record]) -> None:
    """Names each node pool that GKE could not make, why, and the way back."""
    for pool in pools:
        way = way_back(pool.status_message)
        console.print(
            f"error: node pool {pool.id.rsplit('/', 1)[-1]} is in ERROR: {pool.status_message}\n"
            "  the next `up` deletes it and makes it anew; on the real cloud, `pulumi state taint URN` has that effect"
            + (f"\n  {way}" if way else ""),
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


def destroyed(console: Console, done: Run) -> None:
    console.print(f"{_counted(done.events) or 'nothing was there'} ({done.seconds:.1f} s)")


def _counted(events: Events) -> str:
    return ", ".join(
        f"{count} {operation}"
        for operation, count in sorted(events.changes.items())
        if operation not in CHANGING_NOTHING
    )
