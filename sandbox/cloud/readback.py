"""From what a program asks for to what Google Cloud reports, and back again when a resource is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pathways.gcp import UNKNOWN, Property, ResourceType, without_defaults_keys
from pathways.gcp.checks import DEFAULTS_KEY
from pathways.gcp.exceptions import SILENTLY_IGNORED, is_equivalent
from pathways.gcp.values import is_absent


def applied(resource: ResourceType, reported: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """What is reported once the inputs are applied; values that Google Cloud had filled in stay."""
    merged = _merge(resource.properties, reported, without_defaults_keys(asked))
    for path in SILENTLY_IGNORED.get(resource.token, ()):
        _restore(merged, reported, path)
    return merged


def planned(resource: ResourceType, reported: Mapping[str, Any] | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a preview says will be reported. reported: None for a resource that is to be created."""
    plain = without_defaults_keys(asked)
    if reported is not None:
        return _merge(resource.properties, reported, plain)
    return _with_unknowns(resource.properties, plain)


def fill(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Puts values where there are none, object by object."""
    for name, value in values.items():
        if isinstance(value, Mapping) and isinstance(target.get(name), dict):
            fill(target[name], value)
        elif target.get(name) is None:
            target[name] = dict(value) if isinstance(value, Mapping) else value


def reported_inputs(resource: ResourceType, asked: Mapping[str, Any], reported: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs as a read finds them: what was asked for, with the values that are reported now."""
    return _ReadInputs(resource.token).object(resource.properties, asked, reported, ())


def _merge(declared: Mapping[str, Property], reported: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name, what in declared.items():
        wanted, had = asked.get(name), reported.get(name)
        if isinstance(wanted, dict) and what.type == "object":
            merged[name] = _merge(what.properties or {}, had if isinstance(had, dict) else {}, wanted)
        elif wanted is not None:
            merged[name] = wanted
        elif what.computed and had is not None:
            merged[name] = had
    return merged


def _with_unknowns(declared: Mapping[str, Property], asked: Mapping[str, Any]) -> dict[str, Any]:
    planned: dict[str, Any] = {}
    for name, what in declared.items():
        wanted = asked.get(name)
        if isinstance(wanted, dict) and what.type == "object":
            planned[name] = _with_unknowns(what.properties or {}, wanted)
        elif wanted is not None:
            planned[name] = wanted
        elif what.computed:
            planned[name] = UNKNOWN
    return planned


def _restore(merged: dict[str, Any], reported: Mapping[str, Any], path: tuple[str, ...]) -> None:
    *parents, last = path
    target: Any = merged
    source: Any = reported
    for step in parents:
        target, source = target.get(step), (source or {}).get(step)
        if not isinstance(target, dict) or not isinstance(source, dict):
            return
    target.pop(last, None)
    if last in source:
        target[last] = source[last]


class _ReadInputs:
    """Walks inputs and reported properties of one resource type side by side."""

    def __init__(self, token: str) -> None:
        self.token = token

    def object(
        self,
        declared: Mapping[str, Property],
        asked: Mapping[str, Any],
        reported: Mapping[str, Any],
        at: tuple[str, ...],
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, wanted in asked.items():
            if name == DEFAULTS_KEY or name not in declared:
                found[name] = wanted
                continue
            value = self.property(declared[name], wanted, reported.get(name), (*at, name))
            if value is not None:
                found[name] = value
        return found

    def property(self, what: Property, wanted: Any, value: Any, at: tuple[str, ...]) -> Any:
        if value is None:
            return wanted if is_absent(wanted) else None
        if what.type == "object" and isinstance(wanted, dict) and isinstance(value, dict):
            return self.object(what.properties or {}, wanted, value, at)
        if what.type == "map" and isinstance(wanted, dict):
            return {key: item for key, item in value.items() if key in wanted or not self._same((*at, key), item, None)}
        if what.type == "set" and isinstance(wanted, list):
            return self._elements(what, wanted, value, at, ordered=False)
        if what.type == "list" and isinstance(wanted, list):
            return self._elements(what, wanted, value, at, ordered=True)
        return wanted if self._same(at, value, wanted) else value

    def _elements(
        self, what: Property, wanted: list[Any], value: list[Any], at: tuple[str, ...], *, ordered: bool
    ) -> Any:
        if what.properties is None:
            return wanted if not ordered and sorted(map(str, wanted)) == sorted(map(str, value)) else value
        return [
            self.object(what.properties, wanted[i], item, at) if i < len(wanted) else _all_inputs(what.properties, item)
            for i, item in enumerate(value)
        ]

    def _same(self, at: tuple[str, ...], reported: Any, asked: Any) -> bool:
        return is_equivalent(self.token, at, reported, asked)


def _all_inputs(declared: Mapping[str, Property], reported: Mapping[str, Any]) -> dict[str, Any]:
    """Everything in a reported object that a program could have asked for."""
    found: dict[str, Any] = {DEFAULTS_KEY: []}
    for name, what in declared.items():
        value = reported.get(name)
        if what.is_input and not is_absent(value):
            found[name] = _all_inputs(what.properties, value) if what.properties and isinstance(value, dict) else value
    return found
