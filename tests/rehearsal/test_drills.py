"""Every drill, by the command that people run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sandbox.drills.table import DRILLS

pytestmark = pytest.mark.rehearsal
PROJECT = Path(__file__).resolve().parents[2]
SECONDS = 500
AT_ONCE = 2
"""Most of the time a drill waits."""

Played = tuple[int, dict[str, Any]]


def play(name: str, folder: Path, *options: str) -> Played:
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


class Plays:
    """Plays each drill once, whatever asks for it first."""

    def __init__(self, pool: ThreadPoolExecutor, folders: pytest.TempPathFactory) -> None:
        self._pool = pool
        self._folders = folders
        self._begun: dict[str, Future[Played]] = {}

    def begin(self, name: str) -> Future[Played]:
        if name not in self._begun:
            self._begun[name] = self._pool.submit(play, name, self._folders.mktemp(name))
        return self._begun[name]

    def figure(self, drill: str, name: str) -> float | None:
        _, told = self.begin(drill).result()
        value: float | None = told["figures"][name]["value"]
        return value


@pytest.fixture(scope="module")
def plays(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plays]:
    """Begins with all drills whose tests were chosen."""
    pool = ThreadPoolExecutor(AT_ONCE)
    plays = Plays(pool, tmp_path_factory)
    chosen = [item for item in request.session.items if item.path == Path(__file__)]
    for name in (item.callspec.params["name"] for item in chosen if hasattr(item, "callspec")):
        plays.begin(name)
    yield plays
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", DRILLS)
def test_the_story_ends_well(name, plays):
    code, told = plays.begin(name).result()
    assert (code, told["fine"], told["failure"]) == (0, True, "")
    assert told["figures"]


def test_a_slice_restarts_alone_faster_than_in_its_job(plays):
    ours = plays.figure("elastic", "slice recovery, loss with notice")
    assert ours < 15
    for how in ("with notice", "without notice"):
        other = plays.figure("elastic", f"inJob recovery, loss {how}")
        assert other is None or other > 2 * ours


def test_in_its_job_a_slice_never_restarts_where_its_nodes_are_kept(plays):  # facts/sandbox.md, Recovery
    assert plays.figure("elastic", "inJob recovery, loss with notice, nodes kept") is None


def test_a_swap_waits_for_the_fillers_grace(plays):
    short, long = (
        plays.figure("hot-swap", f"loss to all pods Running, filler with {grace} s of grace") for grace in (5, 15)
    )
    assert 5 < short < 20
    assert long > short + 10


def test_workers_have_the_time_that_they_need_to_save(plays):
    assert 11 < plays.figure("suspend", "eviction to the last worker's end") < 120


def test_ours_never_starve(plays):
    assert plays.figure("deadlock", "schedules in which one of ours runs whole") == 5


@pytest.mark.nightly
def test_ours_never_starve_over_twenty_schedules(tmp_path):
    code, told = play("deadlock", tmp_path, "--seeds", "20")
    assert code == 0, told["failure"]
    figures = told["figures"]
    assert figures["schedules in which one of ours runs whole"]["value"] == 20
    assert figures["schedules in which bare JobSets wait for each other"]["value"] > 0
