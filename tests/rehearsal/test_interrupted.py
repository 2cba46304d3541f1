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


def interrupt(rehearsal: Rehearsal, when: Callable[[], bool], how: signal.Signals) -> str:
    """Starts `up` and sends the signal to command, engine and plugins as soon as `when` is true; returns the output."""
    process = rehearsal.start("up")
    deadline = time.monotonic() + 120
    while not when():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, how)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode != 0, printed
    return printed


def pools_under_way(rehearsal: Rehearsal) -> bool:
    """Whether the cloud makes TPU node pools at this moment, so that the engine waits for their end."""
    file = rehearsal.home / "cloud" / "state.json"
    records = json.loads(file.read_text())["resources"] if file.exists() else []
    return any(
        record["type"] == NODE_POOL and record["status"] == "PROVISIONING" and record["id"].endswith("/v6e-0")
        for record in records
    )


def converged(rehearsal: Rehearsal) -> None:
    """Each pool was made once and only once, no conflict was reported, and nothing is left to do."""
    created = [entry for entry in rehearsal.journal("create") if entry["outcome"] == "ok"]
    identifiers = [(entry["type"], entry["id"]) for entry in created]
    assert len(identifiers) == len(set(identifiers))
    assert not [entry for entry in rehearsal.journal() if "409" in entry["outcome"]]
    assert {entry["id"].rsplit("/", 1)[-1] for entry in created if entry["type"] == NODE_POOL} == {
        "heads",
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
