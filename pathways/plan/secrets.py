"""Keeps secrets out of what is printed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pathways.gcp import UNKNOWN, Path, lies_under, parse_path
from pathways.resources import Resource

MASK = "[secret]"
NOT_KNOWN = "[known after the deployment]"


def printable(resource: Resource) -> dict[str, Any]:
    """Return the properties with MASK in the place of each secret, encrypted ones of the stack file included."""
    properties = _printable(resource.properties, (), [parse_path(path) for path in resource.secrets])
    assert isinstance(properties, dict)
    return properties


def printable_value(value: Any, path: Path, *owners: Resource | None) -> Any:
    """Return the value at a path of resources with MASK in the place of what is secret in one of them."""
    hidden = [parse_path(secret) for owner in owners if owner is not None for secret in owner.secrets]
    return _printable(value, path, hidden)


def _printable(value: Any, at: Path, hidden: Collection[Path]) -> Any:
    if any(lies_under(at, secret) for secret in hidden):
        return None if value is None else MASK
    if value is UNKNOWN:
        return NOT_KNOWN
    if isinstance(value, Mapping):
        if set(value) == {"secure"}:
            return MASK
        return {key: _printable(item, (*at, key), hidden) for key, item in value.items()}
    if isinstance(value, list):
        return [_printable(item, (*at, index), hidden) for index, item in enumerate(value)]
    return value
