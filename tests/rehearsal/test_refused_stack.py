"""A stack that its settings allow and a policy forbids."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal


def test_a_stack_that_a_policy_forbids_creates_nothing(tmp_path: Path) -> None:
    """Deletion protection is a setting, and prod may not be without it."""
    rehearsal = Rehearsal(tmp_path, "forbidden")
    rehearsal.write(
        {
            "environment": "prod",
            "zone": "us-east5-b",
            "jax": "0.8.3",
            "cluster": {"deletionProtection": False},
            "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 1, "capacity": {"onDemand": {}}}],
        }
    )
    try:
        printed = rehearsal.run("up", code=1)
        assert "Deletion protection is off" in printed
        assert "pathways-cluster-cluster" in printed
        assert "Traceback" not in printed
        assert not (rehearsal.home / "cloud" / "journal.jsonl").exists()
    finally:
        rehearsal.run("down")
