"""As many hosts as large jobs have, and every pod of them runs. Operations of the simulated cloud take no time."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.rehearsal import PROJECT, Rehearsal

pytestmark = pytest.mark.rehearsal

POOL = "cloud.google.com/gke-nodepool"
JOB = "jobset.sigs.k8s.io/jobset-name"
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
SLICE = "jobset.sigs.k8s.io/job-index"
HOSTS = 16  # of a v5p-128


def slices_of(rehearsal: Rehearsal) -> dict[str, Counter[str]]:
    """How many workers of each slice's worth run on each node pool; asserts that every pod of a job runs."""
    pools = {node["metadata"]["name"]: node["metadata"]["labels"][POOL] for node in rehearsal.kubectl("nodes")}
    found: dict[str, Counter[str]] = defaultdict(Counter)
    taken = Counter[str]()
    for pod in rehearsal.kubectl("pods", "--all-namespaces", "--selector", JOB):
        labels, node = pod["metadata"]["labels"], pod["spec"]["nodeName"]
        assert pod["status"]["phase"] == "Running"
        assert {"type": "Ready", "status": "True"}.items() <= ready(pod).items()
        if labels[ROLE] == "worker":
            found[f"{labels[JOB]}-{labels[SLICE]}"][pools[node]] += 1
            taken[node] += 1
    assert set(taken.values()) == {1}
    return found


def ready(pod: dict[str, Any]) -> dict[str, Any]:
    return next(condition for condition in pod["status"]["conditions"] if condition["type"] == "Ready")


def bring_up(rehearsal: Rehearsal, seconds: float) -> dict[str, Counter[str]]:
    options = rehearsal.folder / "options.json"
    options.write_text('{"timeScale": 0}')
    try:
        rehearsal.run("up", "--options", str(options), seconds=seconds)
        return slices_of(rehearsal)
    finally:
        rehearsal.run("down", "--discard")


def assert_whole(found: dict[str, Counter[str]], slices: int) -> None:
    """Each slice's worth of workers is on one pool with all its hosts, and no two are on the same."""
    assert len(found) == slices
    assert [dict(pools) for pools in found.values() if list(pools.values()) != [HOSTS]] == []
    assert len({pool for pools in found.values() for pool in pools}) == slices


@pytest.mark.timeout(900)
def test_64_slices_of_16_hosts_are_taken_whole(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "large")
    rehearsal.file.write_text((PROJECT / "examples" / "large" / "Pulumi.large.yaml").read_text())
    assert_whole(bring_up(rehearsal, seconds=560), 64)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_200_slices_of_16_hosts_are_taken_whole(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "larger")
    groups, image = {"first": 100, "second": 100}, "python:3.13"
    rehearsal.write(
        {
            "environment": "dev",
            "zone": "us-east5-a",
            "jax": "0.8.3",
            "head": {"minNodes": 2},
            "slices": [
                {"name": name, "tpu": "v5p-128", "count": count, "capacity": {"reservation": {"name": name}}}
                for name, count in groups.items()
            ],
            "workloads": [
                {"name": f"on-{name}", "kind": "pathways", "slices": {"group": name, "count": count}, "image": image}
                for name, count in groups.items()
            ],
        }
    )
    assert_whole(bring_up(rehearsal, seconds=1100), 200)
