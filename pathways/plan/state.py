"""The engine's state, as `pulumi stack export` writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pathways.gcp import UNKNOWN, Path, format_path
from pathways.resources import Resource, ResourceOptions

Kind = TypeVar("Kind")

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
    if not isinstance(exported, dict) or not isinstance(exported.get("deployment"), dict):
        raise UnreadableState("is not what `pulumi stack export` writes: it has no deployment")
    try:
        entries = [_Entry(entry) for entry in _Entry(exported["deployment"]).sequence("resources")]
        found = [(_resource(entry), entry.flag("delete"), entry.flag("external")) for entry in entries]
    except ValueError as error:
        raise UnreadableState(f"has a resource that cannot be read: {error}") from None
    stack, project = _owner(found[0][0].resource.urn) if found else ("", "")
    return State(
        stack=stack,
        project=project,
        resources=tuple(each for each, leftover, external in found if not leftover and not external),
        leftovers=tuple(each.resource.name for each, leftover, _ in found if leftover),
    )


def declared_state(resources: Iterable[Resource]) -> State:
    """Return the state of a stack that is as its program declares it; what the cloud would report is not in it."""
    found = tuple(StateResource(resource, {}) for resource in resources)
    stack, project = _owner(found[0].resource.urn) if found else ("", "")
    return State(stack, project, found, ())


class _Entry:
    """A mapping of the export, read key by key. Each method raises ValueError where the value is of another kind."""

    def __init__(self, content: Any) -> None:
        if not isinstance(content, dict):
            raise ValueError(f"{_shown(content)} is no mapping")
        self._content = content

    def text(self, key: str) -> str:
        """Return the text at a key; an absent one is empty."""
        return self._value(key, str, "")

    def flag(self, key: str) -> bool:
        return self._value(key, bool, False)

    def sequence(self, key: str) -> list[Any]:
        return self._value(key, list, [])

    def mapping(self, key: str) -> dict[str, Any]:
        return self._value(key, dict, {})

    def texts(self, key: str) -> tuple[str, ...]:
        return _texts(key, self.sequence(key))

    def _value(self, key: str, kind: type[Kind], absent: Kind) -> Kind:
        value = self._content.get(key)
        if value is None:
            return absent
        if not isinstance(value, kind):
            raise ValueError(f"its {key} is {_shown(value)}")
        return value


def _texts(key: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"its {key} is {_shown(values)}")
    return tuple(values)


def _shown(value: Any) -> str:
    return json.dumps(value)[:60]


def _owner(urn: str) -> tuple[str, str]:
    """Return stack and project of a URN."""
    parts = urn.split("::")
    return parts[0].rpartition(":")[2], parts[1]


def _resource(entry: _Entry) -> StateResource:
    urn = entry.text("urn")
    parts = urn.split("::", 3)
    if len(parts) < 4:
        raise ValueError(f"{_shown(urn)} is no URN")
    inputs, outputs = entry.mapping("inputs"), entry.mapping("outputs")
    resource = Resource(
        type=entry.text("type") or parts[2].rpartition("$")[2],
        name=parts[3],
        properties=_readable(inputs),
        urn=urn,
        parent=_unless_stack(entry.text("parent")),
        provider=entry.text("provider").rpartition("::")[0],
        custom=entry.flag("custom"),
        options=ResourceOptions(
            protect=entry.flag("protect"),
            retain_on_delete=entry.flag("retainOnDelete"),
            dependencies=entry.texts("dependencies"),
            property_dependencies={
                key: _texts(key, urns or []) for key, urns in entry.mapping("propertyDependencies").items()
            },
            deleted_with=entry.text("deletedWith"),
        ),
        secrets=tuple({format_path(path): None for path in (*_secrets(inputs, ()), *_secrets(outputs, ()))}),
    )
    return StateResource(resource, _readable(outputs))


def _unless_stack(urn: str) -> str:
    return "" if urn.split("::")[2:3] == ["pulumi:pulumi:Stack"] else urn


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and value.get(_SIGNATURE) == _SECRET


def _readable(value: Any) -> Any:
    """Return the value with secrets in the clear where the export shows them, else UNKNOWN."""
    if _is_secret(value):
        return _readable(json.loads(value["plaintext"])) if isinstance(value.get("plaintext"), str) else UNKNOWN
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return value


def _secrets(value: Any, at: Path) -> Iterator[Path]:
    """Yield the path of each secret."""
    if _is_secret(value):
        yield at
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _secrets(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _secrets(item, (*at, index))
