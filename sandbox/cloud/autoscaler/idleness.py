"""Since when nodes have been without pods."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from sandbox.cloud.autoscaler.pods import pod_of
from sandbox.cloud.autoscaler.sizing import ScaledPool
from sandbox.cloud.kinds import Site

IDLE_MINUTES = 10.0
"""Simulated. Source: GKE documentation, "About GKE cluster autoscaling"."""

LEAST_SECONDS = 15.0
"""A node is not taken away before the scheduler, which waits for up to 10 s between two tries, has seen it."""

LOOKS = 3
"""How often to look, at least, before a node goes."""


class Idleness:
    """Remembers nodes without pods; those that a DaemonSet or the node itself has do not count.

    clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}
        self._looked = float("-inf")

    def of(self, pools: Sequence[ScaledPool], site: Site) -> set[str]:
        """The nodes of these pools that have been idle for long enough; none when it is too early to look again."""
        if not pools:
            self.forget()
            return set()
        now, patience = self._clock(), max(site.options.seconds(IDLE_MINUTES), LEAST_SECONDS)
        if now - self._looked < patience / LOOKS:
            return set()
        self._looked = now
        pods = map(pod_of, site.host.bound_pods())
        busy = {pod.node for pod in pods if not pod.daemon}
        names = {name for pool in pools for nodes in pool.nodes.values() for name in nodes}
        self._since = {name: self._since.get(name, now) for name in names - busy}
        return {name for name, since in self._since.items() if now - since >= patience}

    def forget(self) -> None:
        self._since.clear()
