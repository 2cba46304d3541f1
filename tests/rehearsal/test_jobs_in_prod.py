"""Jobs of a prod stack: never replaced by accident, and no change where nothing was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

PLATFORM: dict[str, Any] = {
    "environment": "prod",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "install": {"pathwaysJob": {"enabled": False}},
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "capacity": {"spot": {}}}],
    "priorities": {"training": 2000},
    "monitoring": {"emails": ["tpu-team@example.com"]},
}
JOB: dict[str, Any] = {
    "name": "train",
    "kind": "pathways",
    "slices": {"group": "v6e", "count": 2},
    "elastic": {"slices": 1},
    "priority": "training",
    "image": "python:3.13",
    "command": ["python", "train.py"],
    "port": 8000,
    "head": {"serviceAccount": "heads"},
    "workers": {"sharedMemoryGib": 16},
    "noRestartOnExitCodes": [2],
    "labels": {"team": "a"},
    "overrides": {"metadata": {"annotations": {"note": "of the escape hatch"}}},
}


def uid(rehearsal: Rehearsal) -> str:
    (job,) = rehearsal.kubectl("jobsets", "--namespace=pathways")
    return str(job["metadata"]["uid"])


def test_a_job_in_prod_is_replaced_when_it_is_named_and_not_before(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "jobs-in-prod")
    rehearsal.write({**PLATFORM, "workloads": [JOB]})
    try:
        rehearsal.run("up")
        assert "nothing to change" in rehearsal.run("preview")
        first = uid(rehearsal)
        (gate,) = rehearsal.kubectl(
            "configmaps", "--namespace=jobset-system", "--selector=app.kubernetes.io/name=jobset"
        )
        assert "RestartJob: true" in gate["data"]["controller_manager_config.yaml"]
        (job,) = rehearsal.kubectl("jobsets", "--namespace=pathways")
        assert job["metadata"]["annotations"]["note"] == "of the escape hatch"

        changed = {**JOB, "jobRestarts": 5}
        rehearsal.write({**PLATFORM, "workloads": [changed]})
        printed = rehearsal.run("up", code=1)
        assert "marked for protection" in printed
        assert uid(rehearsal) == first

        rehearsal.write({**PLATFORM, "workloads": [changed], "replaceable": ["train"]})
        assert "1 replace" in rehearsal.run("up")
        assert uid(rehearsal) != first
        (job,) = rehearsal.kubectl("jobsets", "--namespace=pathways")
        assert job["spec"]["failurePolicy"]["maxRestarts"] == 5
        assert "nothing to change" in rehearsal.run("preview")
    finally:
        rehearsal.run("down")
