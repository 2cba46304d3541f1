"""Workers are evicted with notice, and the job comes back when capacity does."""

from __future__ import annotations

import threading

from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Pod, PodEviction

from sandbox.drills.drill import Drill
from sandbox.drills.stage import NAMESPACE, Stage
from sandbox.kubernetes.watch import changes

JOB = "train"
GRACE_SECONDS = 120
LOCATION = "--gcs_scratch_location=gs://drills-pathways-drill-suspend-scratch/pathways"


def _play(stage: Stage) -> None:
    stage.deploy(JOB)
    workers = stage.pods(JOB, "worker")
    _could_be_resumed(stage, workers)
    lost = stage.pools_of(JOB)["1"]
    nodes = stage.nodes_of(lost)
    stage.story.mark(f"slice {lost} is to be taken back: its nodes take no pods, its workers are evicted")
    stage.cordon(*nodes)
    seen = _evict(stage, [pod for pod in workers if pod.spec.nodeName in {node.metadata.name for node in nodes}])
    stage.story.expect(
        set(seen.values()) == {GRACE_SECONDS}, f"every worker has {GRACE_SECONDS} s to save its state", seen
    )
    stage.await_that(lambda: stage.jobset(JOB).get("restarts", 0) == 1, "the job restarts, by its policy")
    stage.story.expect(not stage.jobset(JOB).get("restartsCountTowardsMax"), "an eviction counts none of jobRestarts")
    stage.story.expect(not stage.whole(JOB), f"{JOB} waits for its slice")
    stage.story.picture(stage.look())
    stage.story.mark("capacity returns")
    stage.cordon(*nodes, on=False)
    stage.story.figure("capacity to all pods Running", stage.await_whole(JOB), limit=60)
    stage.story.picture(stage.look())


def _could_be_resumed(stage: Stage, workers: list[Pod]) -> None:
    """What Pathways needs to write its state, and what restarts the job where it cannot."""
    containers = [container for pod in workers for container in pod.spec.containers]
    stage.story.expect(
        all(LOCATION in (container.args or []) for container in containers), "workers know where to save their state"
    )
    stage.story.expect({pod.spec.restartPolicy for pod in workers} == {"Never"}, "an evicted worker fails its slice")


def _evict(stage: Stage, pods: list[Pod]) -> dict[str, int]:
    """Evicts pods; returns the grace period that each was seen to have, in seconds."""
    wanted = {pod.metadata.uid: pod.metadata.name for pod in pods}
    seen: dict[str, int] = {}
    stop = threading.Event()
    watching = threading.Thread(target=_watch, args=(stage, wanted, seen, stop), daemon=True)
    watching.start()
    for pod in pods:
        eviction = PodEviction(metadata=ObjectMeta(name=pod.metadata.name, namespace=NAMESPACE))
        stage.client.create(eviction, pod.metadata.name, namespace=NAMESPACE)
    stage.await_that(lambda: len(seen) == len(wanted), "all are told to end")
    stop.set()
    return seen


def _watch(stage: Stage, wanted: dict[str, str], seen: dict[str, int], stop: threading.Event) -> None:
    for change in changes(stage.client, Pod, namespace=NAMESPACE, stop=stop):
        metadata = change.object.metadata
        if metadata.uid in wanted and metadata.deletionGracePeriodSeconds is not None:
            seen.setdefault(wanted[metadata.uid], metadata.deletionGracePeriodSeconds)
        if stop.is_set():
            return


DRILL = Drill("suspend", "workers are evicted with notice; the job comes back when capacity does", _play)
