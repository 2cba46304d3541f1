"""Every rule passes what is right and complains about what is wrong, in the words of the field."""

import pytest

from pathways.rules import RULES, Context, Environment, Stack, Use, check, findings_of
from tests.rules.a_stack import a_stack, stack_with
from tests.rules.examples.all import EXAMPLES
from tests.rules.examples.example import Example

BY_ID = {rule.id: rule for rule in RULES}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_example(example: Example) -> None:
    resources = stack_with(example.target, example.changes, without=example.without)
    found = list(findings_of(BY_ID[example.rule], Stack([*resources, *example.more]), example.context))
    if example.passes:
        assert [finding.message for finding in found] == []
    else:
        said = [finding for finding in found if example.says in finding.message]
        assert said, [finding.message for finding in found]
        assert said[0].severity == example.severity


@pytest.mark.parametrize("use", list(Use))
def test_a_stack_without_faults_passes_every_rule(use: Use) -> None:
    findings = check(a_stack(), Context(Environment.PROD, jax="0.8.3"), use)
    assert [(finding.rule.id, finding.message) for finding in findings] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_failing_example_of_each_severity(rule) -> None:
    shown = {example.severity for example in EXAMPLES if example.rule == rule.id and not example.passes}
    assert shown == {severity.value for severity in rule.severities}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_passing_example(rule) -> None:
    """The faultless stack is one, if it has a resource that the rule is about."""
    assert Stack(a_stack()).has(*rule.kinds)


def test_examples_are_of_rules_that_exist() -> None:
    assert {example.rule for example in EXAMPLES} <= set(BY_ID)
