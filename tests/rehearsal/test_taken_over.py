"""Clusters and networks that somebody else made: a stack works in them and leaves them as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud import read_records
from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
PLATFORM: dict[str, Any] = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "slices": [{"name": "v6e", "tpu": "v6e-8", "count": 1, "capacity": {"spot": {}}}],
    "workloads": [
        {
            "name": "train",
            "kind": "pathways",
            "slices": {"group": "v6e", "count": 1},
            "image": "python:3.13",
            "command": ["python", "train.py"],
        }
    ],
}


def test_a_cluster_of_others_is_worked_in_and_left(tmp_path: Path) -> None:
    rehearsal = Rehearsal(tmp_path, "guest")
    rehearsal.write({**PLATFORM, "cluster": {"name": "theirs", "existing": {}}})
    try:
        rehearsal.run("up")
        assert "nothing to change" in rehearsal.run("preview")
        assert {entry["id"] for entry in rehearsal.journal("create", NODE_POOL)} == {
            "rehearsed/us-east5/theirs/heads",
            "rehearsed/us-east5/theirs/v6e-0",
        }
        destroyed = rehearsal.pulumi("destroy", "--yes")
        assert destroyed.returncode == 0, destroyed.stderr
        assert [each["type"] for each in rehearsal.state()] == []
        assert not [entry for call in ("update", "delete") for entry in rehearsal.journal(call, CLUSTER)]
        (cluster,) = [each for each in read_records(rehearsal.home / "cloud") if each.type == CLUSTER]
        assert cluster.id == "projects/rehearsed/locations/us-east5/clusters/theirs"
        left = {each["metadata"]["name"] for each in rehearsal.kubectl("namespaces")}
        assert left.isdisjoint({"jobset-system", "pathways-job-system", "pathways"})
    finally:
        rehearsal.run("down", "--discard")


def test_a_shared_network_serves_with_second_nics_and_an_address_for_few(tmp_path: Path) -> None:
    there = {"network": "shared", "subnetwork": "team", "podRange": "pods", "serviceRange": "svc", "project": "host"}
    rehearsal = Rehearsal(tmp_path, "tenant")
    rehearsal.write(
        {
            **PLATFORM,
            "slices": [{**PLATFORM["slices"][0], "networking": "secondNic"}],
            "cluster": {"dnsEndpoint": False, "authorizedNetworks": {"office": "203.0.113.0/24"}},
            "network": {"existing": there},
        }
    )
    try:
        rehearsal.run("up")
        assert "nothing to change" in rehearsal.run("preview")
        rehearsal.run("refresh")
        assert "nothing to change" in rehearsal.run("preview")
        made = {entry["name"] for entry in rehearsal.journal("create")}
        assert {"pathways-second-network-vpc", "pathways-network-webhooks"} <= made
        assert "pathways-network-vpc" not in made
    finally:
        rehearsal.run("down", "--discard")
