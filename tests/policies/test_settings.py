"""What a stack's configuration says to the pack."""

import contextvars
import json

import pulumi
import pytest
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _PolicyAnalyzerServicer

from pathways.rules import Environment
from policies.pack import policies
from policies.settings import PackError, keep_stack_configuration, settings_of, stack_settings

PLATFORM = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "capacity": {"spot": {}}}],
}


def test_our_own_stacks_tell_environment_and_jax_version() -> None:
    context = settings_of(PLATFORM, None, "p").context
    assert (context.environment, context.jax) == (Environment.DEV, "0.8.3")


def test_stacks_of_other_programs_are_prod_unless_they_say_otherwise() -> None:
    assert settings_of(None, None, None).context.environment is Environment.PROD
    assert settings_of(None, {"environment": "dev"}, None).context.environment is Environment.DEV


def test_rules_can_be_done_without() -> None:
    assert settings_of(None, {"disabled": ["network-mtu"]}, None).disabled == {"network-mtu"}


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"disabled": ["network-mut"]}, 'did you mean "network-mtu"'),
        ({"disabled": "network-mtu"}, "not a list"),
        ({"disabled": [{"a": 1}]}, "is no rule"),
        ({"environment": "staging"}, "neither dev nor prod"),
        ({"levels": {}}, "environment and disabled"),
        (["network-mtu"], "not a mapping"),
        ("not json", "not a mapping"),
    ],
)
def test_what_is_wrong_is_said(written: object, says: str) -> None:
    with pytest.raises(PackError, match=says):
        settings_of(None, written, None)


def test_the_configuration_comes_with_the_engines_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_PolicyAnalyzerServicer, "ConfigureStack", _PolicyAnalyzerServicer.ConfigureStack)
    monkeypatch.setenv("PULUMI_CONFIG", "{}")
    keep_stack_configuration()
    config = {"gcp:project": "p", "pathways:platform": json.dumps(PLATFORM)}

    def environment_that_policies_see() -> Environment:
        pulumi.runtime.config.CONFIG.set({})
        servicer = _PolicyAnalyzerServicer("pathways", "0.0.1", policies(), EnforcementLevel.ADVISORY)
        servicer.ConfigureStack(proto.AnalyzerStackConfigureRequest(stack="dev", config=config), None)
        servicer.Analyze(proto.AnalyzeRequest(type="a:b:C", urn="urn", name="c"), None)
        return stack_settings().context.environment

    assert contextvars.copy_context().run(environment_that_policies_see) is Environment.DEV
