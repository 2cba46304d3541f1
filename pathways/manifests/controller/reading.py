"""How the controller reads an object: what is absent or null is zero, and what is of another type cannot be read."""

from __future__ import annotations

from typing import Any, TypeVar

from pathways.wording import plain

Kind = TypeVar("Kind")

INT32, INT64 = 32, 64


class ControllerRefusal(Exception):
    """The controller makes no JobSet of this PathwaysJob. Its text is one line that says why."""


class Fields:
    """The fields of one object, by name. path: where the object is, for messages."""

    def __init__(self, content: dict[str, Any], path: str) -> None:
        self._content, self.path = content, path

    def has(self, name: str) -> bool:
        return self._content.get(name) is not None

    def mapping(self, name: str) -> dict[str, Any]:
        return self._read(name, dict, "a mapping", {})

    def sequence(self, name: str) -> list[Any]:
        return self._read(name, list, "a list", [])

    def text(self, name: str) -> str:
        return self._read(name, str, "text", "")

    def flag(self, name: str) -> bool:
        return self._read(name, bool, "true or false", False)

    def number(self, name: str, bits: int, default: int = 0) -> int:
        value = self._read(name, int, "a whole number", default)
        if isinstance(value, bool) or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise ControllerRefusal(f"{self.path}.{name}: {value} is no whole number of {bits} bits")
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        values = self.sequence(name)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise ControllerRefusal(f"{self.path}.{name}[{index}]: text is wanted")
        return values

    def labels(self, name: str) -> dict[str, str]:
        """Return a mapping from text to text."""
        values = self.mapping(name)
        for key, value in values.items():
            if not isinstance(value, str):
                raise ControllerRefusal(f"{self.path}.{name}.{plain(key)}: text is wanted")
        return values

    def fields(self, name: str) -> Fields:
        """Return the fields of the object of that name."""
        return Fields(self.mapping(name), f"{self.path}.{name}")

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        found = []
        for index, value in enumerate(self.sequence(name)):
            path = f"{self.path}.{name}[{index}]"
            if not isinstance(value, dict):
                raise ControllerRefusal(f"{path}: a mapping is wanted")
            found.append(Fields(value, path))
        return found

    @property
    def content(self) -> dict[str, Any]:
        return self._content

    def _read(self, name: str, kind: type[Kind], wanted: str, default: Kind) -> Kind:
        value = self._content.get(name)
        if value is None:
            return default
        if not isinstance(value, kind):
            raise ControllerRefusal(f"{self.path}.{name}: {wanted} is wanted")
        return value
