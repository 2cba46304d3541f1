"""Settings and resources for tests of the plan, without Pulumi."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pathways.resources import Resource, ResourceOptions
from pathways.settings import StackSettings, parse_settings

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
V6E = {"name": "v6e", "tpu": "v6e-16", "count": 2, "spares": 1, "capacity": {"spot": {}}}


def settings(stack: str = "small", project: str = "tpu-lab", **platform: Any) -> StackSettings:
    """A stack of two v6e-16 slices and a spare, with other values for top-level keys."""
    raw = {"environment": "dev", "zone": "us-east5-b", "jax": "0.8.3", "slices": [V6E], **platform}
    return parse_settings(copy.deepcopy(raw), project=project, stack=stack, source="stack.yaml")


def job(name: str, group: str, count: int, **more: Any) -> dict[str, Any]:
    """A job as the stack file has it."""
    image = {} if more.get("mode") == "headless" else {"image": "a:1"}
    return {"name": name, "kind": "pathways", "slices": {"group": group, "count": count}, **image, **more}


def urn(name: str, kind: str = NODE_POOL) -> str:
    return f"urn:pulumi:small::pathways::{kind}::{name}"


def pool(name: str, *after: str, group: str = "v6e", **node_config: Any) -> Resource:
    """A node pool of a group that waits for other resources, by their names."""
    return Resource(
        type=NODE_POOL,
        name=name,
        urn=urn(name),
        properties={"name": name, "nodeConfig": {"labels": {"MultisliceGroup": group}, **node_config}},
        options=ResourceOptions(dependencies=tuple(map(urn, after))),
    )


def pools(described: StackSettings) -> list[Resource]:
    """The pools of all groups, as the program declares them."""
    found = []
    for group in described.slices:
        config: dict[str, Any] = {}
        if hasattr(group.capacity, "name"):
            path = f"projects/{described.project}/reservations/{group.capacity.name}"
            config["reservationAffinity"] = {"values": [path]}
        found += [pool(f"{group.name}-{index}", group=group.name, **config) for index in range(group.pools)]
    return found


def chain(names: Sequence[str], width: int) -> list[Resource]:
    """Pools of which each waits for the one `width` before it, and the first ones for the cluster."""
    cluster = Resource(type=CLUSTER, name="cluster", urn=urn("cluster", CLUSTER))
    return [
        cluster,
        *(
            Resource(
                type=NODE_POOL,
                name=name,
                urn=urn(name),
                properties={"name": name},
                options=ResourceOptions(
                    dependencies=(cluster.urn, *([urn(names[index - width])] if index >= width else []))
                ),
            )
            for index, name in enumerate(names)
        ),
    ]
