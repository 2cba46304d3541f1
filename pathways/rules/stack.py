"""All resources that are looked at together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from pathways.resources import Resource
from pathways.rules.values import Value, root


class Stack:
    """The resources of a stack, or of a set of manifests, by kind and by URN."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.resources = tuple(resources)

    def has(self, *kinds: str) -> bool:
        return any(kind in self._by_kind for kind in kinds)

    def each(self, *kinds: str) -> Iterator[Value]:
        """Yield the properties of every resource of these kinds."""
        for kind in kinds:
            for resource in self._by_kind.get(kind, ()):
                yield root(resource)

    def waits_for(self, resource: Resource, others: Iterable[str]) -> bool:
        """Whether the resource is created after one of the resources with the other URNs, directly or not."""
        wanted, seen, open_urns = set(others), {resource.urn}, [resource.urn]
        while open_urns:
            known = self._by_urn.get(open_urns.pop())
            for urn in (*known.options.dependencies, known.parent) if known else ():
                if urn in wanted:
                    return True
                if urn and urn not in seen:
                    seen.add(urn)
                    open_urns.append(urn)
        return False

    @cached_property
    def _by_kind(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = {}
        for resource in self.resources:
            found.setdefault(resource.kind, []).append(resource)
        return found

    @cached_property
    def _by_urn(self) -> dict[str, Resource]:
        return {resource.urn: resource for resource in self.resources if resource.urn}
