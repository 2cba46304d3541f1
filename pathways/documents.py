"""YAML as programs written in Go read it, with the place of each value, and bounds on what a document may do.

PyYAML alone reads scalars otherwise (`yes` is True to it, `1e3` is text) and lets a later key win over an equal one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import yaml

MAX_BYTES = 4 * 1024**2
"""The largest document that is read. The largest manifest known, the PathwaysJob CRD, has 0.6 MB."""

MAX_DEPTH = 100
SPARE_VALUES = 10_000
"""How many values aliases may add to a document: a file of a few lines must not become gigabytes."""

Path = tuple[str | int, ...]
"""Where a value is in a document: keys and indices from the root."""


class UnreadableDocument(ValueError):
    """The text is not YAML that can be read. line: where, counted from 1."""

    def __init__(self, line: int, problem: str) -> None:
        self.line, self.problem = line, problem
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True)
class Document:
    """A document's value, of dicts with text keys, lists and scalars, and the nodes that it was read from."""

    value: Any
    nodes: Mapping[Path, yaml.Node]

    def line(self, path: Path) -> int:
        """Return the line of the value at `path`, or of the nearest value around it that the document has."""
        while path and path not in self.nodes:
            path = path[:-1]
        return int(self.nodes[path].start_mark.line) + 1

    def written(self, path: Path) -> str | None:
        """Return the scalar at `path` as it stands in the text, or None where there is none."""
        node = self.nodes.get(path)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else None


@dataclass(frozen=True)
class _Rules:
    """How a reader tells what a plain scalar is."""

    constants: Mapping[str, Any]
    timestamps: bool
    text_keys_only: bool


_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_NULLS: dict[str, Any] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_BOOLEANS: dict[str, Any] = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
_MORE_TRUE = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON")
_MORE_FALSE = ("n", "N", "no", "No", "NO", "off", "Off", "OFF")


class Reader(Enum):
    """Whose reading of scalars is meant."""

    ENGINE = _Rules({**_NULLS, **_BOOLEANS}, timestamps=True, text_keys_only=True)
    """Pulumi's engine (gopkg.in/yaml.v3, values then passed on as JSON)."""
    KUBERNETES = _Rules(
        {**_NULLS, **_BOOLEANS, **dict.fromkeys(_MORE_TRUE, True), **dict.fromkeys(_MORE_FALSE, False)},
        timestamps=False,
        text_keys_only=False,
    )
    """kubectl and the API server (sigs.k8s.io/yaml, which converts to JSON)."""


def read_documents(text: bytes | str, reader: Reader) -> list[Document]:
    """Return the documents of a stream, empty ones left out. Raises UnreadableDocument."""
    decoded = _decode(text)
    try:
        return [_Walk(reader.value, len(decoded)).document(root) for root in _compose(decoded)]
    except RecursionError:
        raise UnreadableDocument(1, f"nested deeper than {MAX_DEPTH} levels") from None


def _decode(text: bytes | str) -> str:
    if len(text) > MAX_BYTES:
        raise UnreadableDocument(1, f"{len(text):,} bytes are more than the {MAX_BYTES:,} that are read")
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableDocument(line, f"byte 0x{text[error.start]:02x} is not UTF-8") from None


PLAIN = "plain"


