"""A slice of an elastic job is lost: alone it starts again, or not, depending on the recovery."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

LIMIT_SECONDS = 15
"""Within which a slice that is taken away with notice must be back."""
CUT_OFF_SECONDS = 90
"""How long all else is watched; it is there for comparison."""

ALONE = "slice"
KEPT, WARNED, ABRUPT = "in-job-kept", "in-job-warned", "in-job-abrupt"
IN_JOB = {
    KEPT: "with notice, nodes kept",
    WARNED: "with notice",
    ABRUPT: "without notice",
}
"""Jobs whose failed pods are replaced one by one, and how each loses its slice."""


def _play(stage: Stage) -> None:
    stage.deploy(ALONE, *IN_JOB)
    before = _identities(stage)
    lost = stage.pools_of(ALONE)["1"]
    nodes = stage.nodes_of(lost)
    stage.story.mark(f"slice {lost} of the job {ALONE} is lost with notice")
    stage.shut_down(*nodes)
    seconds = stage.await_whole(ALONE)
    stage.story.picture(stage.look())
    _started_again_alone(stage, before)
    stage.story.figure("slice recovery, loss with notice", seconds, limit=LIMIT_SECONDS)
    stage.bring_back(*nodes)
    _compare(stage)


def _compare(stage: Stage) -> None:
    """Loses a slice of each job: those with recovery inJob, and once more the one whose slices start again alone."""
    before = _identities(stage)
    lost = {job: stage.pools_of(job)["1"] for job in (ALONE, *IN_JOB)}
    nodes = {job: stage.nodes_of(pool) for job, pool in lost.items()}
    ways = ", ".join(f"{lost[job]} {how}" for job, how in IN_JOB.items())
    stage.story.mark(f"beside it, recovery inJob: slices are lost, {ways}; and {lost[ALONE]} of {ALONE} without notice")
    stage.vanish(*nodes[ALONE], *nodes[ABRUPT])
    stage.shut_down(*nodes[WARNED])
    stage.drain(*nodes[KEPT])
    seconds = _await_each(stage, lost)
    stage.story.picture(stage.look())
    if ALONE in seconds:
        _started_again_alone(stage, before)
    stage.story.figure("slice recovery, loss without notice", seconds.get(ALONE), limit=CUT_OFF_SECONDS)
    for job, how in IN_JOB.items():
        stage.story.figure(f"inJob recovery, loss {how}", seconds.get(job))


def _await_each(stage: Stage, lost: Mapping[str, str]) -> dict[str, float]:
    """Returns the seconds after which each job ran whole again; those that did not in time are left out."""
    seconds: dict[str, float] = {}

    def all_whole() -> bool:
        for job in lost:
            if job not in seconds and stage.whole(job):
                seconds[job] = stage.story.seconds
                stage.tell(f"{job} runs with all its pods")
        return len(seconds) == len(lost)

    stage.within(all_whole, CUT_OFF_SECONDS)
    return seconds


def _identities(stage: Stage) -> dict[tuple[str, str, str], str]:
    """Returns the UID of each pod, by its place in the job."""
    return {stage.place_of(pod): pod.metadata.uid for pod in stage.pods(ALONE)}


def _started_again_alone(stage: Stage, before: Mapping[tuple[str, str, str], str]) -> None:
    after = _identities(stage)
    kept = [key for key, uid in before.items() if after.get(key) == uid]
    expected = [key for key in before if key[0] != "worker" or key[1] != "1"]
    stage.story.expect(kept == expected, "head and other slice keep their pods", f"kept {kept} of {list(before)}")
    stage.story.expect(not stage.jobset(ALONE).get("restarts"), "the job as a whole did not restart")


DRILL = Drill("elastic", "an elastic job loses a slice, which starts again alone; recovery inJob beside it", _play)
