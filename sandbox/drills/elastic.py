"""A slice of an elastic job is lost: alone it starts again, or not, depending on the recovery."""

from __future__ import annotations

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

CUT_OFF_SECONDS = 90
"""How long the other ways are watched; they are there for comparison."""


def _play(stage: Stage) -> None:
    stage.deploy("slice", "in-job-graceful", "in-job-abrupt")
    _lose_with_slice_recovery(stage)
    _lose_with_recovery_in_job(stage)


def _lose_with_slice_recovery(stage: Stage) -> None:
    before = _identities(stage, "slice")
    lost = stage.pools_of("slice")["1"]
    stage.story.mark(f"slice {lost} of the job slice is lost with notice")
    stage.shut_down(*stage.nodes_of(lost))
    seconds = stage.await_whole("slice")
    stage.story.picture(stage.look())
    after = _identities(stage, "slice")
    kept = [key for key, uid in before.items() if after.get(key) == uid]
    expected = [key for key in before if key[0] != "worker" or key[1] != "1"]
    stage.story.expect(kept == expected, "head and other slice keep their pods", f"kept {kept} of {list(before)}")
    stage.story.expect(not stage.jobset("slice").get("restarts"), "the job as a whole did not restart")
    stage.story.figure("slice recovery, loss with notice", seconds, limit=15)


def _lose_with_recovery_in_job(stage: Stage) -> None:
    graceful, abrupt = (stage.pools_of(job)["1"] for job in ("in-job-graceful", "in-job-abrupt"))
    stage.story.mark(f"beside it, recovery inJob: slice {graceful} is lost with notice, {abrupt} without")
    stage.shut_down(*stage.nodes_of(graceful))
    stage.vanish(*stage.nodes_of(abrupt))
    seconds: dict[str, float] = {}

    def both() -> bool:
        for job in ("in-job-graceful", "in-job-abrupt"):
            if job not in seconds and stage.whole(job):
                seconds[job] = stage.story.seconds
                stage.story.tell(f"{job} runs with all its pods")
        return len(seconds) == 2

    stage.within(both, CUT_OFF_SECONDS)
    stage.story.picture(stage.look())
    stage.story.figure("inJob recovery, loss with notice", seconds.get("in-job-graceful"))
    stage.story.figure("inJob recovery, loss without notice", seconds.get("in-job-abrupt"))


def _identities(stage: Stage, job: str) -> dict[tuple[str, str, str], str]:
    """Return the UID of each pod, by its place in the job."""
    return {stage.place_of(pod): pod.metadata.uid for pod in stage.pods(job)}


DRILL = Drill("elastic", "an elastic job loses a slice, which starts again alone; recovery inJob beside it", _play)
