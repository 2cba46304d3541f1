"""The CPU node of a head dies."""

from __future__ import annotations

from lightkube.resources.core_v1 import Node

from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage

JOB = "train"


def _play(stage: Stage) -> None:
    stage.deploy(JOB)
    (head,) = stage.pods(JOB, "pathways-head")
    workers = {pod.metadata.uid for pod in stage.pods(JOB, "worker")}
    node = stage.client.get(Node, head.spec.nodeName)
    stage.story.mark(f"the node of the head, {node.metadata.name}, dies without notice")
    stage.vanish(node)
    stage.await_that(lambda: stage.jobset(JOB).get("restarts", 0) == 1, "the whole JobSet restarts")
    seconds = stage.await_whole(JOB)
    stage.story.picture(stage.look())
    (successor,) = stage.pods(JOB, "pathways-head")
    stage.story.expect(successor.spec.nodeName != node.metadata.name, "the head is on another CPU node")
    anew = {pod.metadata.uid for pod in stage.pods(JOB, "worker")}
    stage.story.expect(not workers & anew, "all workers were made anew, as a head's failure restarts everything")
    stage.story.expect(
        not stage.jobset(JOB).get("restartsCountTowardsMax"), "a node that dies counts none of jobRestarts"
    )
    stage.story.figure("loss of the head's node to all pods Running", seconds, limit=150)


DRILL = Drill("head-loss", "the CPU node of a head dies; the whole job restarts on another", _play)
