"""How a drill ends when its story does not: what it says, and that its sandbox is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import psutil
import pytest

from sandbox.drills.command import run_drill
from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage
from sandbox.drills.table import DRILLS
from sandbox.errors import CouldNotLook

pytestmark = pytest.mark.rehearsal
PROJECT = Path(__file__).resolve().parents[2]
ENGINE_SECONDS = 60
END_SECONDS = 60


def of_sandbox(folder: Path) -> list[str]:
    """Returns the processes that have to do with a sandbox below a folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd", "environ"]):
        words = [*(process.info["cmdline"] or []), process.info["cwd"] or "", *(process.info["environ"] or {}).values()]
        if process.pid != os.getpid() and any(str(folder) in word for word in words):
            found.append(" ".join(process.info["cmdline"] or [process.name()]))
    return found


@pytest.fixture
def play(tmp_path, monkeypatch) -> Callable[[Callable[[Stage], None]], int]:
    """Plays a story of the test's own in the sandbox of a drill."""
    monkeypatch.setenv("PATHWAYS_SANDBOX_ROOT", str(tmp_path))

    def play(story: Callable[[Stage], None]) -> int:
        monkeypatch.setitem(DRILLS, "suspend", Drill("suspend", "a test's", story))
        return run_drill("suspend", as_json=True, seeds=None, keep=False)

    return play


def test_a_story_that_fails_says_what_was_expected_and_what_was_seen(play, tmp_path, capsys):
    def story(stage: Stage) -> None:
        stage.story.figure("loss to all pods Running", 21.5, limit=15)

    assert play(story) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["fine"] is False
    assert told["failure"] == "loss to all pods Running: 21.5 s; 15 s at most were expected"
    assert told["figures"] == {"loss to all pods Running": {"value": 21.5, "unit": "s", "limit": 15}}
    assert not list(tmp_path.iterdir())
    assert not of_sandbox(tmp_path)


def test_what_could_not_be_looked_at_is_no_failed_story(play, tmp_path, capsys):
    def story(stage: Stage) -> None:
        raise httpx2.ConnectError("connection refused")

    with pytest.raises(CouldNotLook, match="API server: connection refused"):
        play(story)
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())
    assert not of_sandbox(tmp_path)


def test_a_stack_that_does_not_come_up_is_no_failed_story(play, tmp_path):
    def story(stage: Stage) -> None:
        stage.options(timeScale=0, faults=[{"type": "gcp:container/cluster:Cluster", "error": "500"}])
        stage.deploy("train")

    with pytest.raises(CouldNotLook, match=r"drill-suspend does not come up: .*500"):
        play(story)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_drill_that_is_stopped_takes_its_sandbox_away(tmp_path, number):
    drill = subprocess.Popen(
        [sys.executable, "-m", "sandbox", "drill", "suspend", "--json"],
        cwd=PROJECT,
        env={**os.environ, "PATHWAYS_SANDBOX_ROOT": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    await_engine(drill)
    drill.send_signal(number)
    drill.communicate(timeout=END_SECONDS)
    assert drill.returncode != 0
    assert not list(tmp_path.iterdir())
    assert not of_sandbox(tmp_path)


def await_engine(drill: subprocess.Popen[bytes]) -> None:
    """Waits until the engine of a drill is at work."""
    deadline = time.monotonic() + ENGINE_SECONDS
    while not any(child.name() == "pulumi" for child in psutil.Process(drill.pid).children()):
        assert drill.poll() is None, drill.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(2)
