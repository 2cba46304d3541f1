"""Which pods the cluster autoscaler is told of."""

from types import SimpleNamespace

import msgspec
import pytest
from lightkube.resources.core_v1 import Pod

from sandbox.control_plane.pods import bound_pods, ready_heads, unschedulable_pods

NO_NODE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def told(ask, status, node=None, **metadata):
    manifest = {
        "metadata": {"name": "p", "namespace": "n", **metadata},
        "spec": {"containers": [{"name": "main"}], **({"nodeName": node} if node else {})},
        "status": status,
    }
    client = SimpleNamespace(list=lambda *_, **__: [msgspec.convert(manifest, Pod)])
    return [pod["metadata"]["name"] for pod in ask(client)]


@pytest.mark.parametrize(
    ("status", "metadata", "expected"),
    [
        ({"phase": "Pending", "conditions": [NO_NODE]}, {}, ["p"]),
        ({"phase": "Pending"}, {}, []),
        ({"phase": "Pending", "conditions": [{**NO_NODE, "reason": "SchedulingGated"}]}, {}, []),
        ({"phase": "Pending", "conditions": [NO_NODE], "nominatedNodeName": "node-1"}, {}, []),
        ({"phase": "Pending", "conditions": [NO_NODE]}, {"deletionTimestamp": "2026-01-01T00:00:00Z"}, []),
    ],
    ids=["no node", "not looked at", "held back", "pushes others out", "leaving"],
)
def test_pods_that_need_another_node(status, metadata, expected):
    assert told(unschedulable_pods, status, **metadata) == expected


@pytest.mark.parametrize(
    ("phase", "node", "expected"),
    [
        ("Running", "node-1", ["p"]),
        ("Pending", "node-1", ["p"]),
        ("Pending", None, []),
        ("Succeeded", "node-1", []),
        ("Failed", "node-1", []),
    ],
)
def test_pods_that_take_room_on_a_node(phase, node, expected):
    assert told(bound_pods, {"phase": phase}, node) == expected


@pytest.mark.parametrize(
    ("ready", "metadata", "expected"),
    [
        ("True", {}, ["p"]),
        ("False", {}, []),
        ("True", {"deletionTimestamp": "2026-01-01T00:00:00Z"}, []),
    ],
)
def test_heads_that_have_started(ready, metadata, expected):
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    assert told(ready_heads, status, "node-1", **metadata) == expected
