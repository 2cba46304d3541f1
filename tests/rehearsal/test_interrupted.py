"""An engine that is killed or stopped half-way, and the next command."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

NODE_POOL = "gcp:container/nodePool:NodePool"
PLATFORM: dict[str, Any] = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "spares": 1, "capacity": {"spot": {}}}],
    "workloads": [
        {
            "name": "train",
            "kind": "pathways",
            "slices": {"group": "v6e", "count": 2},
            "image": "python:3.13",
            "command": ["python"],
        }
    ],
}


@pytest.fixture
def rehearsal(tmp_path: Any) -> Any:
    made = Rehearsal(tmp_path, "interrupted")
    made.write(PLATFORM)
    yield made
    if made.home.exists():
        made.run("down")


def interrupt(rehearsal: Rehearsal, when: Callable[[], bool], how: signal.Signals, command: str = "up") -> str:
    """Starts a command and sends the signal to it, engine and plugins as soon as `when` is true; returns the output."""
    process = rehearsal.start(command)
    deadline = time.monotonic() + 120
    while not when():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, how)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode != 0, printed
    return printed


def pools_under_way(rehearsal: Rehearsal, status: str = "PROVISIONING") -> bool:
    """Whether the cloud makes TPU node pools at this moment, so that the engine waits for their end."""
    file = rehearsal.home / "cloud" / "state.json"
    records = json.loads(file.read_text())["resources"] if file.exists() else []
    return any(
        record["type"] == NODE_POOL and record["status"] == status and record["id"].endswith("/v6e-0")
        for record in records
    )


def creating_in_the_cluster(rehearsal: Rehearsal) -> bool:
    """Whether the engine waits for an object of the installs."""
    file = rehearsal.home / "state" / ".pulumi" / "stacks" / "pathways" / f"{rehearsal.stack}.json"
    latest = json.loads(file.read_text())["checkpoint"].get("latest") or {} if file.exists() else {}
    pending = latest.get("pending_operations") or []
    return any(operation["resource"]["type"] == "kubernetes:apps/v1:Deployment" for operation in pending)


def converged(rehearsal: Rehearsal) -> None:
    """Each pool was made once and only once, no conflict was reported, and nothing is left to do."""
    created = [entry for entry in rehearsal.journal("create") if entry["outcome"] == "ok"]
    identifiers = [(entry["type"], entry["id"]) for entry in created]
    assert len(identifiers) == len(set(identifiers))
    assert not [entry for entry in rehearsal.journal() if "409" in entry["outcome"]]
    assert {entry["id"].rsplit("/", 1)[-1] for entry in created if entry["type"] == NODE_POOL} == {
        "heads",
        "system",
        "v6e-0",
        "v6e-1",
        "v6e-2",
    }
    assert "nothing to change" in rehearsal.run("preview")


def test_up_after_a_killed_engine_imports_what_the_cloud_made(rehearsal: Rehearsal) -> None:
    interrupt(rehearsal, lambda: pools_under_way(rehearsal), signal.SIGKILL)
    printed = rehearsal.run("up")
    assert "imported" in printed
    converged(rehearsal)


def test_up_after_ctrl_c_goes_on(rehearsal: Rehearsal) -> None:
    printed = interrupt(rehearsal, lambda: pools_under_way(rehearsal), signal.SIGINT)
    assert "Traceback" not in printed
    rehearsal.run("up")
    converged(rehearsal)


def test_down_after_a_killed_engine_leaves_nothing(rehearsal: Rehearsal) -> None:
    interrupt(rehearsal, lambda: pools_under_way(rehearsal), signal.SIGKILL)
    rehearsal.run("down")
    assert not rehearsal.home.exists()


def test_up_after_an_engine_that_was_killed_during_the_installs(rehearsal: Rehearsal) -> None:
    interrupt(rehearsal, lambda: creating_in_the_cluster(rehearsal), signal.SIGKILL)
    rehearsal.run("up")
    converged(rehearsal)


def test_what_is_stopped_half_way_on_a_stack_that_stands(rehearsal: Rehearsal) -> None:
    """A replacement whose engine is killed goes on at the next `up`; a `down` that is stopped, at the next `down`."""
    rehearsal.run("up")
    rehearsal.write({**PLATFORM, "slices": [{**PLATFORM["slices"][0], "tpu": "v6e-32"}]})
    interrupt(rehearsal, lambda: pools_under_way(rehearsal), signal.SIGKILL)
    assert "imported" in rehearsal.run("up")
    assert "nothing to change" in rehearsal.run("preview")
    assert len(rehearsal.kubectl("nodes", "--selector", "MultisliceGroup=v6e")) == 3 * 8  # 32 chips, 4 on a host
    interrupt(rehearsal, lambda: pools_under_way(rehearsal, "STOPPING"), signal.SIGINT, "down")
    assert rehearsal.home.exists()
    rehearsal.file.unlink()
    rehearsal.file.touch()  # `down` goes by what was deployed, not by what the file has become
    rehearsal.run("down")
    assert not rehearsal.home.exists()


def test_a_pool_without_capacity_is_named_and_made_by_the_next_up(rehearsal: Rehearsal) -> None:
    fault = {"type": NODE_POOL, "name": "v6e-1", "call": "create", "error": "stockout", "times": 1}
    cloud = rehearsal.home / "cloud"
    cloud.mkdir(parents=True)
    (cloud / "options.json").write_text(json.dumps({"faults": [fault]}))
    printed = rehearsal.run("up", code=1)
    assert "v6e-1" in printed
    assert "Traceback" not in printed
    assert "v6e-1" in rehearsal.run("up")
    assert "nothing to change" in rehearsal.run("preview")
    assert len(rehearsal.kubectl("nodes", "--selector", "cloud.google.com/gke-nodepool=v6e-1")) == 4
