"""Rules look at whatever there is: values that are not known yet, and values of any type."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathways.gcp import UNKNOWN
from pathways.resources import Resource
from pathways.rules import RULES, Context, Environment, Stack, Use, check, findings_of
from tests.rules.a_stack import a_stack, stack_with
from tests.rules.examples.all import EXAMPLES
from tests.rules.examples.example import Example

PROD = Context(Environment.PROD)
BY_ID = {rule.id: rule for rule in RULES}

CURED_ELSEWHERE = frozenset(
    {
        "jobset-present",
        "multislice-group-size",
        "head-pool-untainted",
        "head-pool-sized",
        "heads-fit-at-once",
        "node-account-role",
        "private-nodes-reach-out",
        "scratch-iam-minimal",
        "webhooks-reachable",
        "queue-references",
        "priority-class-exists",
        "flavor-finds-nodes",
        "scratch-in-the-stacks-bucket",
    }
)
"""Rules that another resource may satisfy: one that is not known yet may be that one."""


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from paths(child, (*at, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


@pytest.mark.parametrize("resource", a_stack(), ids=lambda resource: resource.name)
def test_a_value_that_is_not_known_yet_is_no_fault(resource: Resource) -> None:
    others = [other for other in a_stack() if other.urn != resource.urn]
    for path in paths(resource.properties):
        if path:
            unknown = replace(resource, properties=put(resource.properties, path, UNKNOWN))
            stack = Stack([*others, unknown])
            found = [
                finding for rule in RULES if resource.kind in rule.kinds for finding in findings_of(rule, stack, PROD)
            ]
            assert [(path, finding.rule.id, finding.message) for finding in found] == []


FAILING = [example for example in EXAMPLES if not example.passes and example.rule not in CURED_ELSEWHERE]


@pytest.mark.parametrize("example", FAILING, ids=str)
def test_an_unknown_resource_silences_no_rule_for_others(example: Example) -> None:
    resources = [*stack_with(example.target, example.changes, without=example.without), *example.more]
    strangers = [
        replace(
            resource,
            name="unknown",
            urn=f"{resource.urn}-unknown",
            properties=dict.fromkeys(resource.properties, UNKNOWN),
        )
        for resource in a_stack()
    ]
    rule = BY_ID[example.rule]
    for stack in (Stack([*strangers, *resources]), Stack([*resources, *strangers])):
        assert any(example.says in finding.message for finding in findings_of(rule, stack, example.context))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
STACK = a_stack()
PLACES = [(resource, path) for resource in STACK for path in paths(resource.properties) if path]


@given(place=st.sampled_from(PLACES), value=ANYTHING, environment=st.sampled_from(Environment))
def test_no_value_is_too_strange(place: Any, value: Any, environment: Environment) -> None:
    resource, path = place
    strange = replace(resource, properties=put(resource.properties, path, value))
    stack = Stack([*(other for other in STACK if other.urn != resource.urn), strange])
    for rule in RULES:
        if resource.kind in rule.kinds:
            for finding in findings_of(rule, stack, Context(environment)):
                assert finding.message
                assert finding.remedy


@pytest.mark.parametrize("kind", sorted({resource.type for resource in a_stack()}))
def test_a_resource_without_properties_is_looked_at(kind: str) -> None:
    for environment in Environment:
        check([Resource(kind, "bare")], Context(environment), Use.PLAN)
