"""Tells what becomes of the Jobs and slices of a drill, in a line for each change."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightkube.resources.core_v1 import Node, Pod

from sandbox.cluster_view import ACCELERATOR, JOB, POOL
from sandbox.drills.happenings import Happenings
from sandbox.drills.story import Story

JOB_NAME = "batch.kubernetes.io/job-name"
SETTLED_SECONDS = 0.3
"""How long a state must last in order to be told: the four pods of a slice do not change in the same moment."""
GONE = "gone"

States = dict[str, str]


def states(nodes: Iterable[Node], pods: Iterable[Pod], jobs: Collection[str]) -> States:
    """Returns how each node pool is, and each Job of some JobSets, in a few words."""
    pools = {node.metadata.name: node.metadata.labels.get(POOL, "") for node in nodes}
    return {**_of_pools(nodes), **_of_jobs([pod for pod in pods if pod.metadata.labels.get(JOB) in jobs], pools)}


def _of_pools(nodes: Iterable[Node]) -> States:
    pools: dict[str, list[Node]] = {}
    for node in nodes:
        kind = "slice" if ACCELERATOR in node.metadata.labels else "pool"
        pools.setdefault(f"{kind} {node.metadata.labels.get(POOL, '')}", []).append(node)
    return {name: _state_of_pool(members) for name, members in pools.items()}


def _state_of_pool(nodes: Sequence[Node]) -> str:
    closed = sum(bool(node.spec and node.spec.unschedulable) for node in nodes)
    there = f"{len(nodes)} node{'s' if len(nodes) > 1 else ''}"
    return f"{there}, {closed} of them closed to new pods" if closed else there


def _of_jobs(pods: Iterable[Pod], pools: Mapping[str, str]) -> States:
    jobs: dict[str, list[Pod]] = {}
    for pod in pods:
        jobs.setdefault(pod.metadata.labels.get(JOB_NAME, ""), []).append(pod)
    return {name: _words(_state_of_pod(pod, pools) for pod in members) for name, members in jobs.items()}


def _state_of_pod(pod: Pod, pools: Mapping[str, str]) -> str:
    node = pod.spec.nodeName
    phase = pod.status.phase or "Pending"
    if pod.metadata.deletionTimestamp and phase in ("Pending", "Running"):
        return "told to end"
    if phase not in ("Pending", "Running"):
        return phase
    if not node:
        return "Pending"
    return f"{phase} on {pools[node]}" if node in pools else "on a node that is gone"


def _words(each: Iterable[str]) -> str:
    return ", ".join(f"{count} {state}" for state, count in sorted(Counter(each).items()))


@dataclass
class _Untold:
    state: str
    since: float


class Narrator:
    """Tells each state that lasts for a moment, with the time at which it began, of the jobs that it follows."""

    def __init__(self, happenings: Happenings, story: Story) -> None:
        self._happenings = happenings
        self._story = story
        self._jobs: tuple[str, ...] = ()
        self._told: States = {}
        self._untold: dict[str, _Untold] = {}
        self._changing = threading.Lock()
        threading.Thread(target=self._run, name="narrator", daemon=True).start()

    def follow(self, *jobs: str) -> None:
        """Begins to tell of some JobSets and all node pools, from the state in which they are now."""
        with self._changing:
            self._jobs = jobs
            self._told, self._untold = self._states(), {}

    def catch_up(self) -> None:
        """Tells what has not lasted yet."""
        self._go_on(settled=0.0)

    def _run(self) -> None:
        count = 0
        while not self._happenings.stopped:
            self._happenings.await_more_than(count, SETTLED_SECONDS if self._untold else 60.0)
            count = self._happenings.count
            self._go_on(SETTLED_SECONDS)

    def _go_on(self, settled: float) -> None:
        with self._changing:
            if self._jobs:
                self._look()
                self._tell(settled)

    def _states(self) -> States:
        return states(*self._happenings.seen(), self._jobs)

    def _look(self) -> None:
        now = self._states()
        for name in {*now, *self._told, *self._untold}:
            state = now.get(name, GONE)
            if state == self._told.get(name, GONE):
                self._untold.pop(name, None)
            elif name not in self._untold or self._untold[name].state != state:
                self._untold[name] = _Untold(state, time.monotonic())

    def _tell(self, settled: float) -> None:
        now = time.monotonic()
        ripe = [(each.since, name) for name, each in self._untold.items() if now - each.since >= settled]
        for since, name in sorted(ripe):
            state = self._untold.pop(name).state
            self._told[name] = state
            self._story.tell(f"{name}: {state}", since)
