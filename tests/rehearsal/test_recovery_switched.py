"""A job of a running stack takes up the recovery that needs a feature of JobSet's that is off by default."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

CONTROLLER = ("deployments/jobset-controller", "--namespace=jobset-system")


def platform(**of_job: Any) -> dict[str, Any]:
    job = {"name": "train", "kind": "pathways", "slices": {"group": "v6e", "count": 2}, "image": "python:3.13"}
    return {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "install": {"pathwaysJob": {"enabled": False}},
        "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "capacity": {"spot": {}}}],
        "workloads": [{**job, "command": ["python", "train.py"], **of_job}],
    }


def actions(stack: Rehearsal) -> list[str]:
    (jobset,) = stack.kubectl("jobsets", "--namespace=pathways")
    return [rule["action"] for rule in jobset["spec"]["failurePolicy"]["rules"]]


def generation(stack: Rehearsal) -> int:
    (deployment,) = stack.kubectl(*CONTROLLER)
    number: int = deployment["metadata"]["generation"]
    return number


def test_the_controller_starts_anew_with_the_feature_before_the_job_comes(tmp_path):
    stack = Rehearsal(tmp_path, "switched")
    try:
        stack.write(platform())
        stack.run("up")
        assert "RestartJobAndIgnoreMaxRestarts" not in actions(stack)
        before = generation(stack)
        stack.write(platform(elastic={"slices": 1}))
        stack.run("up")  # it ends well only where the webhook takes the job and all its pods run
        assert "RestartJobAndIgnoreMaxRestarts" in actions(stack)
        assert generation(stack) > before
    finally:
        stack.run("down", "--discard")
