"""The engine's state, as `pulumi stack export` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pathways.gcp import UNKNOWN
from pathways.resources import Resource, ResourceOptions

_SIGNATURE, _SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""Key and value by which the engine marks a secret in JSON."""


class UnreadableState(Exception):
    """The text is no exported stack. It says why."""


@dataclass(frozen=True)
class StateResource:
    """A resource that exists.

    resource: as it was asked for; encrypted values are UNKNOWN. outputs: as it was reported last.
    """

    resource: Resource
    outputs: Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """What a stack has. leftovers: names of resources that wait for their deletion since an earlier update.

    stack, project: names, "" where there is no resource yet.
    """

    stack: str
    project: str
    resources: tuple[StateResource, ...]
    leftovers: tuple[str, ...]

    @cached_property
    def by_urn(self) -> dict[str, StateResource]:
        return {each.resource.urn: each for each in self.resources}


def read_state(text: str | bytes) -> State:
    """Return the state that the text has. Raises UnreadableState."""
    try:
        exported = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableState(f"is not JSON: {error}") from None
    deployment = exported.get("deployment") if isinstance(exported, dict) else None
    if not isinstance(deployment, dict):
        raise UnreadableState("is not what `pulumi stack export` writes: it has no deployment")
    entries = deployment.get("resources") or []
    try:
        found = [(_resource(entry), bool(entry.get("delete")), bool(entry.get("external"))) for entry in entries]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableState(f"has a resource that cannot be read: {error!r}") from None
    stack, project = _owner(found[0][0].resource.urn) if found else ("", "")
    return State(
        stack=stack,
        project=project,
        resources=tuple(each for each, leftover, external in found if not leftover and not external),
        leftovers=tuple(each.resource.name for each, leftover, _ in found if leftover),
    )


def _owner(urn: str) -> tuple[str, str]:
    """Return stack and project of a URN."""
    parts = urn.split("::")
    return parts[0].rpartition(":")[2], parts[1]


def _resource(entry: Mapping[str, Any]) -> StateResource:
    urn = entry["urn"]
    _, _, types, name = urn.split("::", 3)
    timeouts = entry.get("customTimeouts") or {}
    resource = Resource(
        type=str(entry.get("type") or types.rpartition("$")[2]),
        name=name,
        properties=_readable(entry.get("inputs") or {}),
        urn=urn,
        parent=_unless_stack(entry.get("parent") or ""),
        provider=str(entry.get("provider") or "").rpartition("::")[0],
        custom=bool(entry.get("custom")),
        options=ResourceOptions(
            protect=bool(entry.get("protect")),
            retain_on_delete=bool(entry.get("retainOnDelete")),
            dependencies=tuple(entry.get("dependencies") or ()),
            property_dependencies={
                key: tuple(urns or ()) for key, urns in (entry.get("propertyDependencies") or {}).items()
            },
            deleted_with=str(entry.get("deletedWith") or ""),
            custom_timeouts={key: str(value) for key, value in timeouts.items()},
        ),
    )
    return StateResource(resource, _readable(entry.get("outputs") or {}))


def _unless_stack(urn: str) -> str:
    return "" if urn.split("::")[2:3] == ["pulumi:pulumi:Stack"] else str(urn)


def _readable(value: Any) -> Any:
    """Return the value with secrets in the clear where the export shows them, else UNKNOWN."""
    if isinstance(value, dict):
        if value.get(_SIGNATURE) == _SECRET:
            return _readable(json.loads(value["plaintext"])) if "plaintext" in value else UNKNOWN
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return value
