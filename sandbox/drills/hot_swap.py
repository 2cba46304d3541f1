"""A job of high priority loses a slice and takes that of a filler on the spare, as soon as the filler has ended.

The filler here is one that uses up the grace it is given. The swap waits for it twice: the scheduler first tells one of
its pods to end, for the first worker of the slice; the others follow when that pod has failed the filler's Job.
"""

from __future__ import annotations

import time

from lightkube.models.meta_v1 import ObjectMeta

from sandbox.cluster_view import JobSet
from sandbox.drills.drill import Drill
from sandbox.drills.stage import NAMESPACE, Stage

JOB, FILLER = "train", "filler"
SHORT_SECONDS, LONG_SECONDS = 5, 15
"""Of grace: what the stack file gives the filler, and a filler in its place. Kubernetes gives every pod 30."""
OVERHEAD_SECONDS = 15
"""Besides twice the filler's grace, the most that a swap may take."""


def _play(stage: Stage) -> None:
    stage.deploy(JOB, FILLER)
    heads = _heads(stage)
    short = _swap(stage, SHORT_SECONDS)
    _give_filler(stage, LONG_SECONDS)
    long = _swap(stage, LONG_SECONDS)
    stage.story.expect(_heads(stage) == heads, f"the head of {JOB} kept running")
    stage.story.figure("what the longer grace costs", long - short)
    stage.story.expect(long - short > LONG_SECONDS - SHORT_SECONDS, "a filler's grace is what a swap waits for")


def _swap(stage: Stage, grace: int) -> float:
    """Takes a slice of the job away; returns the seconds until it runs whole on the filler's slice."""
    lost, spare = stage.pools_of(JOB)["1"], stage.pools_of(FILLER)["0"]
    nodes = stage.nodes_of(lost)
    stage.save_for(grace, *stage.pods(FILLER))
    stage.story.mark(f"slice {lost} of {JOB} is lost with notice; {FILLER}, with {grace} s of grace, runs on {spare}")
    stage.shut_down(*nodes)
    stage.await_that(lambda: not _runs(stage, FILLER), f"{FILLER} is told to end")
    told = time.monotonic()
    stage.await_that(lambda: FILLER not in _jobs_on(stage, spare), f"{FILLER} has left {spare}")
    left = time.monotonic() - told
    seconds = stage.await_whole(JOB)
    stage.story.picture(stage.look())
    stage.story.expect(stage.pools_of(JOB)["1"] == spare, f"{JOB} has {FILLER}'s slice", stage.pools_of(JOB))
    stage.story.figure(
        f"loss to all pods Running, filler with {grace} s of grace", seconds, limit=2 * grace + OVERHEAD_SECONDS
    )
    stage.story.figure(f"of which a filler with {grace} s took to end", left)
    stage.bring_back(*nodes)
    stage.await_whole(FILLER)
    return seconds


def _give_filler(stage: Stage, grace: int) -> None:
    """Puts a filler with another grace period in the place of the stack's."""
    stage.story.mark(f"{FILLER} is made anew, with {grace} s of grace")
    old = stage.client.get(JobSet, FILLER, namespace=NAMESPACE)
    (workers,) = old.spec["replicatedJobs"]
    workers["template"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = grace
    stage.delete_job(FILLER)
    stage.await_that(lambda: not stage.pods(FILLER) and stage.jobset_gone(FILLER), f"the old {FILLER} is gone")
    named = ObjectMeta(name=FILLER, namespace=NAMESPACE, labels=old.metadata.labels)
    stage.client.create(JobSet(metadata=named, spec=old.spec))
    stage.await_whole(FILLER)


def _heads(stage: Stage) -> set[str]:
    return {pod.metadata.uid for pod in stage.pods(JOB, "pathways-head")}


def _runs(stage: Stage, job: str) -> bool:
    pods = stage.pods(job)
    return bool(pods) and all(pod.status.phase == "Running" and not pod.metadata.deletionTimestamp for pod in pods)


def _jobs_on(stage: Stage, pool: str) -> set[str]:
    return {pod.job for pod in stage.look().pods if pod.slice == pool}


DRILL = Drill("hot-swap", "a job of high priority loses a slice and takes the one of a filler on the spare", _play)
