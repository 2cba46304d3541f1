"""A running stack gives up the PathwaysJob controller, and takes it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.cluster import until
from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal


def platform(*, controller: bool) -> dict[str, Any]:
    job = {"name": "train", "kind": "pathways", "slices": {"group": "v6e", "count": 2}, "image": "python:3.13"}
    return {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "install": {"pathwaysJob": {"enabled": controller}},
        "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "capacity": {"spot": {}}}],
        "workloads": [{**job, "command": ["python", "train.py"]}],
    }


def jobset(rehearsal: Rehearsal) -> dict[str, Any]:
    (found,) = rehearsal.kubectl("jobsets", "--namespace=pathways")
    return found["metadata"]


def bring_up(rehearsal: Rehearsal) -> None:
    """Runs `up`, and once more where the controller was faster.

    It makes a JobSet anew that is deleted with its PathwaysJob, as long as that is still there; the real one does, too.
    """
    process = rehearsal.start("up")
    printed, _ = process.communicate(timeout=300)
    if process.returncode:
        assert 'jobsets.jobset.x-k8s.io "train" already exists' in printed
        until(lambda: not rehearsal.kubectl("jobsets", "--namespace=pathways"), "the last one is collected")
        rehearsal.run("up")


def test_a_job_changes_its_form_without_a_second_one_beside_it(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "form")
    try:
        rehearsal.write(platform(controller=True))
        rehearsal.run("up")
        by_controller = jobset(rehearsal)
        assert by_controller["ownerReferences"][0]["kind"] == "PathwaysJob"

        rehearsal.write(platform(controller=False))
        bring_up(rehearsal)
        direct = jobset(rehearsal)
        assert "ownerReferences" not in direct
        assert direct["uid"] != by_controller["uid"]
        assert "nothing to change" in rehearsal.run("preview")

        rehearsal.write(platform(controller=True))
        rehearsal.run("up")
        assert jobset(rehearsal)["ownerReferences"][0]["kind"] == "PathwaysJob"
    finally:
        rehearsal.run("down", "--discard")
