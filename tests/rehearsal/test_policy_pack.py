"""The policy pack in the real engine, which has it started by the sandbox's language host."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi import automation

from sandbox.toolchain import ensure

pytestmark = pytest.mark.rehearsal

PROJECT = Path(__file__).resolve().parents[2]
PACK = str(PROJECT / "policies")


@pytest.fixture(scope="module")
def engine_on_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The engine, and a language host, which is found on the PATH by its name."""
    folder = tmp_path_factory.mktemp("bin")
    host = folder / "pulumi-language-python"
    command = shlex.join([sys.executable, "-m", "sandbox.engine.language_host"])
    host.write_text(f'#!/bin/sh\ncd {shlex.quote(str(PROJECT))} && exec {command} "$@"\n')
    host.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = os.pathsep.join([str(folder), str(ensure(["pulumi"]).path("pulumi").parent), before])
    yield
    os.environ["PATH"] = before


class Declared(pulumi.ComponentResource):
    """A resource of any type that needs no provider; policies are asked about it like about any other."""

    def __init__(self, type_: str, name: str, properties: Mapping[str, Any]) -> None:
        super().__init__(type_, name, properties)
        self.register_outputs({})


def stack_of(program: Callable[[], None], folder: Path, config: str | None = None) -> automation.Stack:
    state = folder / "state"
    state.mkdir()
    stack = automation.create_or_select_stack(
        "dev",
        "toy",
        program,
        opts=automation.LocalWorkspaceOptions(
            env_vars={
                "PULUMI_BACKEND_URL": state.as_uri(),
                "PULUMI_HOME": str(folder / "home"),
                "PULUMI_CONFIG_PASSPHRASE": "rehearsal",
                "PULUMI_SKIP_UPDATE_CHECK": "1",
                "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "1",
            },
        ),
    )
    if config:
        stack.set_config("pathways:policies", automation.ConfigValue(config))
    return stack


def priority_class(value: int) -> Callable[[], None]:
    properties = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": value,
        "preemptionPolicy": "Never",
    }
    return lambda: Declared("kubernetes:scheduling.k8s.io/v1:PriorityClass", "high", properties) and None


@pytest.mark.usefixtures("engine_on_path")
def test_a_violation_stops_the_update(tmp_path: Path) -> None:
    with pytest.raises(automation.CommandError, match="The value is -5") as stopped:
        stack_of(priority_class(-5), tmp_path).up(policy_packs=[PACK])
    assert "[mandatory]  priority-value" in str(stopped.value)


@pytest.mark.usefixtures("engine_on_path")
def test_what_keeps_the_rules_is_deployed(tmp_path: Path) -> None:
    result = stack_of(priority_class(5), tmp_path).up(policy_packs=[PACK])
    assert result.summary.result == "succeeded"
    assert result.summary.resource_changes == {"create": 2}


@pytest.mark.usefixtures("engine_on_path")
def test_a_stack_can_do_without_a_rule(tmp_path: Path) -> None:
    result = stack_of(priority_class(-5), tmp_path, '{"disabled": ["priority-value"]}').up(policy_packs=[PACK])
    assert result.summary.result == "succeeded"


@pytest.mark.usefixtures("engine_on_path")
def test_a_level_is_set_by_the_engines_own_configuration(tmp_path: Path) -> None:
    levels = tmp_path / "levels.json"
    levels.write_text('{"priority-value": "advisory"}')
    result = stack_of(priority_class(-5), tmp_path).up(policy_packs=[PACK], policy_pack_configs=[str(levels)])
    assert result.summary.result == "succeeded"
    assert "[advisory]  priority-value" in result.stdout


def slices_of_which_one_is_not_known() -> None:
    unknown: asyncio.Future[Any] = asyncio.Future()
    unknown.set_result(None)
    known: asyncio.Future[bool] = asyncio.Future()
    known.set_result(False)
    not_known_yet: pulumi.Output[Any] = pulumi.Output(set(), unknown, known)
    node_config = {"machineType": "ct6e-standard-4t", "labels": {"MultisliceGroup": "a", "MultisliceGroupSize": "3"}}
    token = "gcp:container/nodePool:NodePool"
    Declared(token, "unknown", {"name": not_known_yet, "nodeConfig": {"machineType": not_known_yet}})
    Declared(
        token,
        "half-known",
        {
            "name": "half-known",
            "nodeCount": 2,
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
            "nodeConfig": {**node_config, "serviceAccount": not_known_yet},
        },
    )


@pytest.mark.usefixtures("engine_on_path")
def test_a_preview_finds_faults_beside_values_that_are_not_known_yet(tmp_path: Path) -> None:
    with pytest.raises(automation.CommandError) as stopped:
        stack_of(slices_of_which_one_is_not_known, tmp_path).preview(policy_packs=[PACK])
    text = str(stopped.value)
    assert "2 nodes, and the slice 4x4 of ct6e-standard-4t has 4 hosts" in text
    assert "can't run policy" not in text
