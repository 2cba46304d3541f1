"""The autoscaler in the served cloud: pools grow and shrink as operations of GKE, under its limits and failures."""

import time

import pytest

from sandbox.cloud import CloudServer, journal, read_records, rounds
from sandbox.cloud.autoscaler import idleness, patience
from tests.sandbox.cloud.engine_side import Engine
from tests.sandbox.cloud.inputs import HEAD_INPUTS, POOL, SLICE_INPUTS, with_change
from tests.sandbox.cloud.waiting_pods import head, leader, on, pod

FLEX_INPUTS = {
    **with_change(SLICE_INPUTS, "nodeCount", None),
    "name": "flex-0",
    "nodeConfig": {"machineType": "ct6e-standard-4t", "flexStart": True, "labels": {"MultisliceGroup": "flex"}},
    "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"},
    "management": {"autoRepair": False},
}
STOCKOUT = {"type": POOL, "name": "flex-*", "call": "autoscale", "error": "stockout", "times": 1}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The autoscaler looks often, and nodes idle soon."""
    monkeypatch.setattr(rounds, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(idleness, "LEAST_SECONDS", 0.2)
    monkeypatch.setattr(patience, "LEAST_SECONDS", 0.2)


@pytest.fixture
def made(cluster, engine):
    """Creates a pool."""
    return lambda inputs: engine.create(POOL, inputs, inputs["name"])


def wait_for(condition, seconds=10):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def stays(condition, seconds=0.5):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        assert condition()
        time.sleep(0.02)


def autoscaled(folder):
    return [entry for entry in journal.read(folder) if entry.call == "autoscale"]


def occupied(host, pool="head"):
    """A head on each node of a pool."""
    return [on(node["metadata"]["name"], head(f"on-{index}")) for index, node in enumerate(host.of_pool(pool))]


def test_a_head_that_waits_gets_a_node_and_the_program_sees_no_difference(engine, host, made, folder):
    pool = made(HEAD_INPUTS)
    host.bound = occupied(host)
    host.waiting = [head("second")]
    wait_for(lambda: len(host.of_pool("head")) == 2)
    stays(lambda: len(host.of_pool("head")) == 2)
    first, second = host.of_pool("head")
    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert first["status"]["addresses"][0] != second["status"]["addresses"][0]
    refreshed = engine.refresh(pool)
    assert refreshed.properties["nodeCount"] == 2
    assert not engine.diff(refreshed, HEAD_INPUTS).some
    (entry,) = autoscaled(folder)
    assert (entry.type, entry.id, entry.ok) == (POOL, pool.id, True)
    assert entry.inputs == {"pods": ["pathways/second-head"], "nodes": {"from": 1, "to": 2}}


def test_the_pod_is_told(host, made):
    made(HEAD_INPUTS)
    host.bound, host.waiting = occupied(host), [head("second")]
    wait_for(lambda: host.events)
    ((name, type, reason, message),) = host.events
    assert (name, type, reason) == ("second-head", "Normal", "TriggeredScaleUp")
    assert message.startswith("pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/my-project/")
    assert message.endswith("-grp 1->2 (max: 2)}]")


def test_a_pool_at_its_maximum_and_one_without_autoscaling_stay(host, made, folder):
    made({**HEAD_INPUTS, "autoscaling": {"minNodeCount": 1, "maxNodeCount": 1}})
    made({**with_change(HEAD_INPUTS, "autoscaling", None), "name": "fixed", "nodeCount": 1})
    host.bound, host.waiting = occupied(host) + occupied(host, "fixed"), [head("second")]
    stays(lambda: len(host.nodes) == 2)
    assert autoscaled(folder) == []


def test_a_pod_that_waits_for_something_else_makes_nothing_grow(host, made, folder):
    made(HEAD_INPUTS)
    host.waiting = [pod("gpu", {"nvidia.com/gpu": "1"}), head("fits on the free node")]
    stays(lambda: len(host.nodes) == 1)
    assert autoscaled(folder) == []


def test_a_flex_start_slice_comes_whole_for_a_leader_and_goes_when_it_is_idle(engine, host, made, folder):
    pool = made(FLEX_INPUTS)
    host.waiting = [leader("job")]
    wait_for(lambda: len(host.of_pool("flex-0")) == 4)
    assert engine.refresh(pool).properties["nodeCount"] == 4
    names = [node["metadata"]["name"] for node in host.of_pool("flex-0")]
    host.bound, host.waiting = [on(names[2], leader("job"))], []
    stays(lambda: len(host.of_pool("flex-0")) == 4, 1.0)
    host.bound = []
    wait_for(lambda: host.of_pool("flex-0") == [])
    wait_for(lambda: len(autoscaled(folder)) == 2)
    grew, shrank = autoscaled(folder)
    assert grew.inputs["nodes"] == {"from": 0, "to": 4}
    assert shrank.inputs == {"idle": sorted(names), "nodes": {"from": 4, "to": 0}}
    refreshed = engine.refresh(pool)
    assert refreshed.properties["nodeCount"] == 0
    assert not engine.diff(refreshed, FLEX_INPUTS).some


def test_idle_heads_go_down_to_the_minimum(engine, host, made):
    pool = made(HEAD_INPUTS)
    host.bound, host.waiting = occupied(host), [head("second")]
    wait_for(lambda: len(host.of_pool("head")) == 2)
    host.waiting, host.bound = [], []
    wait_for(lambda: len(host.of_pool("head")) == 1)
    stays(lambda: len(host.of_pool("head")) == 1)
    assert engine.refresh(pool).properties["nodeCount"] == 1


def test_an_edit_of_a_slice_that_has_grown_is_accepted_and_keeps_its_nodes(engine, host, made):
    pool = made(FLEX_INPUTS)
    host.waiting = [leader("job")]
    wait_for(lambda: len(host.of_pool("flex-0")) == 4)
    pool = engine.refresh(pool)
    engine.update(pool, with_change(FLEX_INPUTS, "nodeConfig.labels", {"MultisliceGroup": "flex", "Size": "2"}))
    assert [node["metadata"]["labels"]["Size"] for node in host.of_pool("flex-0")] == ["2"] * 4


def test_a_stockout_leaves_the_pool_as_it_was_and_is_tried_again(engine, host, made, folder, options):
    options(faults=[STOCKOUT])
    pool = made(FLEX_INPUTS)
    host.waiting = [leader("job")]
    wait_for(lambda: len(autoscaled(folder)) == 2)
    failed, grew = autoscaled(folder)
    assert "[GCE_STOCKOUT]" in failed.outcome
    assert grew.ok
    assert grew.started - failed.ended >= 0.1
    assert len(host.of_pool("flex-0")) == 4
    assert [reason for _, _, reason, _ in host.events] == ["TriggeredScaleUp", "FailedScaleUp", "TriggeredScaleUp"]
    assert host.events[1][1] == "Warning"
    assert host.events[1][3] == (
        "Node scale up in zones us-east5-b associated with this pod failed: GCE out of resources. "
        "Pod is at risk of not being scheduled."
    )
    assert engine.refresh(pool).properties["nodeCount"] == 4


def test_a_stockout_is_not_an_error_of_the_pool(engine, host, made, folder, options):
    options(faults=[{**STOCKOUT, "times": 100}])
    pool = made(FLEX_INPUTS)
    host.waiting = [leader("job")]
    wait_for(lambda: autoscaled(folder))
    assert engine.refresh(pool).properties["nodeCount"] == 0
    host.waiting = []
    wait_for(lambda: [record.status for record in read_records(folder) if record.type == POOL] == ["RUNNING"])
    assert host.nodes == {}


def test_another_pool_is_tried_while_one_rests(host, made, options, folder):
    options(faults=[{**STOCKOUT, "name": "flex-0", "times": 100}])
    for name in ("flex-0", "flex-1"):
        made({**FLEX_INPUTS, "name": name})
    host.waiting = [leader("job")]
    wait_for(lambda: len(host.of_pool("flex-1")) == 4)
    assert host.of_pool("flex-0") == []


def test_quota_bounds_what_comes(host, made, options, folder):
    options(quota={"v6e": 24})
    for name in ("flex-0", "flex-1"):
        made({**FLEX_INPUTS, "name": name})
    host.waiting = [leader("a"), leader("b")]
    wait_for(lambda: any(reason == "FailedScaleUp" for _, _, reason, _ in host.events))
    (message,) = {message for _, _, reason, message in host.events if reason == "FailedScaleUp"}
    assert "failed: GCE quota exceeded." in message
    wait_for(lambda: len(host.nodes) == 4)
    refused = next(entry for entry in autoscaled(folder) if not entry.ok)
    assert "request requires '16.0' and is short '8.0'" in refused.outcome


def test_it_counts_as_an_operation_on_the_cluster(engine, host, made, options, folder):
    for name in ("flex-0", "flex-1", "flex-2"):
        made({**FLEX_INPUTS, "name": name})
    options(timeScale=0.1, concurrentOperations=2)
    host.waiting = [leader(job) for job in "abc"]
    wait_for(lambda: len(autoscaled(folder)) == 3)
    entries = autoscaled(folder)
    assert all(entry.ok for entry in entries)
    overlapping = [sum(other.started <= entry.started < other.ended for other in entries) for entry in entries]
    assert max(overlapping) == 2
    assert len(host.nodes) == 12


def test_an_update_of_the_pool_waits_for_it(engine, host, made, options, folder):
    pool = made(HEAD_INPUTS)
    options(timeScale=0.1)
    host.bound, host.waiting = occupied(host), [head("second")]
    wait_for(lambda: len(host.of_pool("head")) == 2)
    engine.update(pool, with_change(HEAD_INPUTS, "nodeConfig.labels", {"a": "b"}))
    update = next(entry for entry in journal.read(folder) if entry.call == "update")
    assert "Please wait and try again" in update.retries[0].error
    assert [node["metadata"]["labels"]["a"] for node in host.of_pool("head")] == ["b", "b"]


def test_nodes_that_were_to_come_when_the_daemon_ended_come_afterwards(host, made, server, folder):
    made(HEAD_INPUTS)
    host.bound, host.waiting = occupied(host), [head("second")]
    host.gate.clear()
    wait_for(lambda: [record.status for record in read_records(folder) if record.type == POOL] == ["RECONCILING"])
    server.stop()
    host.waiting = []
    host.gate.set()
    again = CloudServer(folder, host)
    again.start()
    try:
        wait_for(lambda: len(host.of_pool("head")) == 2)
        assert Engine(again.port).read(POOL, "my-project/us-east5/main/head").properties["nodeCount"] == 2
    finally:
        again.stop()


def test_without_a_cluster_nobody_is_asked(host, server):
    host.unschedulable_pods = lambda: pytest.fail("there is no cluster")
    stays(lambda: True, 0.2)
