"""Buckets of a prod stack: Pathways' own rule beside ours, and objects that outlive what happens to the stack.

The tests of this file share one sandbox and build on each other: each states what the last command must have left.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.cloud import Console, read_records
from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

BUCKET = "gcp:storage/bucket:Bucket"
SCRATCH, CHECKPOINTS = "rehearsed-pathways-buckets-scratch", "rehearsed-pathways-buckets-checkpoints"
HEAD = "jobset.sigs.k8s.io/replicatedjob-name=pathways-head"
PLATFORM: dict[str, Any] = {
    "environment": "prod",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "install": {"pathwaysJob": {"enabled": False}},
    "monitoring": {"enabled": False},
    "slices": [
        {"name": name, "machineType": "ct6e-standard-4t", "topology": "2x2", "count": 1, "capacity": {"spot": {}}}
        for name in ("v6e", "other")
    ],
    "checkpoints": {},
    "workloads": [
        {
            "name": "train",
            "kind": "pathways",
            "slices": {"group": "v6e", "count": 1},
            "image": "python:3.13",
            "command": ["python", "train.py"],
        },
        {
            "name": "solo",
            "kind": "multislice",
            "slices": {"group": "other", "count": 1},
            "image": "python:3.13",
            "hostNetwork": False,
            "workers": {"serviceAccount": "trainer"},
        },
    ],
}
SECONDS = 90


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    rehearsal = Rehearsal(tmp_path_factory.mktemp("buckets"), "buckets")
    rehearsal.write(PLATFORM)
    try:
        rehearsal.run("up")
        yield rehearsal
    finally:
        if rehearsal.home.exists():
            rehearsal.run("down", "--discard")


def rules(stack: Rehearsal) -> list[tuple[str, int | None, list[str]]]:
    """Action, age and prefixes of the scratch bucket's lifecycle rules, as the cloud has them."""
    (bucket,) = [each for each in read_records(stack.home / "cloud") if (each.type, each.id) == (BUCKET, SCRATCH)]
    told = [(rule["action"]["type"], rule["condition"]) for rule in bucket.properties["lifecycleRules"]]
    return [(action, condition.get("age"), condition.get("matchesPrefixes") or []) for action, condition in told]


def await_rules(stack: Rehearsal, number: int) -> None:
    ends = time.monotonic() + SECONDS
    while len(rules(stack)) != number:
        assert time.monotonic() < ends, rules(stack)
        time.sleep(0.25)


OURS = [("Delete", 7, ["pathways/"]), ("AbortIncompleteMultipartUpload", 1, [])]
THEIRS = ("Delete", 14, ["pathways/"])


def test_pathways_adds_its_rule_when_the_head_starts(stack: Rehearsal) -> None:
    await_rules(stack, 3)
    assert rules(stack) == [*OURS, THEIRS]
    (entry,) = stack.journal("pathways", BUCKET)
    (head,) = stack.kubectl("pods", "--namespace=pathways", "--selector", HEAD)
    assert entry["inputs"]["pod"] == f"pathways/{head['metadata']['name']}"
    (main,) = [each for each in head["spec"]["containers"] if each["name"] == "main"]
    assert {"name": "CHECKPOINT_LOCATION", "value": f"gs://{CHECKPOINTS}/train"} in main["env"]


def test_nodes_and_whoever_is_off_the_host_network_may_write_checkpoints(stack: Rehearsal) -> None:
    grants = stack.journal("create", "gcp:storage/bucketIAMMember:BucketIAMMember")
    members = {each["inputs"]["member"] for each in grants if each["inputs"]["bucket"] == CHECKPOINTS}
    (solo,) = stack.kubectl("pods", "--namespace=pathways", "--selector=jobset.sigs.k8s.io/jobset-name=solo")
    account = f"{solo['metadata']['namespace']}/{solo['spec']['serviceAccountName']}"
    nodes = [f"pathways-buckets-{nodes}@rehearsed.iam.gserviceaccount.com" for nodes in ("heads", "slices")]
    assert members == {f"serviceAccount:{each}" for each in (*nodes, f"rehearsed.svc.id.goog[{account}]")}
    assert all(each["outcome"] == "ok" for each in grants)


def test_the_rule_survives_update_and_refresh_and_nothing_differs(stack: Rehearsal) -> None:
    assert "nothing to change" in stack.run("preview")
    stack.run("refresh")
    assert "nothing to change" in stack.run("up")
    assert rules(stack) == [*OURS, THEIRS]


def test_an_edited_age_waits_for_the_setting_that_lets_one_update_write_it(stack: Rehearsal) -> None:
    stack.write({**PLATFORM, "scratch": {"expireDays": 3}})
    assert "nothing to change" in stack.run("preview")
    stack.write({**PLATFORM, "scratch": {"expireDays": 3, "overwriteLifecycle": True}})
    stack.run("up")
    written = [("Delete", 3, ["pathways/"]), OURS[1]]
    assert rules(stack) == written
    stack.write({**PLATFORM, "scratch": {"expireDays": 3}})
    assert "nothing to change" in stack.run("preview")
    stack.tell("delete", "pods", "--namespace=pathways", "--selector", HEAD)
    await_rules(stack, 3)
    assert rules(stack) == [*written, THEIRS]


def test_destroy_is_refused_and_takes_no_object(stack: Rehearsal) -> None:
    with Console(json.loads((stack.home / "daemon.json").read_text())["ports"]["cloud"]) as console:
        console.put_object(SCRATCH, "pathways/program")
        console.put_object(CHECKPOINTS, "train/1000/state")
    asked = stack.pulumi("destroy", "--yes")
    assert asked.returncode != 0
    said = asked.stdout + asked.stderr
    assert "protected" in said
    assert json.dumps([each["urn"] for each in stack.state()]).count(BUCKET) >= 2
    kept = {each.id: set(each.objects) for each in read_records(stack.home / "cloud") if each.type == BUCKET}
    assert kept == {SCRATCH: {"pathways/program"}, CHECKPOINTS: {"train/1000/state"}}


def test_a_bucket_with_objects_stays_when_its_protection_is_lifted(stack: Rehearsal) -> None:
    told = stack.run("down", code=1)
    assert f"{CHECKPOINTS} containing objects without `force_destroy`" in told.replace("\n", " ")
    kept = {each.id for each in read_records(stack.home / "cloud") if each.type == BUCKET}
    assert kept == {SCRATCH, CHECKPOINTS}
