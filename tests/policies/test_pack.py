"""The pack, asked as the engine asks it: through the SDK's own service, and with values that are not known yet."""

from collections.abc import Sequence

import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _PolicyAnalyzerServicer
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from pathways.resources import Resource
from pathways.rules import RULES, Context, Environment, Use
from policies.pack import policies
from policies.settings import PackError, PackSettings
from tests.rules.a_stack import GONE, a_stack, changed, stack_with

PROD = PackSettings(Context(Environment.PROD, jax="0.8.3"))


def pack(settings: PackSettings = PROD) -> _PolicyAnalyzerServicer:
    return _PolicyAnalyzerServicer("pathways", "0.0.1", policies(lambda: settings), EnforcementLevel.ADVISORY)


def properties(resource: Resource) -> struct_pb2.Struct:
    return json_format.ParseDict(dict(resource.properties), struct_pb2.Struct())


def said(response: proto.AnalyzeResponse) -> list[tuple[str, str, str]]:
    """Policy, level and message of each violation; the SDK puts the policy's description on lines before."""
    return [
        (each.policyName, proto.EnforcementLevel.Name(each.enforcementLevel), each.message.rpartition("\n")[2])
        for each in response.diagnostics
    ]


def ask(resource: Resource, servicer: _PolicyAnalyzerServicer | None = None) -> list[tuple[str, str, str]]:
    request = proto.AnalyzeRequest(
        type=resource.type,
        properties=properties(resource),
        urn=resource.urn,
        name=resource.name,
        options=proto.AnalyzerResourceOptions(protect=resource.options.protect, parent=resource.parent),
    )
    return said((servicer or pack()).Analyze(request, None))


def ask_stack(
    resources: Sequence[Resource], servicer: _PolicyAnalyzerServicer | None = None
) -> list[tuple[str, str, str]]:
    request = proto.AnalyzeStackRequest(
        resources=[
            proto.AnalyzerResource(
                type=resource.type,
                properties=properties(resource),
                urn=resource.urn,
                name=resource.name,
                options=proto.AnalyzerResourceOptions(protect=resource.options.protect, parent=resource.parent),
                parent=resource.parent,
                dependencies=resource.options.dependencies,
            )
            for resource in resources
        ]
    )
    return said((servicer or pack()).AnalyzeStack(request, None))


def test_a_stack_without_faults_passes() -> None:
    for resource in a_stack():
        assert ask(resource) == []
    assert ask_stack(a_stack()) == []


def test_an_error_is_mandatory_and_says_where_what_and_what_instead() -> None:
    pool = next(resource for resource in a_stack() if resource.name == "v6e-0")
    assert ask(changed(pool, {"nodeCount": 2})) == [
        (
            "tpu-node-count-matches-topology",
            "MANDATORY",
            "nodeCount: 2 nodes, and the slice 4x4 of ct6e-standard-4t has 4 hosts."
            " Write nodeCount 4, or leave it to be derived.",
        )
    ]


def test_a_warning_is_advice() -> None:
    network = next(resource for resource in a_stack() if resource.name == "vpc")
    assert [(rule, level) for rule, level, _ in ask(changed(network, {"mtu": 1460}))] == [("network-mtu", "ADVISORY")]


@pytest.mark.parametrize(
    ("environment", "policy", "level"),
    [
        (Environment.PROD, "pathways-version-pinned", "MANDATORY"),
        (Environment.DEV, "pathways-version-pinned-warning", "ADVISORY"),
    ],
)
def test_what_differs_between_environments_has_a_policy_for_each_level(
    environment: Environment, policy: str, level: str
) -> None:
    job = next(resource for resource in a_stack() if resource.name == "train")
    unpinned = changed(job, {"spec.pathwaysVersion": GONE})
    found = ask(unpinned, pack(PackSettings(Context(environment))))
    assert [(rule, level) for rule, level, _ in found if rule.startswith("pathways-version")] == [(policy, level)]


def test_an_unknown_value_hides_neither_other_values_nor_other_resources() -> None:
    """The SDK would skip a whole policy at the first value that is not known yet."""
    pool = next(resource for resource in a_stack() if resource.name == "v6e-0")
    half_known = changed(pool, {"nodeConfig.serviceAccount": UNKNOWN_STRING_VALUE, "nodeCount": 2})
    assert [rule for rule, _, _ in ask(half_known)] == ["tpu-node-count-matches-topology"]
    unknown = changed(pool, {"nodeConfig.machineType": UNKNOWN_STRING_VALUE, "name": UNKNOWN_STRING_VALUE})
    stack = [unknown, *stack_with("v6e-1", {"nodeConfig.labels.MultisliceGroupSize": "5"})]
    assert "multislice-group-size" in [rule for rule, _, _ in ask_stack(stack)]


def test_rules_over_the_stack_name_the_resource() -> None:
    stack = stack_with("bucket", {"location": "EU"})
    request_urn = next(resource.urn for resource in stack if resource.name == "bucket")
    response = ask_stack(stack)
    assert [rule for rule, _, _ in response] == ["scratch-bucket-region"]
    assert request_urn


def test_the_engine_is_told_of_checkpoints_that_a_rule_deletes() -> None:
    variable = {"name": "CHECKPOINT_LOCATION", "value": "gs://p-scratch/pathways/train"}
    stack = stack_with("train", {"spec.controller.template.spec.containers[0].env[1]": variable})
    ((rule, level, message),) = ask_stack(stack)
    assert (rule, level) == ("checkpoints-outlive-scratch", "MANDATORY")
    assert "deletes after 7 days" in message


def test_a_rule_that_the_stack_does_without_is_not_asked() -> None:
    network = next(resource for resource in a_stack() if resource.name == "vpc")
    servicer = pack(PackSettings(PROD.context, frozenset({"network-mtu"})))
    assert ask(changed(network, {"mtu": 1460}), servicer) == []


def test_the_configuration_of_a_policy_can_name_the_environment() -> None:
    cluster = next(resource for resource in a_stack() if resource.name == "cluster")
    servicer = pack()
    request = proto.ConfigureAnalyzerRequest()
    request.policyConfig["deletion-protection-by-env"].properties.update({"environment": "dev"})
    servicer.Configure(request, None)
    off = changed(cluster, {"deletionProtection": False})
    assert [rule for rule, _, _ in ask(off, servicer)] == []
    assert [rule for rule, _, _ in ask(off)] == ["deletion-protection-by-env"]


def test_settings_that_are_wrong_are_a_violation_and_rules_stay_strict() -> None:
    def broken() -> PackSettings:
        raise PackError('pathways:policies.disabled: "x" is no rule')

    servicer = _PolicyAnalyzerServicer("pathways", "0.0.1", policies(broken), EnforcementLevel.ADVISORY)
    assert ("pack-settings", "MANDATORY", 'pathways:policies.disabled: "x" is no rule') in ask_stack(
        a_stack(), servicer
    )
    cluster = next(resource for resource in a_stack() if resource.name == "cluster")
    assert [rule for rule, _, _ in ask(changed(cluster, {"deletionProtection": False}), servicer)] == [
        "deletion-protection-by-env"
    ]


def test_every_rule_that_is_meant_for_the_engine_is_a_policy() -> None:
    names = [policy.name for policy in policies(lambda: PROD)]
    assert len(set(names)) == len(names)
    assert {rule.id for rule in RULES if Use.POLICY in rule.uses} <= set(names)
    assert "tpu-pool-replaced-on-change" not in names  # the engine shows no replaceOnChanges
