"""What an update would do, resource by resource: the engine's decisions, made without it.

Source: Pulumi's engine, step generator; the providers' part is in pathways.gcp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pathways.gcp import Action, Change, format_path
from pathways.plan.comparison import GOOGLE_PROVIDER, Projects, compare
from pathways.plan.state import State, StateResource
from pathways.resources import KUBERNETES, Resource


class Verb(StrEnum):
    """What happens to a resource."""

    SAME = "same"
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DESTROY = "destroy"
    FORGET = "forget"
    """It leaves the state and goes on to exist: retainOnDelete."""


@dataclass(frozen=True)
class Step:
    """What happens to one resource, and why.

    resource: as it is asked for now; as it was, where it goes. before: as it was, None where it is new.
    reasons: one text a cause of a replacement. protected: the engine refuses to replace or destroy it.
    """

    verb: Verb
    resource: Resource
    before: Resource | None
    changes: tuple[Change, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def protected(self) -> bool:
        return self.before is not None and self.before.options.protect and self.takes_away

    @property
    def takes_away(self) -> bool:
        """Whether what exists now goes."""
        return self.verb in (Verb.REPLACE, Verb.DESTROY)

    @property
    def ignored_changes(self) -> tuple[Change, ...]:
        """Changes that are planned as an update and that the provider then does not send."""
        return tuple(change for change in self.changes if change.action is Action.IGNORED)


def steps_between(state: State, resources: Sequence[Resource]) -> tuple[Step, ...]:
    """Return a step for each resource that is declared, in order, then one for each that goes, the newest first.

    Components of the program have none. What a chart or a group of manifests consists of, and what changes in it, its
    provider alone knows: as a whole it is made, or made again with its cluster.
    """
    projects = Projects(_project(each.resource for each in state.resources), _project(resources))
    steps: list[Step] = []
    replaced: dict[str, Step] = {}
    for resource in resources:
        if resource.custom or is_expanded_by_provider(resource):
            step = _declared(_existing(state, resource), resource, projects, replaced)
            steps.append(step)
            if step.verb is Verb.REPLACE:
                replaced[resource.urn] = step
    return (*steps, *_gone(state, resources))


def is_expanded_by_provider(resource: Resource) -> bool:
    """Whether a provider makes a component's children: a chart, a group of manifests."""
    return not resource.custom and resource.type.startswith(KUBERNETES)


def _project(resources: Iterable[Resource]) -> str:
    """Return the project of the Google Cloud provider, "" where there is none."""
    found = (each.properties.get("project") for each in resources if each.type == GOOGLE_PROVIDER)
    return next((project for project in found if isinstance(project, str)), "")


def _existing(state: State, resource: Resource) -> StateResource | None:
    for urn in (resource.urn, *resource.options.aliases):
        if urn in state.by_urn:
            return state.by_urn[urn]
    return None


def _declared(old: StateResource | None, new: Resource, projects: Projects, replaced: dict[str, Step]) -> Step:
    if old is None:
        return Step(Verb.CREATE, new, None)
    untold = {
        key: _names(gone)
        for key, urns in new.options.property_dependencies.items()
        if (
            gone := [
                step for urn in urns if (step := replaced.get(urn)) and step.resource.options.delete_before_replace
            ]
        )
    }
    changes = tuple(compare(old, new, projects, untold)) if new.custom else ()
    reasons = [*_own_reasons(changes), *_foreign_reasons(new, replaced)]
    verb = Verb.REPLACE if reasons else Verb.UPDATE if changes else Verb.SAME
    return Step(verb, new, old.resource, changes, tuple(reasons))


def _names(steps: Iterable[Step]) -> frozenset[str]:
    """Return what resources are called in links to them."""
    told = (step.resource.properties.get(key) for step in steps for key in ("name", "accountId"))
    return frozenset(name for name in told if isinstance(name, str))


def _own_reasons(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        if change.action is Action.REPLACE:
            yield format_path(change.path)


def _foreign_reasons(resource: Resource, replaced: dict[str, Step]) -> Iterator[str]:
    if resource.options.deleted_with in replaced:
        yield f"it goes with {replaced[resource.options.deleted_with].resource.name}"
    if resource.provider in replaced:
        yield f"its provider is {replaced[resource.provider].resource.name}"


def _gone(state: State, resources: Sequence[Resource]) -> Iterator[Step]:
    """Yield what the state has and the program does not declare any more, the newest first."""
    declared = {urn for resource in resources for urn in (resource.urn, *resource.options.aliases)}
    expanded = {resource.urn for resource in resources if is_expanded_by_provider(resource)}
    for existing in reversed(state.resources):
        resource = existing.resource
        if not (resource.urn in declared or _is_incidental(resource) or _lies_in(state, resource, expanded)):
            yield Step(Verb.FORGET if resource.options.retain_on_delete else Verb.DESTROY, resource, resource)


def _is_incidental(resource: Resource) -> bool:
    """Whether a resource is nothing that exists somewhere: a component, or a provider that the engine itself made."""
    return not resource.custom or (
        resource.type.startswith("pulumi:providers:") and resource.name.startswith("default")
    )


def _lies_in(state: State, resource: Resource, components: set[str]) -> bool:
    """Whether one of the components is among the resource's parents."""
    seen: set[str] = set()
    parent = resource.parent
    while parent not in components and parent in state.by_urn and parent not in seen:
        seen.add(parent)
        parent = state.by_urn[parent].resource.parent
    return parent in components
