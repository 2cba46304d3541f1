"""A small language for the shape of manifests, and the check against it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pathways.quantities import parse_quantity
from pathways.rules.values import Value
from pathways.wording import did_you_mean, nearest, quoted, sentence

Kind = Literal["object", "list", "text", "integer", "boolean", "quantity", "any"]

WANTED: Mapping[Kind, str] = {
    "object": "a mapping",
    "list": "a list",
    "text": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "quantity": "an amount, such as 8, 500m or 32Gi",
    "any": "anything",
}


@dataclass(frozen=True)
class Shape:
    """What a value must be.

    fields: of an object. values: of an object whose keys are free. required: among the fields. closed: how bad a
    field is that is not among them; None where all are welcome. item: of a list. keys: fields by which a list's
    entries are told apart, each with its default. legal: texts. pattern: of a text that is free,
    and what it means. low, high: bounds of a number or of a list's length.
    """

    kind: Kind
    fields: Mapping[str, Shape] = field(default_factory=dict)
    required: Collection[str] = ()
    values: Shape | None = None
    closed: Literal["error", "warning"] | None = None
    item: Shape | None = None
    keys: Mapping[str, str | None] = field(default_factory=dict)
    legal: Collection[str] = ()
    pattern: str = ""
    meaning: str = ""
    low: int | None = None
    high: int | None = None


class Fault(NamedTuple):
    """at: the value at fault. message: a sentence. unknown_field: whether that is all, and how bad it is."""

    at: Value
    message: str
    unknown_field: Literal["error", "warning"] | None = None


def faults(shape: Shape, value: Value) -> Iterator[Fault]:
    """Yield everything about a value that is not of the shape. What is not known yet is of any shape."""
    if value.unknown or value.absent:
        return
    if not _is_of_kind(shape.kind, value.content):
        yield Fault(value, f"{_place(value)} is {_shown(value)}; {WANTED[shape.kind]} is wanted.{_hint(shape, value)}")
    elif shape.kind == "object":
        yield from _object(shape, value)
    elif shape.kind == "list":
        yield from _list(shape, value)
    elif shape.legal and value.text not in shape.legal:
        meant = did_you_mean(nearest(value.text or "", shape.legal))
        yield Fault(value, sentence(f"{_place(value)} is {value}; legal: {', '.join(shape.legal)}{meant}"))
    elif shape.pattern and not re.fullmatch(shape.pattern, value.text or ""):
        yield Fault(value, f"{_place(value)} is {value}, which is not {shape.meaning}.")
    elif shape.kind == "integer":
        yield from _bounds(shape, value, value.content, "")


def _object(shape: Shape, value: Value) -> Iterator[Fault]:
    for name in shape.required:
        if value[name].absent:
            yield Fault(value[name], f"{_place(value[name])} is missing.")
    for name, entry in value.entries():
        if name in shape.fields:
            yield from faults(shape.fields[name], entry)
        elif shape.values:
            yield from faults(shape.values, entry)
            if entry.absent:
                yield Fault(entry, f"{_place(entry)} is empty; {WANTED[shape.values.kind]} is wanted.")
        elif shape.closed:
            meant = did_you_mean(nearest(name, shape.fields))
            yield Fault(entry, sentence(f"{_place(entry)} is no field that is known here{meant}"), shape.closed)


def _list(shape: Shape, value: Value) -> Iterator[Fault]:
    seen: dict[tuple[str, ...], int] = {}
    for index, entry in enumerate(value.items()):
        if entry.absent:
            yield Fault(entry, f"{_place(entry)} is empty.")
        if shape.item:
            yield from faults(shape.item, entry)
        key = _key(shape, entry)
        if key and seen.setdefault(key, index) != index:
            named = " ".join(map(quoted, key))
            yield Fault(entry, f"{_place(value)} has {named} twice; entries {seen[key]} and {index} are the same.")
    yield from _bounds(shape, value, len(value.items()), " entries")


def _key(shape: Shape, entry: Value) -> tuple[str, ...] | None:
    """Return what tells a list's entry apart from others, where it is known."""
    parts = [
        default if entry[name].absent else entry[name].text or entry[name].number
        for name, default in shape.keys.items()
    ]
    return tuple(map(str, parts)) if parts and None not in parts else None


def _bounds(shape: Shape, value: Value, number: int, unit: str) -> Iterator[Fault]:
    has = f"{_place(value)} {'has' if unit else 'is'} {number}{unit}"
    if shape.low is not None and number < shape.low:
        yield Fault(value, f"{has}; {shape.low:,} at least.")
    if shape.high is not None and number > shape.high:
        yield Fault(value, f"{has}; {shape.high:,} at most.")


def _is_of_kind(kind: Kind, content: object) -> bool:
    match kind:
        case "object":
            return isinstance(content, dict)
        case "list":
            return isinstance(content, list)
        case "text":
            return isinstance(content, str)
        case "integer":
            return isinstance(content, int) and not isinstance(content, bool)
        case "boolean":
            return isinstance(content, bool)
        case "quantity":
            return parse_quantity(content) is not None
        case "any":
            return True


def _shown(value: Value) -> str:
    match value.content:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return str(value)


def _hint(shape: Shape, value: Value) -> str:
    """Return the usual reason why a scalar is of another kind: quotes that are there, or are not."""
    if shape.kind == "text" and isinstance(value.content, bool | int | float):
        return " Put it in quotes."
    if shape.kind in ("integer", "boolean") and isinstance(value.content, str):
        return " Write it without quotes."
    return ""


def _place(value: Value) -> str:
    """Return the last steps of the value's path, as people write them."""
    text = ""
    for step in value.path[-3:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "The manifest"
