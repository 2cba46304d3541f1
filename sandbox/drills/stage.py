"""Where a drill is played: a sandbox of its own, and what can be done to it and seen in it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lightkube import ApiError, Client
from lightkube.resources.core_v1 import Node, Pod, PodStatus
from lightkube.types import PatchType
from rich.console import Console

from sandbox import cluster_view
from sandbox.cloud.options import write_options
from sandbox.cluster_view import JOB, POOL, JobSet
from sandbox.commands import Session
from sandbox.drills.happenings import Happenings
from sandbox.drills.narrator import Narrator
from sandbox.drills.story import Story, StoryFailed
from sandbox.engine.runs import Run
from sandbox.errors import CouldNotLook
from sandbox.kubernetes.connection import NOT_FOUND, code_of, connect

LONGEST_NAP_SECONDS = 1.0
"""After which a condition is looked at again even where nothing was heard: it may not be about the cluster."""
PATIENCE_SECONDS = 180
JOB_INDEX = "jobset.sigs.k8s.io/job-index"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
NAMESPACE = "pathways"

SAVES_FOR = "sandbox.pathways.dev/saves-for"
"""Annotation of a pod that the simulated kubelet heeds: see sandbox/control_plane/stages/pod.yaml."""

TERMINATED = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
"""How a node that is told to shut down leaves its pods. Source: Kubernetes documentation, graceful node shutdown."""


@dataclass
class Stage:
    """A sandbox, opened and not deployed. seeds: schedules to try, where chance plays a part."""

    session: Session
    story: Story
    quiet: Console
    seeds: int

    def __post_init__(self) -> None:
        self.client: Client = connect(self.session.kubeconfig)
        self._happenings = Happenings(self.client, NAMESPACE)
        self._narrator = Narrator(self._happenings, self.story)

    def close(self) -> None:
        """Looks no longer."""
        self._happenings.stop()

    def up(self) -> Run:
        """Deploys the stack file; returns how the engine fared."""
        return self.session.run(self.quiet, "deploying", self.session.stack.up)

    def deploy(self, *jobs: str) -> None:
        """Deploys the stack, and waits until the jobs run with all their pods. Raises CouldNotLook, StoryFailed."""
        self.story.mark(f"deploying the stack {self.session.home.stack}")
        done = self.up()
        if not done.ok:
            raise CouldNotLook(f"the stack {self.session.home.stack} does not come up: {'; '.join(done.errors)}")
        self.story.tell("the stack has come up")
        for job in jobs:
            self.await_whole(job)
        self.story.picture(self.look())
        self._narrator.follow(*jobs)

    def options(self, **values: Any) -> None:
        """Writes how the simulated cloud shall behave: see sandbox/cloud/options.py."""
        write_options(self.session.home.cloud, json.dumps(values))

    def look(self) -> cluster_view.ClusterView:
        return cluster_view.view_by(self.client)

    def pods(self, job: str, role: str | None = None) -> list[Pod]:
        """Returns the pods of a job, or those of one of its replicated jobs."""
        labels = {JOB: job, **({cluster_view.REPLICATED_JOB: role} if role else {})}
        return list(self.client.list(Pod, namespace=NAMESPACE, labels=labels))

    def jobset(self, job: str) -> dict[str, Any]:
        """Returns the status of a job's JobSet."""
        found = self.client.get(JobSet, job, namespace=NAMESPACE)
        return found.status or {}

    def pools_of(self, job: str) -> dict[str, str]:
        """Returns the node pool of each slice of a job, by the slice's index: that of its pods that have a node."""
        pools = {node.metadata.name: (node.metadata.labels or {}).get(POOL, "") for node in self.client.list(Node)}
        return {
            pod.metadata.labels[JOB_INDEX]: pools[pod.spec.nodeName]
            for pod in self.pods(job)
            if pod.spec.nodeName in pools and pod.spec.nodeSelector and cluster_view.TOPOLOGY in pod.spec.nodeSelector
        }

    @staticmethod
    def place_of(pod: Pod) -> tuple[str, str, str]:
        """Returns which pod of its job it is: replicated job, index of the Job, index in the Job."""
        labels = pod.metadata.labels
        return labels[cluster_view.REPLICATED_JOB], labels[JOB_INDEX], labels[COMPLETION_INDEX]

    def whole(self, job: str) -> bool:
        """Whether a job has all its pods, ready, and on nodes that exist."""
        seen = self.look()
        nodes = {node.name for node in seen.nodes}
        mine = [pod for pod in seen.pods if pod.job == job]
        alive = [pod for pod in mine if pod.phase == "Running" and pod.ready and pod.node in nodes]
        wanted = next((each.wanted for each in seen.jobs if each.name == job and each.kind == "JobSet"), None)
        return wanted is not None and len(alive) == wanted == len(mine)

    def delete_job(self, job: str) -> None:
        """Deletes a JobSet, if there is one."""
        self._unless_gone(lambda: self.client.delete(JobSet, job, namespace=NAMESPACE))

    def await_whole(self, job: str, seconds: float = PATIENCE_SECONDS) -> float:
        """Waits until a job runs with all its pods; returns the seconds since the mark. Raises StoryFailed."""
        self.await_that(lambda: self.whole(job), f"{job} runs with all its pods", seconds)
        return self.story.seconds

    def within(self, met: Callable[[], bool], seconds: float) -> float | None:
        """Returns the seconds since the mark at which something is so; None where it is not within `seconds` of it."""
        while self.story.seconds < seconds:
            heard = self._happenings.count
            if met():
                return self.story.seconds
            self._nap(heard, seconds - self.story.seconds)
        return None

    def await_that(self, met: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Waits until something is so, and tells. Raises StoryFailed."""
        deadline = time.monotonic() + seconds
        while True:
            heard = self._happenings.count
            if met():
                break
            if time.monotonic() > deadline:
                self._narrator.catch_up()
                self.story.picture(self.look())
                raise StoryFailed(f"{what}: not within {seconds:g} s")
            self._nap(heard, deadline - time.monotonic())
        self.tell(what)

    def tell(self, what: str) -> None:
        """Says what is seen, after what led to it."""
        now = time.monotonic()
        self._narrator.catch_up()
        self.story.tell(what, now)

    def _nap(self, heard: int, seconds: float) -> None:
        """Waits for something to happen after so many changes were heard of."""
        self._happenings.await_more_than(heard, min(seconds, LONGEST_NAP_SECONDS))

    def jobset_gone(self, job: str) -> bool:
        """Whether there is no JobSet of that name, not even one that is being deleted."""
        return job not in {jobset.metadata.name for jobset in self.client.list(JobSet, namespace=NAMESPACE)}

    def save_for(self, seconds: float, *pods: Pod) -> None:
        """Lets the programs of pods take so long to end when they are told to; no longer than their grace lasts."""
        patch = {"metadata": {"annotations": {SAVES_FOR: f"{seconds:g}"}}}
        for pod in pods:
            self.client.patch(Pod, pod.metadata.name, patch, namespace=NAMESPACE, patch_type=PatchType.MERGE)

    def nodes_of(self, pool: str) -> list[Node]:
        return list(self.client.list(Node, labels={POOL: pool}))

    def vanish(self, *nodes: Node) -> None:
        """Takes nodes away without a word to anyone, as when their machines fail."""
        for node in nodes:
            self._unless_gone(lambda name=node.metadata.name: self.client.delete(Node, name))

    def shut_down(self, *nodes: Node) -> None:
        """Takes nodes away as GKE does with notice: they take no pods, those that they have fail, then they go."""
        self.drain(*nodes)
        self.vanish(*nodes)

    def drain(self, *nodes: Node) -> None:
        """The same up to the moment where nodes go: they stay, as when their machines are made anew under old names."""
        self.cordon(*nodes)
        names = {node.metadata.name for node in nodes}
        for pod in self.client.list(Pod, namespace="*"):
            if pod.spec.nodeName in names:
                patch = {"status": {"phase": "Failed", "reason": "Terminated", "conditions": [TERMINATED]}}
                name, namespace = pod.metadata.name, pod.metadata.namespace
                self._unless_gone(
                    lambda name=name, namespace=namespace, patch=patch: self.client.patch(
                        PodStatus, name, patch, namespace=namespace, patch_type=PatchType.STRATEGIC
                    )
                )

    def cordon(self, *nodes: Node, on: bool = True) -> None:
        """Lets nodes take no new pods, or take them again."""
        for node in nodes:
            patch = {"spec": {"unschedulable": on or None}}
            self._unless_gone(
                lambda name=node.metadata.name, patch=patch: self.client.patch(
                    Node, name, patch, patch_type=PatchType.MERGE
                )
            )

    def bring_back(self, *nodes: Node) -> None:
        """Brings nodes back as they were, as GKE's repair does."""
        for node in nodes:
            metadata = node.metadata
            kept = {"name": metadata.name, "labels": metadata.labels, "annotations": metadata.annotations}
            self.client.create(Node.from_dict({**node.to_dict(), "metadata": kept}))

    @staticmethod
    def _unless_gone(act: Callable[[], Any]) -> None:
        try:
            act()
        except ApiError as error:
            if code_of(error) != NOT_FOUND:
                raise
