"""From validation errors to a report that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic_core import ErrorDetails, ValidationError

from pathways.documents import Document, Path
from pathways.settings.base import MEANING_OF_PATTERN
from pathways.settings.schema import keys_at
from pathways.settings.tpu_vms import has_no_field
from pathways.wording import counted, did_you_mean, nearest, on_one_line, plain, quoted


class Problem(NamedTuple):
    """path: of the value at fault, as in "slices[0].topology". message: what is wrong and what to write instead."""

    path: str
    message: str


class SettingsError(Exception):
    """The settings are wrong. Its text is the report.

    source: the stack file. problems: all that was found, in the order of the file.
    """

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source, self.problems = source, [Problem(path, on_one_line(message)) for path, message in problems]
        lines = [f"  {path}: {message}" for path, message in self.problems]
        super().__init__("\n".join([f"{source}: {counted(len(lines), 'error')}", *lines]))


def problems_of(
    error: ValidationError, written: Any, document: Document | None, root: Path
) -> Iterator[tuple[Path, str]]:
    """Yield path and message of each error.

    written: what was validated. document, root: where it was read, if from a file, and its path there.
    """
    seen = set()
    for details in error.errors(include_url=False):
        path = _path_as_written(details, written)
        if path not in seen:
            seen.add(path)
            text = document.written((*root, *path)) if document else None
            yield path, _message(details, text)


def spell_path(path: Path) -> str:
    """Return a path as people write it: slices[0].topology."""
    spelled = ""
    for part in path:
        if isinstance(part, int):
            spelled += f"[{part}]"
        elif re.fullmatch(r"[A-Za-z_][\w-]*(:[\w-]+)?", part):
            spelled += f".{part}" if spelled else part
        else:
            spelled += f"[{quoted(part)}]"
    return spelled


def _path_as_written(details: ErrorDetails, written: Any) -> Path:
    """Return the error's path without what is no key: names of union members and of kinds of errors.

    Keys that are absent are kept: the error is about their absence, or about what was derived in their place.
    """
    path: Path = ()
    value = written
    for part in (*details["loc"], *_tag_key(details)):
        if _has(value, part):
            path, value = (*path, part), value[part]
        elif part in keys_at(path):
            path, value = (*path, part), None
    return path


def _tag_key(details: ErrorDetails) -> Path:
    """Return the key that tells the member of a union, where it is that key that is at fault."""
    key = re.fullmatch(r"'(\w+)'", details.get("ctx", {}).get("discriminator", ""))
    return (key[1],) if key else ()


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, dict) and part in value


def _message(details: ErrorDetails, text: str | None) -> str:
    kind, given, context = details["type"], details["input"], details.get("ctx", {})
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return _unknown_key(details["loc"])
        case "literal_error":
            return _none_of(given, text, context["expected"])
        case "union_tag_not_found" if _tag_key(details):
            return "is missing"
        case "union_tag_invalid" if _tag_key(details):
            return _none_of(context["tag"], text, context["expected_tags"])
        case "union_tag_not_found" | "union_tag_invalid":
            return _unknown_kind(given, re.findall(r"'([^']*)'", context.get("expected_tags", "")))
        case "string_pattern_mismatch":
            return f"{_shown(given, text)} is not {MEANING_OF_PATTERN[context['pattern']]}"
        case "string_too_short":
            return "is empty"
        case "string_too_long":
            return f"{_shown(given, text)} has more than {context['max_length']} characters"
        case "too_short":
            return f"is empty; {context['min_length']} at least"
        case "greater_than_equal":
            return f"{_shown(given, text)} is too small; {context['ge']} at least"
        case "less_than_equal":
            return f"{_shown(given, text)} is too large; {context['le']:,} at most"
        case "less_than":
            return f"{_shown(given, text)} is too large; less than {context['lt']:,}"
        case "refused":
            return str(context["message"])
        case _:
            return _wrong_type(kind, given, text)


_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}

_UNQUOTED = ("a number", "a whole number", "true or false")


def _wrong_type(kind: str, given: Any, text: str | None) -> str:
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{_shown(given, text)} is not possible"
    if given is None:
        return f"is empty; {wanted} is wanted"
    if wanted == "text" and isinstance(given, int | float | datetime):
        shown = _shown(given, text)
        return f'{shown} is {_kind_of(given)} here; quote it: "{shown}"'
    unquote = ", without quotes" if isinstance(given, str) and wanted in _UNQUOTED else ""
    return f"{_shown(given, text)} is {_kind_of(given)}; {wanted} is wanted{unquote}"


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case datetime():
            return "a date"
        case str():
            return "text"
        case list():
            return "a list"
        case {"secure": str()} if len(value) == 1:
            return "a secret"
        case dict():
            return "a mapping"
    return "of another kind"


def _shown(value: Any, text: str | None) -> str:
    """Return a value as a message names it: numbers as they stand in the file, text in quotes, no content of others."""
    match value:
        case str():
            return quoted(value)
        case bool() | int() | float() | datetime():
            return text or str(value).lower()
        case list():
            return f"[... {len(value)}]"
        case dict():
            return f"{{{', '.join(plain(str(key)) for key in list(value)[:3])}}}"
    return quoted(str(value))


def _near(given: Any, legal: Sequence[str]) -> list[str]:
    return nearest(given, legal) if isinstance(given, str) else []


def _none_of(given: Any, text: str | None, expected: str) -> str:
    legal = re.findall(r"'([^']*)'", expected)
    if given is None:
        return f"is empty; legal: {', '.join(legal)}"
    return f"{_shown(given, text)} is none of {', '.join(legal)}{did_you_mean(_near(given, legal))}"


def _unknown_key(path: Path) -> str:
    if path[0] == "tpuVms" and (known := has_no_field(str(path[-1]))):
        return known
    legal = keys_at(path[:-1])
    return f"is not a key here; legal: {' '.join(legal)}{did_you_mean(_near(path[-1], legal))}"


def _unknown_kind(given: Any, legal: Sequence[str]) -> str:
    if not isinstance(given, dict):
        return f"{_shown(given, None)} is {_kind_of(given)}; a mapping with one key is wanted, such as {{spot: {{}}}}"
    if len(given) != 1:
        return f"{_shown(given, None)} has {len(given)} keys; exactly one is wanted"
    key = next(iter(given))
    return f"{quoted(key)} is not a kind; legal: {', '.join(legal)}{did_you_mean(_near(key, legal))}"
