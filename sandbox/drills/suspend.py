"""Workers are evicted with notice, and the job comes back when capacity does."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Pod, PodEviction

from sandbox.drills.drill import Drill
from sandbox.drills.stage import NAMESPACE, Stage
from sandbox.kubernetes.watch import changes

JOB = "train"
GRACE_SECONDS = 120
LONGEST_SAVE_SECONDS = 12
"""What the slowest worker needs to write its state; the others take less."""
HOSTS = 4
"""Of a slice. Source: v6e-16 in the drill's stack file."""
RESTART_ATTEMPT = "jobset.sigs.k8s.io/restart-attempt"
LOCATION = "--gcs_scratch_location=gs://drills-pathways-drill-suspend-scratch/pathways"


@dataclass
class _Evicted:
    """By name of the pod, in seconds. grace: that it was given. lived: from its eviction to its end."""

    grace: dict[str, int] = field(default_factory=dict)
    lived: dict[str, float] = field(default_factory=dict)


def _play(stage: Stage) -> None:
    stage.deploy(JOB)
    workers = stage.pods(JOB, "worker")
    _could_be_resumed(stage, workers)
    lost = stage.pools_of(JOB)["1"]
    nodes = stage.nodes_of(lost)
    names = {node.metadata.name for node in nodes}
    leaving = [pod for pod in workers if pod.spec.nodeName in names]
    saving = {pod.metadata.name: LONGEST_SAVE_SECONDS - 2.0 * number for number, pod in enumerate(leaving)}
    for pod in leaving:
        stage.save_for(saving[pod.metadata.name], pod)
    stage.story.mark(f"slice {lost} is to be taken back: its nodes take no pods, its workers are evicted")
    stage.cordon(*nodes)
    evicted = _evict(stage, leaving)
    stage.story.expect(
        set(evicted.grace.values()) == {GRACE_SECONDS},
        f"every worker has {GRACE_SECONDS} s to save its state",
        evicted.grace,
    )
    cut_short = {name: lived for name, lived in evicted.lived.items() if lived < saving[name] - 1}
    stage.story.expect(not cut_short, "none is cut short, though the first to end fails its slice", cut_short)
    stage.story.figure("eviction to the last worker's end", max(evicted.lived.values()), limit=GRACE_SECONDS)
    stage.await_that(lambda: stage.jobset(JOB).get("restarts", 0) == 1, "the job restarts, by its policy")
    stage.story.expect(not stage.jobset(JOB).get("restartsCountTowardsMax"), "an eviction counts none of jobRestarts")
    stage.await_that(lambda: _waits_for_a_slice(stage), "all is there again but for a slice")
    stage.story.picture(stage.look())
    stage.story.mark("capacity returns")
    stage.cordon(*nodes, on=False)
    stage.story.figure("capacity to all pods Running", stage.await_whole(JOB), limit=60)
    stage.story.picture(stage.look())


def _waits_for_a_slice(stage: Stage) -> bool:
    """Whether, after the restart, the head and one slice run, and the other waits with its first worker."""
    pods = stage.pods(JOB)
    waiting = [pod for pod in pods if not pod.spec.nodeName]
    running = [pod for pod in pods if pod.spec.nodeName and pod.status.phase == "Running"]
    anew = all(pod.metadata.labels[RESTART_ATTEMPT] == "1" for pod in pods)
    return anew and len(waiting) == 1 and len(running) == 1 + HOSTS


def _could_be_resumed(stage: Stage, workers: Sequence[Pod]) -> None:
    """What Pathways needs to write its state, and what restarts the job where it cannot."""
    containers = [container for pod in workers for container in pod.spec.containers]
    stage.story.expect(
        all(LOCATION in (container.args or []) for container in containers), "workers know where to save their state"
    )
    stage.story.expect({pod.spec.restartPolicy for pod in workers} == {"Never"}, "an evicted worker fails its slice")


def _evict(stage: Stage, pods: Sequence[Pod]) -> _Evicted:
    """Evicts pods, and returns once all of them have ended."""
    wanted = {pod.metadata.uid: pod.metadata.name for pod in pods}
    seen = _Evicted()
    stop = threading.Event()
    began = time.monotonic()
    threading.Thread(target=_watch, args=(stage, wanted, seen, began, stop), daemon=True).start()
    for pod in pods:
        eviction = PodEviction(metadata=ObjectMeta(name=pod.metadata.name, namespace=NAMESPACE))
        stage.client.create(eviction, pod.metadata.name, namespace=NAMESPACE)
    stage.await_that(lambda: len(seen.grace) == len(wanted), "all are told to end")
    stage.await_that(lambda: len(seen.lived) == len(wanted), "all have ended")
    stop.set()
    return seen


def _watch(stage: Stage, wanted: dict[str, str], seen: _Evicted, began: float, stop: threading.Event) -> None:
    for change in changes(stage.client, Pod, namespace=NAMESPACE, stop=stop):
        metadata = change.object.metadata
        if metadata.uid in wanted and metadata.deletionGracePeriodSeconds is not None:
            seen.grace.setdefault(wanted[metadata.uid], metadata.deletionGracePeriodSeconds)
        if metadata.uid in wanted and (change.gone or change.object.status.phase == "Failed"):
            seen.lived.setdefault(wanted[metadata.uid], time.monotonic() - began)
        if stop.is_set():
            return


DRILL = Drill("suspend", "workers are evicted with notice; the job comes back when capacity does", _play)
