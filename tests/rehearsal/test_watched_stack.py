"""A prod stack with dashboard, alerts and a TPU VM outside GKE: it comes up, stays as it is, and says how it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.cloud import Console
from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

QUEUED_RESOURCE = "gcp:tpu/v2QueuedResource:V2QueuedResource"
WATCHING = {
    "gcp:logging/metric:Metric": 1,
    "gcp:monitoring/alertPolicy:AlertPolicy": 6,
    "gcp:monitoring/dashboard:Dashboard": 1,
    "gcp:monitoring/notificationChannel:NotificationChannel": 1,
}
PLATFORM: dict[str, Any] = {
    "environment": "prod",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}}],
    "monitoring": {"emails": ["team@example.com"]},
    "tpuVms": [{"name": "debug", "tpu": "v6e-8"}],
}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    rehearsal = Rehearsal(tmp_path_factory.mktemp("watched"), "watched")
    rehearsal.write(PLATFORM)
    try:
        rehearsal.run("up")
        yield rehearsal
    finally:
        if rehearsal.home.exists():
            rehearsal.run("down", "--discard")


def test_the_cloud_has_what_watches_and_the_tpu_vm(watched: Rehearsal) -> None:
    created = [entry["type"] for entry in watched.journal("create")]
    assert {kind: created.count(kind) for kind in WATCHING} == WATCHING
    assert created.count(QUEUED_RESOURCE) == 1


def test_a_second_preview_is_empty(watched: Rehearsal) -> None:
    assert "nothing to change" in watched.run("preview")


def test_nor_is_there_after_a_look_at_the_cloud(watched: Rehearsal) -> None:
    watched.run("refresh")
    assert "nothing to change" in watched.run("preview")


def test_a_tpu_vm_that_came_goes_by_force_alone_and_the_rest_then_goes_on(watched: Rehearsal) -> None:
    """The provider does not ask for force; the stack's outputs have the command that does."""
    assert "debug is ACTIVE" in watched.run("down", code=1)
    (vm,) = [resource for resource in watched.state() if resource["type"] == QUEUED_RESOURCE]
    ports = json.loads((watched.home / "daemon.json").read_text())["ports"]
    with Console(ports["cloud"]) as console:
        console.remove(QUEUED_RESOURCE, vm["id"])
    watched.run("down")
    assert not watched.home.exists()
