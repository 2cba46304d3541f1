"""What an edit does to what runs, from the program before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pathways.changes.edits import Edit
from pathways.gcp import refusal_of
from pathways.plan.components import kind_name
from pathways.plan.effects import Effect, effect_of
from pathways.plan.groups import group_of
from pathways.plan.state import State, StateResource
from pathways.plan.steps import Step, Verb, is_expanded_by_provider, steps_between
from pathways.resources import Resource
from pathways.rules.kinds import BUCKET, CLUSTER, JOBS, NODE_POOL, QUEUED_RESOURCE
from pathways.settings import StackSettings
from pathways.settings.pathways_workload import PathwaysWorkload


class Part(StrEnum):
    """What a stack is made of, as the table has it."""

    CLUSTER = "cluster"
    HEADS = "heads"
    SLICES = "slices"
    JOBS = "jobs"
    BUCKET = "bucket"
    TPU_VMS = "TPU VMs"
    REST = "the rest"


INTERRUPTING = {Effect.RESTARTED, Effect.REMADE, Effect.DESTROYED, Effect.FORGOTTEN}
_PARTS = {CLUSTER: Part.CLUSTER, BUCKET: Part.BUCKET, QUEUED_RESOURCE: Part.TPU_VMS, **dict.fromkeys(JOBS, Part.JOBS)}


@dataclass(frozen=True)
class Effects:
    """What an edit does.

    by_part: to what, in the order of Part; a job is RESTARTED where nodes that it needs go. rest: kinds of resources of
    Part.REST that are not left as they are. guarded: parts of which the engine takes away nothing in prod until it is
    told to. refused: what the check of the stack file, or Google Cloud, says to it; "" where it can be made.
    """

    by_part: Mapping[Part, tuple[Effect, ...]]
    rest: tuple[str, ...] = ()
    guarded: frozenset[Part] = frozenset()
    refused: str = ""

    @property
    def interrupts(self) -> bool:
        """Whether something that runs is interrupted, or data lost."""
        return any(part is not Part.REST and not INTERRUPTING.isdisjoint(self.by_part[part]) for part in self.by_part)


def effects_of(settings: StackSettings, before: Sequence[Resource], after: Sequence[Resource]) -> Effects:
    """Return what an update does that makes of `before`, resources as the program declared them, `after`.

    settings: those before.
    """
    state = State(settings.stack, settings.project, tuple(StateResource(each, {}) for each in before), ())
    steps = [step for step in steps_between(state, after) if step.verb is not Verb.SAME]
    found: dict[Part, dict[Effect, None]] = {}
    for step in steps:
        found.setdefault(part_of(step.resource), {})[effect_of(step)] = None
    if _jobs_below(settings, steps):
        found.setdefault(Part.JOBS, {})[Effect.RESTARTED] = None
    installs = list(_changed_installs(before, after))
    if installs:
        found.setdefault(Part.REST, {})[Effect.EDITED] = None
    rest = [step.resource for step in steps if part_of(step.resource) is Part.REST] + installs
    return Effects(
        by_part={part: tuple(found[part]) for part in Part if part in found},
        rest=tuple(sorted({kind_name(resource) for resource in rest})),
        guarded=frozenset(part_of(step.resource) for step in steps if step.protected),
        refused="; ".join(dict.fromkeys(_refusals(steps))),
    )


def part_of(resource: Resource) -> Part:
    """Return the part of the stack that a resource is."""
    if resource.type == NODE_POOL:
        return Part.HEADS if group_of(resource) is None else Part.SLICES
    return _PARTS.get(resource.kind, Part.REST)


def _jobs_below(settings: StackSettings, steps: Iterable[Step]) -> bool:
    """Whether jobs that stay lose nodes under them: of a slice of their group, or of their head."""
    lost = {
        group_of(step.resource) or Part.HEADS
        for step in steps
        if step.resource.type == NODE_POOL and effect_of(step) in INTERRUPTING
    }
    remade = {step.resource.properties["metadata"]["name"] for step in steps if part_of(step.resource) is Part.JOBS}
    return any(
        not lost.isdisjoint(
            {job.slices.group, *((Part.HEADS,) if isinstance(job, PathwaysWorkload) and not job.head.colocated else ())}
        )
        for job in settings.workloads
        if job.name not in remade
    )


def _changed_installs(before: Iterable[Resource], after: Iterable[Resource]) -> Iterator[Resource]:
    """Yield charts and groups of manifests that differ; what changes in them their provider alone knows."""
    known = {resource.urn: resource for resource in before}
    for resource in after:
        if is_expanded_by_provider(resource) and resource.urn in known:
            if resource.properties != known[resource.urn].properties:
                yield resource


def _refusals(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        for change in step.changes if step.verb is Verb.UPDATE else ():
            answer = refusal_of(step.resource.type, tuple(part for part in change.path if isinstance(part, str)))
            if answer:
                yield f"Google Cloud: {answer}"


@dataclass(frozen=True)
class Row:
    """An edit and what it does."""

    edit: Edit
    effects: Effects
