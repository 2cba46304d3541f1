"""Every drill, by the command that people run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.drills.table import DRILLS

pytestmark = pytest.mark.rehearsal
PROJECT = Path(__file__).resolve().parents[2]
SECONDS = 500


def play(name: str, folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Returns exit code and what the drill says of itself."""
    done = subprocess.run(
        [sys.executable, "-m", "sandbox", "drill", name, "--json", *options],
        cwd=PROJECT,
        env={**os.environ, "PATHWAYS_SANDBOX_ROOT": str(folder)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout.startswith("{"), done.stderr[-3000:]
    assert not list(folder.iterdir())  # the sandbox is gone
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return {}


@pytest.mark.parametrize("name", DRILLS)
def test_the_story_ends_well(name, tmp_path, played):
    code, told = play(name, tmp_path)
    assert (code, told["fine"], told["failure"]) == (0, True, "")
    assert told["figures"]
    played[name] = told["figures"]


def value(played: dict[str, dict[str, Any]], drill: str, figure: str) -> float:
    return played[drill][figure]["value"]


def test_a_slice_restarts_alone_faster_than_in_its_job(played):
    ours = value(played, "elastic", "slice recovery, loss with notice")
    assert ours < 15
    for how in ("with", "without"):
        other = value(played, "elastic", f"inJob recovery, loss {how} notice")
        assert other is None or other > 2 * ours


def test_ours_never_starve(played):
    assert value(played, "deadlock", "schedules in which one of ours runs whole") == 5


@pytest.mark.nightly
def test_ours_never_starve_over_twenty_schedules(tmp_path):
    code, told = play("deadlock", tmp_path, "--seeds", "20")
    assert code == 0, told["failure"]
    figures = told["figures"]
    assert figures["schedules in which one of ours runs whole"]["value"] == 20
    assert figures["schedules in which bare JobSets wait for each other"]["value"] > 0
