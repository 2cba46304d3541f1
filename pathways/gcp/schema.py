"""What the Google Cloud provider declares of each resource type that a stack may use.

The declarations are data (schema.json); its `source` says where they come from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal

_FILE = Path(__file__).with_name("schema.json")

ValueType = Literal["string", "boolean", "integer", "number", "object", "list", "set", "map"]


@dataclass(frozen=True)
class Property:
    """One property as the provider declares it.

    properties: of an object, or of each element of a list or set of objects; None for plain values.
    items: type of the plain elements of a list, set or map.
    computed: Google Cloud gives a value where the program gives none.
    force_new: another value needs another resource. Not handed down to nested objects, as the provider does not.
    conflicts_with, exactly_one_of, at_least_one_of, required_with: paths from the resource's root.
    """

    name: str
    type: ValueType
    items: str | None
    properties: Mapping[str, Property] | None
    required: bool
    optional: bool
    computed: bool
    force_new: bool
    sensitive: bool
    default: Any
    min_items: int | None
    max_items: int | None
    conflicts_with: tuple[str, ...]
    exactly_one_of: tuple[str, ...]
    at_least_one_of: tuple[str, ...]
    required_with: tuple[str, ...]

    @property
    def is_input(self) -> bool:
        return self.required or self.optional


@dataclass(frozen=True)
class ResourceType:
    """A resource type. token: such as "gcp:container/nodePool:NodePool"."""

    token: str
    properties: Mapping[str, Property]

    @property
    def name_property(self) -> str | None:
        """The property that Pulumi fills with a generated name when the program gives none.

        Source: pulumi-gcp 10.2.0, whose input types leave exactly these optional though the provider requires them.
        """
        for name in ("name", "accountId", "roleId"):
            if name in self.properties and self.properties[name].is_input:
                return name
        return None


class UnknownType(LookupError):
    """A resource type that is not in the schema; the message names the nearest one."""

    def __init__(self, token: str) -> None:
        nearest = get_close_matches(token, _declarations(), 1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        super().__init__(f"{token} is not a resource type that is known here{hint}")


def resource_type(token: str) -> ResourceType:
    """The declaration of a type. Raises UnknownType."""
    if token not in _declarations():
        raise UnknownType(token)
    return _parsed(token)


def resource_tokens() -> list[str]:
    """The tokens of all types that are known."""
    return list(_declarations())


@cache
def _declarations() -> dict[str, dict[str, Any]]:
    resources: dict[str, dict[str, Any]] = json.loads(_FILE.read_text(encoding="utf-8"))["resources"]
    return resources


@cache
def _parsed(token: str) -> ResourceType:
    return ResourceType(token, _properties(_declarations()[token]))


def _properties(declared: dict[str, Any]) -> dict[str, Property]:
    return {name: _property(name, what) for name, what in declared.items()}


def _property(name: str, declared: dict[str, Any]) -> Property:
    return Property(
        name=name,
        type=declared["type"],
        items=declared.get("items"),
        properties=_properties(declared["properties"]) if "properties" in declared else None,
        required=declared.get("required", False),
        optional=declared.get("optional", False),
        computed=declared.get("computed", False),
        force_new=declared.get("forceNew", False),
        sensitive=declared.get("sensitive", False),
        default=declared.get("default"),
        min_items=declared.get("minItems"),
        max_items=declared.get("maxItems"),
        conflicts_with=tuple(declared.get("conflictsWith", ())),
        exactly_one_of=tuple(declared.get("exactlyOneOf", ())),
        at_least_one_of=tuple(declared.get("atLeastOneOf", ())),
        required_with=tuple(declared.get("requiredWith", ())),
    )
