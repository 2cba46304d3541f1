"""The lifecycle rules of a scratch bucket that stands: an update leaves them alone, unless it is told to write them.

Pathways keeps a rule of its own in the same list. The state shows it only after a refresh.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pathways.plan.state import State
from pathways.plan.steps import Step, Verb
from pathways.resources import Resource
from pathways.rules.kinds import BUCKET, SCRATCH_BUCKET
from pathways.wording import counted

RULES = "lifecycleRules"
_ANY_STATE = "ANY"
"""What Google Cloud fills in for withState."""


@dataclass(frozen=True)
class Lifecycle:
    """What becomes of the lifecycle rules of a bucket.

    written: whether the update writes the list, and all of it. coming: rules that are asked for and not there.
    going: rules that are there, as far as the state tells, and not asked for. Rules are in words.
    """

    bucket: str
    written: bool
    coming: tuple[str, ...]
    going: tuple[str, ...]


def lifecycles(steps: Iterable[Step], state: State, prefix: str) -> tuple[Lifecycle, ...]:
    """Return what is to be said of scratch buckets: an edit that does not reach one, or a list that is to be written.

    prefix: folder of compiled programs. A rule about it that no one asks for may be Pathways' own, and is no edit.
    """
    return tuple(_lifecycles(steps, state, prefix))


def _lifecycles(steps: Iterable[Step], state: State, prefix: str) -> Iterator[Lifecycle]:
    for step in steps:
        if step.before is None or step.verb not in (Verb.SAME, Verb.UPDATE) or not _is_scratch(step.resource):
            continue
        existing = state.by_urn[step.before.urn]
        there = _rules({**existing.resource.properties, **existing.outputs})
        wanted = _rules(step.resource.properties)
        coming, going = (
            [rule for rule in one if rule not in other] for one, other in ((wanted, there), (there, wanted))
        )
        written = RULES not in step.resource.options.ignore_changes
        if written or coming or not all(_may_be_pathways(rule, prefix) for rule in going):
            name = str(step.resource.properties.get("name", step.resource.name))
            yield Lifecycle(name, written, tuple(map(_in_words, coming)), tuple(map(_in_words, going)))


def _is_scratch(resource: Resource) -> bool:
    return resource.type == BUCKET and SCRATCH_BUCKET in resource.component_types


def _may_be_pathways(rule: Mapping[str, Any], prefix: str) -> bool:
    prefixes = rule.get("matchesPrefixes")
    return not isinstance(prefixes, list) or all(str(each).strip("/") == prefix for each in prefixes)


def _rules(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rules, each as one mapping of its action and conditions, without what means nothing."""
    written = properties.get(RULES)
    rules = [rule for rule in written if isinstance(rule, dict)] if isinstance(written, list) else []
    return [{**_meant(rule.get("action")), **_meant(rule.get("condition"))} for rule in rules]


def _meant(part: Any) -> dict[str, Any]:
    """Return what is said in a part of a rule: zeros and empty texts are Google Cloud's, `send...` the provider's."""
    items = part.items() if isinstance(part, dict) else ()
    return {
        key: value
        for key, value in items
        if value and value != _ANY_STATE and not key.startswith(("__", "send", "noAge"))
    }


def _in_words(rule: Mapping[str, Any]) -> str:
    """Return a rule such as "Delete after 7 days in pathways/"."""
    said = dict(rule)
    action, age, prefixes = str(said.pop("type", "?")), said.pop("age", None), said.pop("matchesPrefixes", None)
    parts = [action]
    if age is not None:
        parts.append(f"after {counted(age, 'day') if isinstance(age, int) else age}")
    if isinstance(prefixes, list):
        parts.append(f"in {' and '.join(map(str, prefixes))}")
    parts += [f"{key} {json.dumps(value, default=str)}" for key, value in said.items()]
    return " ".join(parts)
