"""A stack whose pools grow with its jobs: a second head gets a node, a flex-start slice comes when it is asked for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

POOL = "cloud.google.com/gke-nodepool"
JOB = "jobset.sigs.k8s.io/jobset-name"
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
PATIENCE_SECONDS = 90

STANDING = {"name": "standing", "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}}
FLEX = {"name": "flex", "tpu": "v6e-16", "count": 1, "capacity": {"flexStart": {}}}


def job(name: str, group: str) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "pathways",
        "slices": {"group": group, "count": 1},
        "image": "python:3.13",
        "command": ["python", "-c", "print(1)"],
    }


FIRST, SECOND = job("first", "standing"), job("second", "flex")


def platform(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "head": {"minNodes": 1, "maxNodes": 2},
        "slices": [STANDING, FLEX],
        "workloads": list(jobs),
    }


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """A sandbox that is up with one job."""
    rehearsal = Rehearsal(tmp_path_factory.mktemp("growing"), "growing")
    rehearsal.write(platform(FIRST))
    rehearsal.run("up")
    yield rehearsal
    if rehearsal.home.exists():
        rehearsal.run("down")


def sizes(growing: Rehearsal) -> Counter[str]:
    """Nodes by pool."""
    return Counter(node["metadata"]["labels"][POOL] for node in growing.kubectl("nodes"))


def pods_of(growing: Rehearsal, job: str, role: str) -> list[dict[str, Any]]:
    selector = f"{JOB}={job},{ROLE}={role}"
    return growing.kubectl("pods", "--all-namespaces", "--selector", selector)


def await_sizes(growing: Rehearsal, expected: dict[str, int]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := sizes(growing)) != expected and time.monotonic() < deadline:
        time.sleep(1)
    assert found == expected


def test_nothing_grows_that_no_job_asks_for(growing: Rehearsal) -> None:
    assert sizes(growing) == {"system": 1, "heads": 1, "standing-0": 4}  # 16 chips, 4 on a host
    assert growing.journal("autoscale") == []


def test_a_second_job_gets_a_head_node_of_its_own(growing: Rehearsal) -> None:
    growing.write(platform(FIRST, SECOND))
    growing.run("up")  # which waits until the pods of all jobs run
    heads = [pod for job in ("first", "second") for pod in pods_of(growing, job, "pathways-head")]
    assert [pod["status"]["phase"] for pod in heads] == ["Running", "Running"]
    assert len({pod["spec"]["nodeName"] for pod in heads}) == 2
    assert sizes(growing)["heads"] == 2


def test_the_flex_start_slice_came_whole_when_the_job_asked(growing: Rehearsal) -> None:
    workers = pods_of(growing, "second", "worker")
    assert [pod["status"]["phase"] for pod in workers] == ["Running"] * 4
    assert sizes(growing) == {"system": 1, "heads": 2, "standing-0": 4, "flex-0": 4}
    (created,) = [entry for entry in growing.journal("create") if entry["id"].endswith("/flex-0")]
    (grew,) = [entry for entry in growing.journal("autoscale") if entry["id"].endswith("/flex-0")]
    assert grew["inputs"]["nodes"] == {"from": 0, "to": 4}
    assert grew["outcome"] == "ok"
    assert grew["started"] >= created["ended"]


def test_the_pods_tell_why_nodes_came(growing: Rehearsal) -> None:
    events = [each for each in growing.kubectl("events", "--all-namespaces") if each["reason"] == "TriggeredScaleUp"]
    assert {each["source"]["component"] for each in events} == {"cluster-autoscaler"}
    told = {each["involvedObject"]["name"] for each in events}
    assert any(name.startswith("second-worker-0-0") for name in told)
    assert any("-pathways-head-" in name for name in told)


def test_neither_preview_nor_refresh_finds_a_difference(growing: Rehearsal) -> None:
    assert "nothing to change" in growing.run("preview")
    growing.run("refresh")
    assert "nothing to change" in growing.run("preview")
    assert sizes(growing) == {"system": 1, "heads": 2, "standing-0": 4, "flex-0": 4}


def test_what_a_job_leaves_idle_goes(growing: Rehearsal) -> None:
    growing.write(platform(FIRST))
    growing.run("up")
    await_sizes(growing, {"system": 1, "heads": 1, "standing-0": 4})
    (head,) = pods_of(growing, "first", "pathways-head")
    assert head["status"]["phase"] == "Running"
    assert "nothing to change" in growing.run("preview")
