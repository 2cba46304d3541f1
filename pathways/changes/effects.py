"""What an edit does to what runs, from the program before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pathways.changes.edits import Edit
from pathways.gcp import refusal_of
from pathways.plan.components import kind_name
from pathways.plan.effects import Effect, effect_of, kind_of
from pathways.plan.groups import group_of
from pathways.plan.state import declared_state
from pathways.plan.steps import Step, Verb, is_expanded_by_provider, steps_between
from pathways.resources import Resource
from pathways.settings import StackSettings
from pathways.settings.pathways_workload import PathwaysWorkload

PARTS = ("cluster", "system pool", "head pool", "slice", "job", "bucket", "TPU VM")
"""What the plan tells the outcome of; all else is called by its kind: "Subnetwork"."""

INTERRUPTING = {Effect.RESTARTED, Effect.REMADE, Effect.DESTROYED, Effect.FORGOTTEN}


@dataclass(frozen=True)
class Effects:
    """What an edit does.

    by_part: to what, in the order of PARTS, all else after them; a job is RESTARTED where nodes that it needs go.
    guarded: parts of which the engine takes away nothing in prod until it is told to. refused: what the check of the
    stack file, or Google Cloud, says to it; "" where it can be made.
    """

    by_part: Mapping[str, tuple[Effect, ...]]
    guarded: frozenset[str] = frozenset()
    refused: str = ""

    @property
    def interrupts(self) -> bool:
        """Whether something that runs is interrupted, or data lost."""
        return any(not INTERRUPTING.isdisjoint(self.by_part.get(part, ())) for part in PARTS)


def effects_of(settings: StackSettings, before: Sequence[Resource], after: Sequence[Resource]) -> Effects:
    """Return what an update does that makes of `before`, resources as the program declared them, `after`.

    settings: those before.
    """
    steps = [
        step
        for step in steps_between(declared_state(before), after)
        if step.verb is not Verb.SAME and _exists(step.resource)
    ]
    found: dict[str, dict[Effect, None]] = {}
    for step in steps:
        found.setdefault(part_of(step.resource), {})[effect_of(step)] = None
    for install, effect in _changed_installs(before, after):
        found.setdefault(part_of(install), {})[effect] = None
        if effect is Effect.DESTROYED:
            found.setdefault("job", {Effect.DESTROYED: None})  # with the custom resource, unless they are made anew
    if _jobs_below(settings, steps):
        found.setdefault("job", {})[Effect.RESTARTED] = None
    rest = sorted(part for part in found if part not in PARTS)
    return Effects(
        by_part={part: tuple(found[part]) for part in (*PARTS, *rest) if part in found},
        guarded=frozenset(part_of(step.resource) for step in steps if step.protected),
        refused="; ".join(dict.fromkeys(_refusals(steps))),
    )


def part_of(resource: Resource) -> str:
    """Return the part of the stack that a resource is."""
    return kind_of(resource) or kind_name(resource)


def _exists(resource: Resource) -> bool:
    """Whether a resource is something outside of the engine."""
    return not resource.type.startswith("pulumi:")


def _jobs_below(settings: StackSettings, steps: Iterable[Step]) -> bool:
    """Whether jobs that stay lose nodes under them: of a slice of their group, or of their head."""
    lost = {group_of(step.resource) or part_of(step.resource) for step in steps if effect_of(step) in INTERRUPTING}
    remade = {step.resource.properties["metadata"]["name"] for step in steps if part_of(step.resource) == "job"}
    return any(
        not lost.isdisjoint(
            {
                job.slices.group,
                *(("head pool",) if isinstance(job, PathwaysWorkload) and not job.head.colocated else ()),
            }
        )
        for job in settings.workloads
        if job.name not in remade
    )


def _changed_installs(before: Iterable[Resource], after: Iterable[Resource]) -> Iterator[tuple[Resource, Effect]]:
    """Yield charts and groups of manifests that differ or go; what changes in them their provider alone knows."""
    wanted = {resource.urn: resource for resource in after}
    for resource in before:
        if is_expanded_by_provider(resource):
            if resource.urn not in wanted:
                yield resource, Effect.DESTROYED
            elif wanted[resource.urn].properties != resource.properties:
                yield resource, Effect.EDITED


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
