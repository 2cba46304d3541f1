"""Asks the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from pathways.gcp import UNKNOWN
from pathways.resources import Resource
from pathways.rules.model import Context, Finding, Problem, Rule, Use
from pathways.rules.stack import Stack
from pathways.rules.table import RULES
from pathways.rules.values import root
from pathways.wording import plain

LONGEST_MESSAGE = 1000
"""Characters; foreign names are of any length and have any character in them."""


def check(resources: Iterable[Resource], context: Context, use: Use) -> list[Finding]:
    """Return what the rules of that use find, rule by rule in the table's order."""
    stack = Stack(map(_without_encrypted, resources))
    return [finding for rule in RULES if use in rule.uses for finding in findings_of(rule, stack, context)]


def findings_of(rule: Rule, stack: Stack, context: Context) -> Iterator[Finding]:
    """Yield what one rule finds in the resources."""
    if rule.stack_check and stack.has(*rule.kinds):
        yield from (_finding(rule, problem) for problem in rule.stack_check(stack, context))
    if rule.resource_check:
        for value in stack.each(*rule.kinds):
            yield from (_finding(rule, problem) for problem in rule.resource_check(value, context))


def findings_of_resource(rule: Rule, resource: Resource, context: Context) -> Iterator[Finding]:
    """Yield what a rule over one resource finds in this one."""
    if rule.resource_check and resource.kind in rule.kinds:
        yield from (_finding(rule, problem) for problem in rule.resource_check(root(resource), context))


def _without_encrypted(resource: Resource) -> Resource:
    """Return the resource with UNKNOWN for values that only the engine can decrypt."""
    if not resource.secrets:
        return resource
    return replace(resource, properties={key: _decrypted(value) for key, value in resource.properties.items()})


def _decrypted(value: Any) -> Any:
    match value:
        case {"secure": str()} if len(value) == 1:
            return UNKNOWN
        case dict():
            return {key: _decrypted(item) for key, item in value.items()}
        case list():
            return [_decrypted(item) for item in value]
    return value


def _finding(rule: Rule, problem: Problem) -> Finding:
    return Finding(
        rule=rule,
        severity=problem.severity or rule.severity,
        resource=problem.at.resource,
        path=problem.at.path,
        message=plain(problem.message, LONGEST_MESSAGE),
        remedy=problem.remedy or rule.remedy,
    )
