"""How many node pool operations of a cluster are under way at once."""

import math

import pulumi

SINGLE_OPERATION_MINUTES = 120
"""The provider's own time-out of a node pool operation. It retries stockouts and quota refusals until then."""

QUEUED_OPERATION_MINUTES = 15
"""Allowance for each operation that may have to be waited for."""


class PoolLanes:
    """Chains all node pools of a cluster in `width` lanes: pool i depends on pool i - width.

    The engine then never asks for more than `width` at once, neither on the way up nor, in the reverse order, on the
    way down. `pools` is how many there will be in all: time-outs are long enough for the whole queue, since others
    (upgrades, the autoscaler) may hold the cluster's operations meanwhile.
    """

    def __init__(self, pools: int, width: int) -> None:
        self._width = width
        self._declared: list[pulumi.Resource] = []
        minutes = SINGLE_OPERATION_MINUTES + QUEUED_OPERATION_MINUTES * math.ceil(pools / width)
        self.timeouts = pulumi.CustomTimeouts(create=f"{minutes}m", update=f"{minutes}m", delete=f"{minutes}m")

    def predecessor(self) -> list[pulumi.Resource]:
        """Return the pool that the next one has to wait for, if any, as a list for `depends_on`."""
        return self._declared[-self._width :][:1] if len(self._declared) >= self._width else []

    def add(self, pool: pulumi.Resource) -> None:
        """Append a pool that was declared to wait for `predecessor()`."""
        self._declared.append(pool)
