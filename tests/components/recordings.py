"""The program as recorded, for the stacks that are shipped and for variations of a small one."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

from components.recorder import Recording, record, record_stack_file
from pathways.resources import Resource

STACKS = Path(__file__).resolve().parents[2] / "stacks"

NODE_POOL = "gcp:container/nodePool:NodePool"

SMALL: dict[str, Any] = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "head": {"machineType": "n2-standard-64", "maxNodes": 2},
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 2, "spares": 1, "capacity": {"spot": {}}}],
}


@cache
def shipped(stack: str) -> Recording:
    """What the stack file of that name makes the program register."""
    return record_stack_file(STACKS / f"Pulumi.{stack}.yaml")


def declare(**changes: Any) -> Recording:
    """What the small stack registers with other values for top-level keys."""
    platform = {**copy.deepcopy(SMALL), **changes}
    return record({"gcp:project": "tpu-lab", "pathways:platform": platform}, "small")


def declare_pool(zone: str = SMALL["zone"], **group: Any) -> dict[str, Any]:
    """Properties of the one pool of a group of the given shape and capacity."""
    recording = declare(zone=zone, slices=[{"name": "group", "count": 1, "capacity": {"spot": {}}, **group}])
    (pool,) = slice_pools(recording)
    return dict(pool.properties)


def slice_pools(recording: Recording) -> list[Resource]:
    """The TPU pools of a recording, without the head pool."""
    pools = recording.of_type(NODE_POOL)
    return [pool for pool in pools if "MultisliceGroup" in pool.properties["nodeConfig"]["labels"]]


def job_pools(recording: Recording) -> list[Resource]:
    """The pools that jobs run on: those of slices and heads."""
    return [pool for pool in recording.of_type(NODE_POOL) if pool.name != "pathways-system-pool"]
