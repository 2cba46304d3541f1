"""Heads that run beside workers."""

from __future__ import annotations

from pathways.runtime import COLOCATED_HEAD_PREFIX
from pathways.settings import PathwaysWorkload, StackSettings

TPU_TOLERATION = {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}
"""A head asks for no TPU, so nothing but this lets it onto a TPU node."""


def head_priority_class(workload: PathwaysWorkload) -> str | None:
    """Return the PriorityClass of a job's head."""
    return colocated_head_class(workload) if workload.head.colocated else workload.priority


def colocated_head_class(workload: PathwaysWorkload) -> str:
    return f"{COLOCATED_HEAD_PREFIX}{workload.name}"


def colocated_head_priorities(settings: StackSettings) -> dict[str, int]:
    """Return name and value of the PriorityClasses that colocated heads need.

    JobSet keeps jobs of one priority apart, node pool by node pool, and counts the head: with the priority of its
    workers, one slice finds no pool free and waits for ever. So the head has the next higher value that is free.
    Source: JobSet 0.11.1, exclusive placement, as it runs.
    """
    taken = set(settings.priorities.values())
    colocated = [job for job in settings.workloads if isinstance(job, PathwaysWorkload) and job.head.colocated]
    values = {}
    for job in colocated:
        value = settings.priority_value(job) + 1
        while value in taken:
            value += 1
        taken.add(value)
        values[colocated_head_class(job)] = value
    return values
