"""A slice is lost, and its job takes the spare."""

from __future__ import annotations

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

JOB = "train"
LIMIT_SECONDS = {"with notice": 30, "without notice": 120}
"""Without notice the pods are collected after 40 s at least. Source: Kubernetes, pod garbage collector."""


def _play(stage: Stage) -> None:
    stage.deploy(JOB)
    for how in LIMIT_SECONDS:
        _lose(stage, how)


def _lose(stage: Stage, how: str) -> None:
    lost = stage.pools_of(JOB)["1"]
    nodes = stage.nodes_of(lost)
    restarts = stage.jobset(JOB).get("restarts", 0)
    stage.story.mark(f"slice {lost} is lost {how}: {len(nodes)} nodes go")
    if how == "with notice":
        stage.shut_down(*nodes)
    else:
        stage.vanish(*nodes)
    stage.await_that(lambda: stage.jobset(JOB).get("restarts", 0) > restarts, f"JobSet restarts {JOB}")
    seconds = stage.await_whole(JOB)
    stage.story.picture(stage.look())
    pools = set(stage.pools_of(JOB).values())
    stage.story.expect(lost not in pools, "the spare slice has the place of the lost one", ", ".join(sorted(pools)))
    status = stage.jobset(JOB)
    stage.story.expect(
        status.get("restarts", 0) == restarts + 1 and not status.get("restartsCountTowardsMax"),
        "it was one restart, and counts none of jobRestarts",
        status,
    )
    stage.story.figure(f"loss {how} to all pods Running", seconds, limit=LIMIT_SECONDS[how])
    stage.bring_back(*nodes)


DRILL = Drill("slice-loss", "a slice's nodes vanish; the job restarts and takes the spare slice", _play)
