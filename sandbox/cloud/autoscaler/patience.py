"""Pools that could not grow are left in peace for a while, ever longer."""

from __future__ import annotations

import time
from collections.abc import Callable

from sandbox.cloud.options import Options

FIRST_MINUTES = 5.0
LONGEST_MINUTES = 30.0
"""Simulated. Source: Kubernetes' cluster autoscaler, initial-node-group-backoff-duration and its maximum."""

LEAST_SECONDS = 1.0


class Patience:
    """Remembers failures by pool. clock: seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}
        self._minutes: dict[str, float] = {}

    def failed(self, pool: str, options: Options) -> None:
        minutes = min(self._minutes.get(pool, FIRST_MINUTES / 2) * 2, LONGEST_MINUTES)
        self._minutes[pool] = minutes
        self._until[pool] = self._clock() + max(options.seconds(minutes), LEAST_SECONDS)

    def succeeded(self, pool: str) -> None:
        self._minutes.pop(pool, None)

    def resting(self) -> set[str]:
        """The pools that shall not be tried yet."""
        now = self._clock()
        return {pool for pool, until in self._until.items() if until > now}
