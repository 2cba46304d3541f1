"""JobSet's controller dies in the middle of a restart."""

from __future__ import annotations

from collections import Counter

import psutil

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

JOB = "train"


def _play(stage: Stage) -> None:
    stage.deploy(JOB)
    lost = stage.pools_of(JOB)["1"]
    stage.story.mark(f"slice {lost} is lost with notice")
    stage.shut_down(*stage.nodes_of(lost))
    stage.await_that(lambda: stage.jobset(JOB).get("restarts", 0) == 1, f"JobSet begins to restart {JOB}")
    killed = _kill_controller(stage)
    stage.story.tell(f"JobSet's controller is killed (process {killed})")
    stage.story.picture(stage.look())
    stage.await_that(lambda: _controller(stage) not in (None, killed), "another one has its place")
    seconds = stage.await_whole(JOB)
    stage.story.picture(stage.look())
    places = Counter(stage.place_of(pod) for pod in stage.pods(JOB))
    stage.story.expect(
        len(places) == 9 and set(places.values()) == {1}, "no pod is missing and none is doubled", places
    )
    stage.story.expect(stage.jobset(JOB).get("restarts") == 1, "it was one restart", stage.jobset(JOB))
    stage.story.figure("loss to all pods Running", seconds, limit=120)


def _controller(stage: Stage) -> int | None:
    """Return the process of the sandbox's JobSet controller."""
    daemon = psutil.Process(stage.session.home.read_daemon()["pid"])
    found = [child for child in daemon.children(recursive=True) if "jobset-" in " ".join(_command(child))]
    return next((child.pid for child in found if child.status() != psutil.STATUS_ZOMBIE), None)


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _kill_controller(stage: Stage) -> int:
    pid = _controller(stage)
    stage.story.expect(pid is not None, "JobSet's controller runs")
    assert pid is not None
    psutil.Process(pid).kill()
    return pid


DRILL = Drill("controller-loss", "JobSet's controller dies while it restarts a job; nothing is lost or doubled", _play)
