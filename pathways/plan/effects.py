"""What steps do to what runs: slices, heads, jobs, data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pathways.gcp import Action, Change, format_path
from pathways.gke import CHANGED_ON_LIVING_NODES
from pathways.manifests.labels import SYSTEM_LABELS
from pathways.plan.groups import group_of, pool_name
from pathways.plan.steps import Step, Verb
from pathways.resources import Resource
from pathways.rules.kinds import BUCKET, CLUSTER, JOBS, NODE_POOL, QUEUED_RESOURCE
from pathways.tpu import catalog


class Effect(StrEnum):
    """What becomes of something that exists or is to exist, as people say it."""

    KEPT = "unchanged"
    MADE = "made"
    EDITED = "changed while it runs"
    RESTARTED = "all its nodes made anew"
    REMADE = "destroyed and made again"
    DESTROYED = "destroyed"
    FORGOTTEN = "left behind, out of the state"


_FATAL = {Effect.RESTARTED, Effect.REMADE, Effect.DESTROYED, Effect.FORGOTTEN}

_NODES_MADE_ANEW = {"networkConfig", "nodeConfig", "nodeLocations", "version"}
"""Parts of a node pool that GKE changes by making nodes anew: other machines, or the same elsewhere."""

_NOUN = {CLUSTER: "cluster", BUCKET: "bucket", QUEUED_RESOURCE: "TPU VM"}


@dataclass(frozen=True)
class Outcome:
    """What becomes of a cluster, node pool, TPU VM, bucket or job.

    kind: "cluster", "slice", "head pool", "system pool", "TPU VM", "bucket" or "job". name: of what exists, else of
    what will; in Google Cloud or Kubernetes. group: of a slice. chips_before, chips_after: of a slice at its full size.
    why: what leads to it. protected: the engine refuses. allowed: someone has said by name that it may go.
    """

    kind: str
    name: str
    resource: str
    group: str | None
    chips_before: int
    chips_after: int
    effect: Effect
    why: tuple[str, ...]
    protected: bool
    allowed: bool

    @property
    def fatal(self) -> bool:
        """Whether what runs on it now is interrupted, or its data lost."""
        return self.effect in _FATAL


def outcomes(steps: Iterable[Step], allowed: Collection[str] = ()) -> tuple[Outcome, ...]:
    """Return what becomes of every cluster, node pool, TPU VM, bucket and job.

    allowed: names that may go: of the thing itself, of its Pulumi resource, or of a slice's group.
    """
    return tuple(_outcomes(steps, set(allowed)))


def _outcomes(steps: Iterable[Step], allowed: set[str]) -> Iterator[Outcome]:
    for step in steps:
        existing = step.before or step.resource
        kind = kind_of(existing)
        if kind is not None:
            name, group = _name(existing), group_of(existing)
            yield Outcome(
                kind=kind,
                name=name,
                resource=existing.name,
                group=group,
                chips_before=_chips(step.before) if step.before else 0,
                chips_after=0 if step.verb in (Verb.DESTROY, Verb.FORGET) else _chips(step.resource),
                effect=effect_of(step),
                why=_why(step),
                protected=step.protected,
                allowed=not allowed.isdisjoint({name, existing.name, group or name}),
            )


def effect_of(step: Step) -> Effect:
    """Return what a step does to what runs."""
    match step.verb:
        case Verb.CREATE:
            return Effect.MADE
        case Verb.REPLACE:
            return Effect.REMADE
        case Verb.DESTROY:
            return Effect.DESTROYED
        case Verb.FORGET:
            return Effect.FORGOTTEN
        case Verb.UPDATE:
            restarts = any(_restarts_nodes(step.resource, change) for change in step.changes)
            return Effect.RESTARTED if restarts else Effect.EDITED
    return Effect.KEPT


def losses(found: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes that interrupt what runs or lose data, and that no one has allowed."""
    return tuple(outcome for outcome in found if outcome.fatal and not outcome.allowed)


def _restarts_nodes(resource: Resource, change: Change) -> bool:
    """Whether an update in place makes GKE create the nodes of a pool anew."""
    part, *below = change.path
    if resource.type != NODE_POOL or part not in _NODES_MADE_ANEW or change.action is Action.IGNORED:
        return False
    return part != "nodeConfig" or not below or below[0] not in CHANGED_ON_LIVING_NODES


def kind_of(resource: Resource) -> str | None:
    """Return what Outcome calls a resource; None of what is none of its kinds."""
    if resource.type == NODE_POOL:
        return "slice" if group_of(resource) is not None else _cpu_pool(resource)
    return "job" if resource.kind in JOBS else _NOUN.get(resource.type)


def _cpu_pool(resource: Resource) -> str:
    config = resource.properties.get("nodeConfig")
    labels = config.get("labels") if isinstance(config, dict) else None
    is_system = isinstance(labels, dict) and labels.items() >= SYSTEM_LABELS.items()
    return "system pool" if is_system else "head pool"


def _name(resource: Resource) -> str:
    if resource.type == NODE_POOL:
        return pool_name(resource)
    metadata = resource.properties.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else resource.properties.get("name")
    return name if isinstance(name, str) else resource.name


def _chips(resource: Resource) -> int:
    """Return the chips of a pool at its full size; 0 of what has none, or none that is known."""
    config, scaling = resource.properties.get("nodeConfig"), resource.properties.get("autoscaling")
    machine_type = config.get("machineType") if isinstance(config, dict) else None
    most = scaling.get("maxNodeCount") if isinstance(scaling, dict) else None
    nodes = resource.properties.get("nodeCount") or most
    if not isinstance(machine_type, str) or machine_type not in catalog().machines or not isinstance(nodes, int):
        return 0
    return catalog().machines[machine_type].chips * nodes


def _why(step: Step) -> tuple[str, ...]:
    if step.verb is Verb.DESTROY:
        return ("it is not declared any more",)
    return step.reasons or tuple(format_path(change.path) for change in step.changes)
