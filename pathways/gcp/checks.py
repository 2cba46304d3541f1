"""Whether a resource's inputs are what the provider declares; worded as the provider words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pathways.gcp.names import name_problem
from pathways.gcp.schema import Property, ResourceType
from pathways.gcp.values import UNKNOWN, Path, format_path

DEFAULTS_KEY = "__defaults"


@dataclass(frozen=True)
class Failure:
    """A fault of the inputs. path: of the property. reason: what is wrong, without the path."""

    path: Path
    reason: str


def check_inputs(resource: ResourceType, inputs: Mapping[str, Any]) -> list[Failure]:
    """All faults of the inputs at once; values that are not known yet are taken to be right."""
    return [
        *_check_object(resource.properties, inputs, ()),
        *_check_combinations(resource.properties, inputs, inputs, ()),
        *_check_name(resource, inputs),
    ]


def _check_name(resource: ResourceType, inputs: Mapping[str, Any]) -> Iterator[Failure]:
    named = resource.name_property
    if named and isinstance(inputs.get(named), str):
        problem = name_problem(resource.token, inputs[named])
        if problem:
            yield Failure((named,), problem)


def _check_object(declared: Mapping[str, Property], given: Mapping[str, Any], at: Path) -> Iterator[Failure]:
    for name, value in given.items():
        if name == DEFAULTS_KEY or value is None:
            continue
        if name not in declared:
            yield Failure((*at, name), f"Invalid or unknown key.{_nearest(name, declared)}")
        elif not declared[name].is_input:
            yield Failure(
                (*at, name),
                f'Value for unconfigurable attribute. Can\'t configure a value for "{name}": its value will be '
                "decided automatically based on the result of applying this configuration.",
            )
        else:
            yield from _check_value(declared[name], value, (*at, name))
    for name, what in declared.items():
        if what.required and given.get(name) is None:
            yield Failure(
                (*at, name),
                f'Missing required argument. The argument "{name}" is required, but no definition was found.',
            )


def _nearest(name: str, declared: Mapping[str, Property]) -> str:
    found = get_close_matches(name, [key for key, what in declared.items() if what.is_input], 1)
    return f' Did you mean "{found[0]}"?' if found else ""


def _check_value(what: Property, value: Any, at: Path) -> Iterator[Failure]:
    if value is UNKNOWN:
        return
    expected = _json_type(what)
    if not _has_type(expected, value):
        yield _mistyped(expected, value, at)
    elif what.type == "integer" and value != int(value):
        yield Failure(at, f'Unexpected type at field "{format_path(at)}": expected a whole number, got {value}.')
    elif what.type == "object":
        yield from _check_object(what.properties or {}, value, at)
    elif what.type == "map":
        for key, item in value.items():
            yield from _check_item(what.items, item, (*at, key))
    elif isinstance(value, list):
        yield from _check_length(what, value, at)
        for index, item in enumerate(value):
            yield from _check_element(what, item, (*at, index))


def _check_element(what: Property, item: Any, at: Path) -> Iterator[Failure]:
    if what.properties is None:
        yield from _check_item(what.items, item, at)
    elif isinstance(item, dict):
        yield from _check_object(what.properties, item, at)
    elif item is not UNKNOWN:
        yield _mistyped("object", item, at)


def _check_item(expected: str | None, item: Any, at: Path) -> Iterator[Failure]:
    if expected is not None and item is not UNKNOWN and not _has_type(expected, item):
        yield _mistyped(expected, item, at)


def _check_length(what: Property, value: list[Any], at: Path) -> Iterator[Failure]:
    if what.max_items is not None and len(value) > what.max_items:
        yield Failure(
            at,
            f"Too many list items. Attribute supports {what.max_items} item maximum, "
            f"but config has {len(value)} declared.",
        )
    if what.min_items is not None and len(value) < what.min_items:
        yield Failure(
            at,
            f"Not enough list items. Attribute requires {what.min_items} item minimum, "
            f"but config has only {len(value)} declared.",
        )


def _json_type(what: Property) -> str:
    return {"integer": "number", "set": "array", "list": "array", "map": "object"}.get(what.type, what.type)


def _has_type(expected: str, value: Any) -> bool:
    return _type_name(value) == expected


def _type_name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, dict) else "array"


def _mistyped(expected: str, value: Any, at: Path) -> Failure:
    got = _type_name(value)
    return Failure(at, f'Unexpected type at field "{format_path(at)}": expected {expected} type, got {got} type.')


def _check_combinations(
    declared: Mapping[str, Property], given: Mapping[str, Any], root: Mapping[str, Any], at: Path
) -> Iterator[Failure]:
    """conflictsWith, exactlyOneOf, atLeastOneOf and requiredWith of a level and of the objects below it."""
    for name, what in declared.items():
        value = given.get(name)
        yield from _check_rules(what, value, root, (*at, name))
        if what.properties and isinstance(value, dict):
            yield from _check_combinations(what.properties, value, root, (*at, name))


def _check_rules(what: Property, value: Any, root: Mapping[str, Any], at: Path) -> Iterator[Failure]:
    here = format_path(at)
    if _is_given(value):
        for other in what.conflicts_with:
            if _is_given(_find(root, other)):
                yield Failure(at, f'Conflicting configuration arguments. "{here}": conflicts with {other}.')
        missing = [other for other in what.required_with if _find(root, other) is None]
        if missing:
            wanted = ",".join(sorted({here, *what.required_with}))
            yield Failure(at, f'Missing required argument. "{here}": all of `{wanted}` must be specified.')
    yield from _check_choice(what, root, at, here)


def _check_choice(what: Property, root: Mapping[str, Any], at: Path, here: str) -> Iterator[Failure]:
    """One failure a choice: the first of its members speaks for all."""
    if what.exactly_one_of and here == min(what.exactly_one_of):
        choices = ",".join(what.exactly_one_of)
        given = [path for path in what.exactly_one_of if _is_given(_find(root, path))]
        unknown = any(_find(root, path) is UNKNOWN for path in what.exactly_one_of)
        if not given and not unknown:
            yield Failure(at, f'Invalid combination of arguments. "{here}": one of `{choices}` must be specified.')
        if len(given) > 1:
            yield Failure(
                at,
                f'Invalid combination of arguments. "{here}": only one of `{choices}` can be specified, '
                f"but `{','.join(given)}` were specified.",
            )
    if here == min(what.at_least_one_of, default=None) and all(_find(root, it) is None for it in what.at_least_one_of):
        choices = ",".join(what.at_least_one_of)
        yield Failure(at, f'Missing required argument. "{here}": one of `{choices}` must be specified.')


def _is_given(value: Any) -> bool:
    """Set in the program and known; what is not known yet may turn out to be nothing."""
    return value is not None and value is not UNKNOWN and value != []


def _find(root: Mapping[str, Any], path: str) -> Any:
    value: Any = root
    for step in path.split("."):
        if value is UNKNOWN:
            return UNKNOWN
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value
