"""Kubernetes' selectors: which labels they match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Labels = Mapping[str, str]


def selects(selector: Mapping[str, Any] | None, labels: Labels) -> bool:
    """Whether a label selector matches. None matches nothing, an empty one everything."""
    if selector is None:
        return False
    exact = selector.get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in exact.items()) and _all_hold(
        selector.get("matchExpressions"), labels
    )


def selects_node(terms: Sequence[Mapping[str, Any]], name: str, labels: Labels) -> bool:
    """Whether one of the terms of a required node affinity matches. A term without requirements matches no node."""
    return any(
        (term.get("matchExpressions") or term.get("matchFields"))
        and _all_hold(term.get("matchExpressions"), labels)
        and _all_hold(term.get("matchFields"), {"metadata.name": name})
        for term in terms
    )


def _all_hold(requirements: Sequence[Mapping[str, Any]] | None, labels: Labels) -> bool:
    return all(_holds(one, labels.get(one["key"])) for one in requirements or ())


def _holds(requirement: Mapping[str, Any], value: str | None) -> bool:
    named: Sequence[str] = requirement.get("values") or ()
    match requirement["operator"]:
        case "In":
            return value in named
        case "NotIn":
            return value not in named
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and int(value) > int(named[0])
        case "Lt":
            return value is not None and int(value) < int(named[0])
    return False
