"""Values inside resources, read without ever failing: rules see foreign data, and data that is not known yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pathways.gcp import UNKNOWN, Path
from pathways.resources import Resource
from pathways.wording import quoted


class Value:
    """A value of a resource and where it is: what a finding points at.

    content: plain data; None where there is nothing, UNKNOWN where only the deployment will tell.
    Steps into what is no mapping or list lead to nothing, steps into what is not known to more of the same.
    """

    __slots__ = ("content", "path", "resource")

    def __init__(self, resource: Resource, path: Path, content: Any) -> None:
        self.resource, self.path, self.content = resource, path, content

    def __getitem__(self, step: str | int) -> Value:
        return Value(self.resource, (*self.path, step), _step(self.content, step))

    def at(self, *steps: str | int) -> Value:
        """Return the value that is these steps further down."""
        value = self
        for step in steps:
            value = value[step]
        return value

    @property
    def absent(self) -> bool:
        """Whether there is nothing, for certain."""
        return self.content is None

    @property
    def present(self) -> bool:
        """Whether there is something, for certain."""
        return self.content is not None and self.content is not UNKNOWN

    @property
    def unknown(self) -> bool:
        return self.content is UNKNOWN

    @property
    def text(self) -> str | None:
        """The text, or None where there is no text or it is not known."""
        return self.content if isinstance(self.content, str) else None

    @property
    def number(self) -> int | None:
        """The whole number, or None where there is none or it is not known."""
        return self.content if isinstance(self.content, int) and not isinstance(self.content, bool) else None

    @property
    def is_true(self) -> bool:
        return self.content is True

    @property
    def is_false(self) -> bool:
        return self.content is False

    def items(self) -> list[Value]:
        """Return the elements of a list; none of what is no list."""
        return [self[index] for index in range(len(self.content))] if isinstance(self.content, list) else []

    def entries(self) -> Iterator[tuple[str, Value]]:
        """Yield key and value of each entry of a mapping; none of what is no mapping."""
        if isinstance(self.content, dict):
            for key in self.content:
                yield str(key), self[key]

    def texts(self) -> list[str]:
        """Return the elements of a list that are text and known."""
        return [item.content for item in self.items() if isinstance(item.content, str)]

    def labels(self) -> dict[str, str]:
        """Return the entries of a mapping whose values are text and known."""
        return {key: value.content for key, value in self.entries() if isinstance(value.content, str)}

    @property
    def certain(self) -> bool:
        """Whether nothing in it, at any depth, is still to be known."""
        return _is_certain(self.content)

    def __str__(self) -> str:
        """The value as messages name it."""
        match self.content:
            case None:
                return "nothing"
            case str():
                return quoted(self.content)
            case bool():
                return str(self.content).lower()
            case int() | float():
                return str(self.content)
            case list() | dict():
                return f"{len(self.content)} values"
            case _:
                return "what is not known yet"


def root(resource: Resource) -> Value:
    """Return all properties of a resource as a value."""
    return Value(resource, (), resource.properties)


def _step(content: Any, step: str | int) -> Any:
    if content is UNKNOWN:
        return UNKNOWN
    if isinstance(content, dict):
        return content.get(step)
    if isinstance(content, list) and isinstance(step, int) and step < len(content):
        return content[step]
    return None


def _is_certain(content: Any) -> bool:
    if isinstance(content, dict):
        return all(map(_is_certain, content.values()))
    if isinstance(content, list):
        return all(map(_is_certain, content))
    return content is not UNKNOWN