class _PlainMarked(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Composes nodes; plain scalars carry the tag PLAIN, since it is for the reader to say what they are."""

    yaml_implicit_resolvers: dict[str | None, list[tuple[str, re.Pattern[str]]]] = {None: [(PLAIN, re.compile(""))]}  # noqa: RUF012


def _compose(text: str) -> Iterator[yaml.Node]:
    try:
        for node in yaml.compose_all(text, Loader=_PlainMarked):
            if not (isinstance(node, yaml.ScalarNode) and node.tag == PLAIN and node.value in _NULLS):
                yield node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        raise UnreadableDocument(mark.line + 1 if mark else 1, problem) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UnreadableDocument(line, f"character U+{error.character:04X} is not allowed") from None


_TAG_PREFIX = "tag:yaml.org,2002:"
_COLLECTION_TAGS = (f"{_TAG_PREFIX}map", f"{_TAG_PREFIX}seq")
_SCALAR_TAGS: Mapping[str, type | tuple[type, ...]] = {
    f"{_TAG_PREFIX}int": int,
    f"{_TAG_PREFIX}float": (int, float),
    f"{_TAG_PREFIX}bool": bool,
    f"{_TAG_PREFIX}null": type(None),
    f"{_TAG_PREFIX}timestamp": datetime,
}


class _Walk:
    """Turns the nodes of one document into values."""

    def __init__(self, rules: _Rules, characters: int) -> None:
        self._rules = rules
        self._values_left = characters + SPARE_VALUES
        self._nodes: dict[Path, yaml.Node] = {}

    def document(self, root: yaml.Node) -> Document:
        return Document(self._value(root, ()), self._nodes)

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self._values_left -= 1
        if self._values_left < 0:
            raise _unreadable(node, "aliases make the document far larger than its text")
        if len(path) > MAX_DEPTH:
            raise _unreadable(node, f"nested deeper than {MAX_DEPTH} levels")
        self._nodes[path] = node
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _COLLECTION_TAGS:
            raise _unknown_tag(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == PLAIN and key_node.value == "<<":
                merged.update(self._merge(value_node, path))
                continue
            key = self._key(key_node)
            if key in lines:
                raise _unreadable(key_node, f'key "{key}" is already on line {lines[key]}')
            lines[key] = key_node.start_mark.line + 1
            found[key] = self._value(value_node, (*path, key))
        return {**merged, **found}

    def _merge(self, node: yaml.Node, path: Path) -> dict[str, Any]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for source in reversed(sources):
            if not isinstance(source, yaml.MappingNode):
                raise _unreadable(node, "<< takes a mapping or a list of mappings")
            merged.update(self._value(source, path))
        return merged

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise _unreadable(node, "a key must be text")
        key = self._scalar(node)
        if isinstance(key, str):
            return key
        if self._rules.text_keys_only or key is None:
            raise _unreadable(node, f"key {node.value or 'null'} is not text; quote it")
        return str(node.value)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        if node.tag == f"{_TAG_PREFIX}str":
            return node.value
        if node.tag != PLAIN and node.tag not in _SCALAR_TAGS:
            raise _unknown_tag(node)
        value = _resolve(node.value, self._rules)
        if node.tag != PLAIN and not isinstance(value, _SCALAR_TAGS[node.tag]):
            raise _unreadable(node, f"{node.value} is no {node.tag.replace(_TAG_PREFIX, '!!')}")
        if isinstance(value, float) and not math.isfinite(value):
            raise _unreadable(node, f"{node.value} is a number that JSON does not have; quote it if text is meant")
        return value


def _unreadable(node: yaml.Node, problem: str) -> UnreadableDocument:
    return UnreadableDocument(node.start_mark.line + 1, problem)


def _unknown_tag(node: yaml.Node) -> UnreadableDocument:
    return _unreadable(node, f"tag {node.tag.replace(_TAG_PREFIX, '!!')} is not understood")


_NUMBER_START = re.compile(r"[-+.0-9]")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGERS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
_INFINITIES: Mapping[str, float] = {
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_WHOLE_IN_JSON = 1e21
"""Go writes whole floats below this without a point or an exponent, so that whoever reads the JSON has an integer."""


def _resolve(text: str, rules: _Rules) -> Any:
    """Return what a plain scalar is to the reader."""
    if text in rules.constants:
        return rules.constants[text]
    if not _NUMBER_START.match(text):
        return text
    if text in _INFINITIES:
        return _INFINITIES[text]
    if rules.timestamps and (timestamp := _timestamp(text)):
        return timestamp
    number = _number(text if text.startswith(".") else text.replace("_", ""))
    return text if number is None else number


def _number(text: str) -> int | float | None:
    for pattern, base in _INTEGERS:
        if pattern.fullmatch(text):
            digits = re.sub(r"0[xXbBoO]", "", text, count=1) if base != 10 else text
            value = int(digits, base) if len(digits) < 100 else 2**64
            if -(2**63) <= value < 2**64:
                return value
    if not _FLOAT.fullmatch(text) or math.isinf(number := float(text)):
        return None
    return int(number) if number.is_integer() and abs(number) < _WHOLE_IN_JSON else number


_TIMESTAMP = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?"
)


def _timestamp(text: str) -> datetime | None:
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        return None
    try:
        return datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]
    except ValueError:
        return None
