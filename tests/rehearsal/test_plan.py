"""The offline plan against a stack that is deployed, beside the real engine's preview of the same edit."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rehearsal.rehearsal import PROJECT, Rehearsal

pytestmark = [pytest.mark.rehearsal, pytest.mark.nightly]

PLATFORM: dict[str, Any] = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "head": {"minNodes": 1, "maxNodes": 2},
    "slices": [
        {"name": "big", "tpu": "v6e-16", "count": 2, "spares": 1, "capacity": {"spot": {}}},
        {"name": "small", "tpu": "v6e-8", "count": 2, "capacity": {"onDemand": {}}},
        {"name": "other", "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}},
    ],
    "priorities": {"high-prior-job": 2000},
}
STEP = re.compile(r"^  (create|update|replace|delete) (\S+) (\S+)$", re.MULTILINE)
VERBS = {"create": "create", "update": "update", "replace": "replace", "delete": "destroy"}


def resized(platform: dict[str, Any]) -> None:
    platform["slices"][0]["tpu"] = "v6e-32"


def spot_no_more(platform: dict[str, Any]) -> None:
    platform["slices"][2]["capacity"] = {"onDemand": {}}


def one_more_and_a_group_less(platform: dict[str, Any]) -> None:
    platform["slices"][0]["count"] = 3
    del platform["slices"][2]


def another_cluster(platform: dict[str, Any]) -> None:
    platform["cluster"] = {"name": "another"}


def other_addresses(platform: dict[str, Any]) -> None:
    platform["network"] = {"nodeRange": "10.1.0.0/18"}


def nothing(_: dict[str, Any]) -> None:
    pass


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    rehearsal = Rehearsal(tmp_path_factory.mktemp("planned"), "planned")
    rehearsal.write(PLATFORM)
    rehearsal.run("up")
    yield rehearsal
    rehearsal.write(PLATFORM)
    rehearsal.run("down")


@pytest.mark.parametrize(
    "edit", [nothing, resized, spot_no_more, one_more_and_a_group_less, other_addresses, another_cluster]
)
def test_the_plan_says_what_the_engine_says(deployed: Rehearsal, edit: Any) -> None:
    platform = copy.deepcopy(PLATFORM)
    edit(platform)
    deployed.write(platform)
    previewed = {name: VERBS[verb] for verb, _, name in STEP.findall(deployed.run("preview"))}
    state = deployed.folder / "state.json"
    state.write_text(json.dumps({"version": 3, "deployment": {"resources": deployed.state()}}))
    command = [sys.executable, "-m", "pathways", "plan", str(deployed.file), "--against", str(state), "--json"]
    planned = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    steps = json.loads(planned.stdout)["update"]["steps"]
    told = [step for step in steps if not step["type"].startswith("pulumi:providers:")]  # previews leave them out
    assert {step["name"]: step["verb"] for step in told if step["verb"] != "same"} == previewed
    assert bool(previewed) is (edit is not nothing)
