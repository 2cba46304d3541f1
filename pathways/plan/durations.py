"""How long operations take, roughly, when Google Cloud has the capacity at hand."""

from __future__ import annotations

from pathways.rules.kinds import CLUSTER, NODE_POOL, ROUTER_NAT

CREATE, UPDATE, DELETE = "create", "update", "delete"

_MINUTES = {
    CLUSTER: {CREATE: 6.0, UPDATE: 1.0, DELETE: 2.0},
    NODE_POOL: {CREATE: 3.0, UPDATE: 1.0, DELETE: 1.0},
    ROUTER_NAT: {CREATE: 2.0, DELETE: 1.0},
}
"""What public deployment logs show: clusters 3.5 to 9.5 minutes, small node pools 1 to 2. The simulated cloud takes as
long. Other resources take seconds; capacity that is not at hand takes as long as it takes."""


def minutes(resource_type: str, operation: str) -> float:
    """Return the minutes of an operation on a resource of that type; 0 where it takes seconds."""
    return _MINUTES.get(resource_type, {}).get(operation, 0.0)
