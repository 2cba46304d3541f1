"""The autoscaler at work: looks again and again at pods that wait and nodes that idle, and has pools resized."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from sandbox.cloud.autoscaler.events import scale_up_failed, triggered_scale_up
from sandbox.cloud.autoscaler.idleness import Idleness
from sandbox.cloud.autoscaler.nodes import node_of
from sandbox.cloud.autoscaler.patience import Patience
from sandbox.cloud.autoscaler.pods import Pod, pod_of
from sandbox.cloud.autoscaler.pools import coming_nodes, scaled_pools
from sandbox.cloud.autoscaler.resizing import Busy, Resizer
from sandbox.cloud.autoscaler.room import Room
from sandbox.cloud.autoscaler.sizing import Growth, ScaledPool, growths, removable
from sandbox.cloud.kinds import Site
from sandbox.cloud.options import OptionsError
from sandbox.cloud.refusal import Refusal

TICK_SECONDS = 1.0
LONGEST_TICK_SECONDS = 10.0
REST = 10.0
"""How much longer than a look the pause after it is, at least: in a large cluster a look is no small thing."""

STOP_SECONDS = 5.0

Act = Callable[[], None]

_log = logging.getLogger(__name__)


class Autoscaler:
    """Runs in a thread of its own from start() to stop(). site: the cloud as it is when it is called."""

    def __init__(self, site: Callable[[], Site], resizer: Resizer) -> None:
        self._site = site
        self._resizer = resizer
        self._patience = Patience()
        self._idleness = Idleness()
        self._seen: set[str] = set()
        self._told = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="autoscaler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Decides nothing more; what has been decided is left to the cloud's operations."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        pause = TICK_SECONDS
        while not self._stop.wait(pause):
            began, acts = time.monotonic(), list[Act]()
            try:
                acts = self._decide()
                self._told = ""
            except Exception as error:  # the cluster may be going; the next look may do better
                if str(error) != self._told and not self._stop.is_set():
                    self._told = str(error)
                    _log.warning("autoscaler: %s", error, exc_info=True)
            pause = max(TICK_SECONDS, min(REST * (time.monotonic() - began), LONGEST_TICK_SECONDS))
            _in_parallel(acts)

    def _decide(self) -> list[Act]:
        """What is to be done now. Nodes are taken away only when none is to come."""
        site = self._site()
        pools = scaled_pools(site, self._patience.resting()) if site.host.endpoint() else []
        if not pools:
            self._seen.clear()
            self._idleness.forget()
            return []
        pods = [pod_of(manifest) for manifest in site.host.unschedulable_pods()]
        waiting = [pod for pod in pods if pod.uid in self._seen]
        self._seen = {pod.uid for pod in pods}
        return self._growing(site, pools, waiting) or self._shrinking(site, pools, pods)

    def _growing(self, site: Site, pools: Sequence[ScaledPool], waiting: Sequence[Pod]) -> list[Act]:
        """waiting: pods that the scheduler has had a moment for."""
        helped = [pod for pod in waiting if any(pool.open and pool.suits(pod) for pool in pools)]
        if not helped:
            return []
        nodes = [node_of(manifest) for manifest in site.host.registered_nodes()]
        coming = coming_nodes(site, {node.name for node in nodes})
        room = Room([*nodes, *coming], map(pod_of, site.host.bound_pods()))
        return [partial(self._grow, site, growth) for growth in growths(pools, room, helped)]

    def _grow(self, site: Site, growth: Growth) -> None:
        pool, pods = growth.pool, growth.pods
        sizes = {zone: len(nodes) + growth.nodes[zone] for zone, nodes in pool.nodes.items()}
        names = [f"{pod.namespace}/{pod.name}" for pod in pods]
        try:
            self._resizer.grow(pool.id, sizes, names, lambda: triggered_scale_up(site, growth))
        except Refusal as refusal:
            if not self._stop.is_set():
                self._patience.failed(pool.id, site.options)
                scale_up_failed(site, growth, refusal.text)
        else:
            self._patience.succeeded(pool.id)

    def _shrinking(self, site: Site, pools: Sequence[ScaledPool], pods: Sequence[Pod]) -> list[Act]:
        """pods: that wait; a pool that suits one of them keeps its nodes."""
        candidates = [pool for pool in pools if pool.open and pool.shrinkable and not any(map(pool.suits, pods))]
        idle = self._idleness.of(candidates, site)
        going = {pool.id: names for pool in candidates if (names := removable(pool, idle))}
        return [partial(self._resizer.shrink, id, names) for id, names in going.items()]


def _in_parallel(acts: Sequence[Act]) -> None:
    """Acts in threads that do not keep the process from ending. What is refused is in the journal."""

    def attempt(act: Act) -> None:
        with suppress(Busy, Refusal, OptionsError):
            act()

    threads = [threading.Thread(target=attempt, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
