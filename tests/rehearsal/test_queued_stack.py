"""A stack with queues, deployed and changed by the real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = [pytest.mark.rehearsal, pytest.mark.nightly, pytest.mark.timeout(900)]

GROUP = {"name": "v6e", "tpu": "v6e-8", "count": 3, "capacity": {"spot": {}}}
JOB = {"name": "train", "kind": "pathways", "queue": "research", "slices": {"group": "v6e", "count": 1}, "image": "a:1"}


def platform(research: int, product: int) -> dict[str, Any]:
    return {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "slices": [GROUP],
        "queues": [{"name": "research", "slices": {"v6e": research}}, {"name": "product", "slices": {"v6e": product}}],
        "workloads": [JOB],
    }


def one(rehearsal: Rehearsal, *words: str) -> dict[str, Any]:
    (found,) = rehearsal.kubectl(*words)
    return found


def chips(queue: dict[str, Any]) -> dict[str, str]:
    """Guaranteed chips by flavor."""
    (group,) = queue["spec"]["resourceGroups"]
    return {
        flavor["name"]: next(each["nominalQuota"] for each in flavor["resources"] if each["name"] == "google.com/tpu")
        for flavor in group["flavors"]
    }


def test_quotas_change_in_place_under_a_running_job(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "teams")
    try:
        rehearsal.write(platform(research=1, product=1))
        rehearsal.run("up")  # returns once the job's pods run, so that its queue has admitted it
        assert "nothing to change" in rehearsal.run("preview")
        queue, job = one(rehearsal, "clusterqueue", "research"), one(rehearsal, "jobsets", "--namespace=pathways")
        assert chips(queue) == {"heads": "0", "slices-v6e": "8"}

        rehearsal.write(platform(research=2, product=1))
        rehearsal.run("up")
        changed = one(rehearsal, "clusterqueue", "research")
        assert chips(changed) == {"heads": "0", "slices-v6e": "16"}
        assert changed["metadata"]["uid"] == queue["metadata"]["uid"]
        assert one(rehearsal, "jobsets", "--namespace=pathways")["metadata"]["uid"] == job["metadata"]["uid"]
        assert "nothing to change" in rehearsal.run("preview")
    finally:
        rehearsal.run("down", "--discard")
