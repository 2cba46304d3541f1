"""logs JOB: the query that finds a job's logs, and two ways to ask it."""

from __future__ import annotations

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.logs import console_url, log_query, read_command
from pathways.settings import (
    PathwaysWorkload,
    SettingsError,
    StackNotFound,
    StackSettings,
    Workload,
    find_stack,
    known_stacks,
    load_stack_file,
)
from pathways.wording import did_you_mean, listed, nearest, quoted


def run(job: str, stack: str | None, *, head: bool, slice_: int | None, worker: int | None) -> None:
    settings, workload = _find(job, stack)
    fault = _fault(settings, workload, head, slice_, worker)
    if fault:
        raise FoundWanting(fault)
    query = log_query(settings, workload, head=head, slice_=slice_, worker=worker)
    print(f"{query}\n\n{read_command(settings, query)}\n\n{console_url(settings, query)}")


def _find(job: str, stack: str | None) -> tuple[StackSettings, Workload]:
    """Return the job of that name and its stack's settings. Without a stack all are searched."""
    try:
        paths = [find_stack(stack)] if stack else list(known_stacks().values())
        loaded = [load_stack_file(path) for path in paths]
    except SettingsError as error:
        raise FoundWanting(str(error)) from None
    except StackNotFound as error:
        raise CouldNotLook(str(error)) from None
    found = [(each, workload) for each in loaded for workload in each.workloads if workload.name == job]
    if len(found) == 1:
        return found[0]
    if found:
        stacks = listed([settings.stack for settings, _ in found])
        raise CouldNotLook(f"{quoted(job)} is a job of several stacks: {stacks}; say which with --stack")
    names = list(dict.fromkeys(workload.name for settings in loaded for workload in settings.workloads))
    meant = did_you_mean(nearest(job, names))
    raise CouldNotLook(f"{quoted(job)} is no job of {stack or 'any stack'}; legal: {listed(names) or 'none'}{meant}")


def _fault(
    settings: StackSettings, workload: Workload, head: bool, slice_: int | None, worker: int | None
) -> str | None:
    slices, hosts = workload.slices.count, settings.group(workload.slices.group).slice.hosts
    if head and not isinstance(workload, PathwaysWorkload):
        return f"{workload.name} has no head: it runs on every host by itself"
    if head and (slice_ is not None or worker is not None):
        return "the head is on no slice; take --head away, or --slice and --worker"
    if slice_ is not None and slice_ >= slices:
        return f"--slice {slice_}: {workload.name} has {slices}, 0 to {slices - 1}"
    if worker is not None and worker >= hosts:
        return f"--worker {worker}: a slice of {workload.name} has {hosts} hosts, 0 to {hosts - 1}"
    return None
