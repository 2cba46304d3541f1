"""What an update would change of one resource that exists, property by property."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pathways.gcp import (
    UNKNOWN,
    Action,
    Change,
    Kind,
    Path,
    Property,
    UnknownType,
    changes_between,
    lies_under,
    parse_path,
    resource_type,
    with_defaults,
)
from pathways.gcp.values import is_absent
from pathways.plan.state import StateResource
from pathways.resources import KUBERNETES, Resource

GOOGLE = "gcp:"
GOOGLE_PROVIDER = "pulumi:providers:gcp"
KUBERNETES_PROVIDER = "pulumi:providers:kubernetes"

_KUBERNETES_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
"""Another one is another object. Source: pulumi-kubernetes, properties that force a replacement of every kind."""

_PART_OF_LINK = re.compile("[/:@]")
"""Between the parts of links ("projects/p/global/networks/n") and members ("serviceAccount:a@p.iam...")."""


@dataclass(frozen=True)
class Projects:
    """The project of the Google Cloud provider, for resources that name none: as it was and as it is to be.

    "" where that is not told.
    """

    before: str
    after: str


def compare(
    old: StateResource, new: Resource, projects: Projects, unknown: Mapping[str, Collection[str]] = MappingProxyType({})
) -> list[Change]:
    """Return the changes and how each acts, options included.

    unknown: properties whose values only the deployment will tell, as other resources that they come from are replaced;
    with the names of these in the cloud.
    Values that are encrypted, in the state or in the stack file, are taken for unchanged.
    """
    found = _changes(old, new, projects, unknown)
    for key in sorted(unknown):
        if not any(change.path[0] == key for change in found):
            found.append(Change((key,), Kind.UPDATE, Action.IN_PLACE, old.resource.properties.get(key), UNKNOWN))
    ignored = [parse_path(path) for path in new.options.ignore_changes]
    replacing = [parse_path(path) for path in new.options.replace_on_changes]
    return [
        replace(change, action=Action.REPLACE) if any(lies_under(change.path, each) for each in replacing) else change
        for change in found
        if not any(lies_under(change.path, each) for each in ignored)
    ]


def _changes(
    old: StateResource, new: Resource, projects: Projects, unknown: Mapping[str, Collection[str]]
) -> list[Change]:
    if new.type.startswith(GOOGLE):
        return _google_changes(old, new, projects, unknown)
    if new.type == KUBERNETES_PROVIDER:
        return list(_provider_changes(old.resource.properties, new.properties))
    if new.type == GOOGLE_PROVIDER:
        wanted = {key: old.resource.properties.get(key) for key in new.properties}
        return list(_differences(wanted, dict(new.properties), ()))
    before = _without_private_keys(old.resource.properties)
    return [
        replace(change, action=Action.REPLACE) if _is_identity(new, change.path) else change
        for change in _differences(before, dict(new.properties), ())
    ]


def _google_changes(
    old: StateResource, new: Resource, projects: Projects, unknown: Mapping[str, Collection[str]]
) -> list[Change]:
    """Compare as the provider does: what it reported last with what is asked for now, its defaults filled in.

    What a state does not tell of a resource is as the provider would have filled it in.
    """
    wanted = _settled(old.resource.properties, dict(new.properties))
    for key, names in unknown.items():
        value = wanted.get(key)
        wanted[key] = UNKNOWN if isinstance(value, str) else _untold(value, names)
    try:
        declared = resource_type(new.type)
    except UnknownType:
        return list(_differences(_without_private_keys(old.resource.properties), wanted, ()))
    reported = _as_declared(declared.properties, {**old.resource.properties, **old.outputs})
    owner, before = declared.properties.get("project"), reported.get("project") or projects.before
    if owner is not None and owner.is_input and owner.force_new and before:
        reported["project"] = before
        wanted.setdefault("project", projects.after or before)
    reported = with_defaults(declared, _settled(wanted, reported))
    return changes_between(declared, reported, with_defaults(declared, wanted))


def _untold(value: Any, names: Collection[str]) -> Any:
    """Return the value with UNKNOWN in the place of each text in it that names one of the resources."""
    if isinstance(value, dict):
        return {key: _untold(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_untold(item, names) for item in value]
    return UNKNOWN if isinstance(value, str) and not set(_PART_OF_LINK.split(value)).isdisjoint(names) else value


def _as_declared(declared: Mapping[str, Property], reported: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that are of the declared kind; a state may have been edited, or be of another release."""
    fitting = {name: _fitting(declared[name], value) for name, value in reported.items() if name in declared}
    return {name: value for name, value in fitting.items() if value is not None}


def _fitting(what: Property, value: Any) -> Any:
    """Return the value, without parts of another kind than declared; None where it is of another kind itself."""
    if value is UNKNOWN:
        return value
    if what.type in ("object", "map"):
        if not isinstance(value, dict):
            return None
        return _as_declared(what.properties, value) if what.properties else value
    if what.type in ("list", "set"):
        if not isinstance(value, list):
            return None
        inner = what.properties
        return [_as_declared(inner, item) for item in value if isinstance(item, dict)] if inner else value
    return None if isinstance(value, dict | list) else value


def _provider_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what changes of a Kubernetes provider: with an identifier, that alone replaces it.

    Its kubeconfig has the cluster's endpoint in it, which only the deployment tells.
    Source: pulumi-kubernetes, DiffConfig.
    """
    before, after = old.get("clusterIdentifier"), new.get("clusterIdentifier")
    if before != after:
        yield Change(("clusterIdentifier",), _kind(before, after), Action.REPLACE, before, after)


def _is_identity(resource: Resource, path: Path) -> bool:
    return resource.type.startswith(KUBERNETES) and any(lies_under(path, each) for each in _KUBERNETES_IDENTITY)


def _differences(old: Any, new: Any, at: Path) -> Iterator[Change]:
    """Yield what differs of plain data, each difference as far down as it goes."""
    if _is_opaque(old) or _is_opaque(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from _differences(old.get(key), new.get(key), (*at, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, (*at, index))
    elif old != new and not (is_absent(old) and is_absent(new)):
        yield Change(at, _kind(old, new), Action.IN_PLACE, old, new)


def _kind(old: Any, new: Any) -> Kind:
    return Kind.ADD if old is None else Kind.DELETE if new is None else Kind.UPDATE


def _settled(known: Any, value: Any) -> Any:
    """Return the value with `known` in the place of what is encrypted, at any depth."""
    if _is_opaque(value):
        return known
    if isinstance(value, dict):
        others = known if isinstance(known, dict) else {}
        return {key: _settled(others.get(key), item) for key, item in value.items()}
    if isinstance(value, list) and isinstance(known, list) and len(known) == len(value):
        return [_settled(other, item) for other, item in zip(known, value, strict=True)]
    return value


def _is_opaque(value: Any) -> bool:
    """Whether a value is encrypted: in the state, or in the stack file."""
    return value is UNKNOWN or (isinstance(value, dict) and set(value) == {"secure"})


def _without_private_keys(value: Any) -> Any:
    """Return inputs without what the engine and providers keep in them for themselves ("__defaults")."""
    if isinstance(value, Mapping):
        return {key: _without_private_keys(item) for key, item in value.items() if not str(key).startswith("__")}
    if isinstance(value, list):
        return [_without_private_keys(item) for item in value]
    return value
