"""The last word of the settings over an object: a patch, merged as people expect of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_KEYS = ("name", "componentType", "containerPort", "key")
"""What items of a list are known by, the first that all of them have."""


def merged(base: Any, patch: Any) -> Any:
    """Return `base` with a patch. Mappings are merged, null takes a key away, lists of items that are known by name are
    merged item by item, anything else replaces what was there. Neither argument is changed.
    """
    if isinstance(base, Mapping) and isinstance(patch, Mapping):
        kept = {key: value for key, value in base.items() if key not in patch}
        new = {key: merged(base.get(key), value) for key, value in patch.items() if value is not None}
        return {**{key: new.get(key, kept.get(key)) for key in base if key in kept or key in new}, **new}
    if isinstance(base, list) and isinstance(patch, list) and patch and (key := _key(base, patch)):
        return _merged_items(base, patch, key)
    return without_null(patch)


def overridden_paths(patch: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every value that a patch writes or takes away, such as spec.workers[0].priorityClassName."""
    if isinstance(patch, Mapping) and patch:
        for key, value in patch.items():
            yield from overridden_paths(value, f"{path}.{key}" if path else str(key))
    elif isinstance(patch, list) and (key := _key(patch, patch)):
        for item in patch:
            rest = {name: value for name, value in item.items() if name != key}
            yield from overridden_paths(rest, f"{path}[{item[key]}]") if rest else (f"{path}[{item[key]}]",)
    else:
        yield path


def without_null(value: Any) -> Any:
    """Return a value without the keys that a patch would take away."""
    if isinstance(value, Mapping):
        return {key: without_null(item) for key, item in value.items() if item is not None}
    return value


def _merged_items(base: list[Any], patch: list[Any], key: str) -> list[Any]:
    patches = {item[key]: item for item in patch}
    known = {item[key] for item in base}
    kept = [merged(item, patches[item[key]]) if item[key] in patches else item for item in base]
    return [*kept, *(without_null(item) for item in patch if item[key] not in known)]


def _key(*lists: list[Any]) -> str | None:
    """Return what the items of lists are known by, if by anything."""
    items = [item for each in lists for item in each]
    if not items or not all(isinstance(item, Mapping) for item in items):
        return None
    return next((key for key in _KEYS if all(isinstance(item.get(key), str | int) for item in items)), None)
