"""The tree of components, and how many resources each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pathways.resources import Resource


@dataclass(frozen=True)
class Branch:
    """A component. own: its own resources, those that are no components. below: components in it."""

    component: Resource
    own: tuple[Resource, ...]
    below: tuple[Branch, ...]

    @property
    def count(self) -> int:
        """Resources of the component and of those below it."""
        return len(self.own) + sum(branch.count for branch in self.below)

    @property
    def kinds(self) -> dict[str, int]:
        """How many of its own resources are of which kind, by the last part of their type: "NodePool"."""
        return dict(Counter(kind_name(resource) for resource in self.own))


def kind_name(resource: Resource) -> str:
    """Return the last part of a type: "NodePool" of "gcp:container/nodePool:NodePool"; "gcp provider" of a provider."""
    last = resource.type.rpartition(":")[2]
    return f"{last} provider" if resource.type.startswith("pulumi:providers:") else last


def tree(resources: Sequence[Resource]) -> tuple[Branch, ...]:
    """Return the components at the top with all that is in them, in the order of registration."""
    children: dict[str, list[Resource]] = {}
    for resource in resources:
        children.setdefault(resource.parent, []).append(resource)
    return tuple(_branch(resource, children) for resource in children.get("", []) if not resource.custom)


def _branch(component: Resource, children: dict[str, list[Resource]]) -> Branch:
    inside = children.get(component.urn, [])
    parts = [resource for resource in inside if not resource.custom and resource.urn in children]
    return Branch(
        component=component,
        own=tuple(resource for resource in inside if resource not in parts),
        below=tuple(_branch(resource, children) for resource in parts),
    )
