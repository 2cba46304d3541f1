"""How a stack is destroyed on purpose, where that takes more than one step."""

from __future__ import annotations

from pathways.settings import StackSettings


def steps_to_destroy(settings: StackSettings) -> tuple[str, ...]:
    """Return what to do, in order, for people and shells.

    Where something is protected the engine refuses to destroy it, and GKE refuses to delete the cluster: an update
    lifts that first. Buckets of prod stay, with their data, and are deleted by hand.
    """
    stack, protected_jobs = settings.stack, _protected_jobs(settings)
    edits = ["cluster: {deletionProtection: false}"] if settings.cluster.deletion_protection else []
    edits += [f"replaceable: [{', '.join(protected_jobs)}]"] if protected_jobs else []
    destroy = f"pulumi destroy -s {stack}"
    if settings.environment == "prod":
        destroy += " --exclude-protected"
    if not edits:
        return (destroy,)
    return (f"write {' and '.join(edits)} in the stack file", f"pulumi up -s {stack}", destroy)


def _protected_jobs(settings: StackSettings) -> list[str]:
    """Return the jobs that the engine refuses to delete, if any: with all of them named, none is."""
    jobs = [workload.name for workload in settings.workloads]
    return jobs if settings.environment == "prod" and not set(jobs) <= set(settings.replaceable) else []
