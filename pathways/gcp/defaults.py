"""Values that the provider puts into the inputs where the program gives none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pathways.gcp.checks import DEFAULTS_KEY
from pathways.gcp.schema import Property, ResourceType


def with_defaults(
    resource: ResourceType, inputs: Mapping[str, Any], generated_name: str | None = None
) -> dict[str, Any]:
    """The inputs with the provider's defaults, each object listing under "__defaults" which of its values are such.

    generated_name: for the resource, where the program gives it no name.
    """
    filled = _fill(resource.properties, inputs, inputs)
    named = resource.name_property
    if named and generated_name is not None and filled.get(named) is None and filled.get("namePrefix") is None:
        filled[named] = generated_name
        filled[DEFAULTS_KEY] = sorted([*filled[DEFAULTS_KEY], named])
    return filled


def without_defaults_keys(value: Any) -> Any:
    """The same value without any "__defaults", which outputs do not have."""
    if isinstance(value, dict):
        return {key: without_defaults_keys(item) for key, item in value.items() if key != DEFAULTS_KEY}
    if isinstance(value, list):
        return [without_defaults_keys(item) for item in value]
    return value


def is_name_generated(resource: ResourceType, inputs: Mapping[str, Any]) -> bool:
    """Whether the name in these checked inputs was made up, so that a replacement can stand beside the old resource."""
    named = resource.name_property
    return named is None or named in inputs.get(DEFAULTS_KEY, ())


def _fill(declared: Mapping[str, Property], given: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    filled = {
        name: _fill_below(declared[name], value, root) if name in declared else value
        for name, value in given.items()
        if value is not None and name != DEFAULTS_KEY
    }
    added = [
        name
        for name, what in declared.items()
        if what.is_input and what.default is not None and name not in filled and not _is_excluded(what, root)
    ]
    filled.update({name: declared[name].default for name in added})
    filled[DEFAULTS_KEY] = sorted(added)
    return filled


def _fill_below(what: Property, value: Any, root: Mapping[str, Any]) -> Any:
    if what.properties is None:
        return value
    if isinstance(value, dict):
        return _fill(what.properties, value, root)
    if isinstance(value, list):
        return [_fill(what.properties, item, root) if isinstance(item, dict) else item for item in value]
    return value


def _is_excluded(what: Property, root: Mapping[str, Any]) -> bool:
    """A default is not applied beside a property that it conflicts with."""
    return any(root.get(other) is not None for other in what.conflicts_with)
