"""The autoscaler at work: looks again and again at pods that wait and nodes that idle, and has pools resized."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
from sandbox.cloud.refusal import Refusal
from sandbox.cloud.rounds import Act, Rounds


class Autoscaler:
    """Goes its rounds from start() to stop(). site: the cloud as it is when it is called."""

    def __init__(self, site: Callable[[], Site], resizer: Resizer) -> None:
        self._site = site
        self._resizer = resizer
        self._patience = Patience()
        self._idleness = Idleness()
        self._seen: set[str] = set()
        self._rounds = Rounds("autoscaler", self._decide)

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        """Decides nothing more; what has been decided is left to the cloud's operations."""
        self._rounds.stop()

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
            if not self._rounds.stopping:
                self._patience.failed(pool.id, site.options)
                scale_up_failed(site, growth, refusal.text)
        except Busy:
            pass
        else:
            self._patience.succeeded(pool.id)

    def _shrinking(self, site: Site, pools: Sequence[ScaledPool], pods: Sequence[Pod]) -> list[Act]:
        """pods: that wait; a pool that suits one of them keeps its nodes."""
        candidates = [pool for pool in pools if pool.open and pool.shrinkable and not any(map(pool.suits, pods))]
        idle = self._idleness.of(candidates, site)
        going = {pool.id: names for pool in candidates if (names := removable(pool, idle))}
        return [partial(self._shrink, id, names) for id, names in going.items()]

    def _shrink(self, id: str, names: Collection[str]) -> None:
        with suppress(Busy):
            self._resizer.shrink(id, names)
