"""A job of high priority loses a slice and takes that of a filler on the spare."""

from __future__ import annotations

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

JOB, FILLER = "train", "filler"
FILLERS_GRACE_SECONDS = 5


def _play(stage: Stage) -> None:
    stage.deploy(JOB, FILLER)
    lost = stage.pools_of(JOB)["1"]
    spare = stage.pools_of(FILLER)["0"]
    heads = {pod.metadata.uid for pod in stage.pods(JOB, "pathways-head")}
    stage.story.mark(f"slice {lost} of {JOB} is lost with notice; {FILLER} runs on the spare, {spare}")
    stage.shut_down(*stage.nodes_of(lost))
    stage.await_that(lambda: not _runs(stage, FILLER), f"{FILLER} is pushed out")
    seconds = stage.await_whole(JOB)
    stage.story.picture(stage.look())
    stage.story.expect(stage.pools_of(JOB)["1"] == spare, f"{JOB} has {FILLER}'s slice", stage.pools_of(JOB))
    kept = {pod.metadata.uid for pod in stage.pods(JOB, "pathways-head")}
    stage.story.expect(kept == heads, f"the head of {JOB} kept running")
    stage.story.figure("loss to all pods Running", seconds, limit=60)
    stage.story.figure("of which the filler may take to end", FILLERS_GRACE_SECONDS)


def _runs(stage: Stage, job: str) -> bool:
    pods = stage.pods(job)
    return bool(pods) and all(pod.status.phase == "Running" and not pod.metadata.deletionTimestamp for pod in pods)


DRILL = Drill("hot-swap", "a job of high priority loses a slice and takes the one of a filler on the spare", _play)
