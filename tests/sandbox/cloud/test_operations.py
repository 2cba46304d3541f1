"""Operations take time, are limited, can be made to fail, and outlive their callers and their daemon."""

import contextlib
import json
import shutil
import subprocess
import sys
import threading
import time
from copy import deepcopy

import psutil
import pytest

from sandbox.cloud import CloudServer, journal, read_records
from tests.sandbox.cloud.engine_side import CallError, Engine
from tests.sandbox.cloud.fake_host import FakeHost
from tests.sandbox.cloud.inputs import (
    BUCKET,
    CLUSTER,
    CLUSTER_INPUTS,
    EVERY_TYPE,
    NETWORK,
    POOL,
    SLICE_INPUTS,
    SUBNETWORK,
)


def pool(index):
    return {**SLICE_INPUTS, "name": f"v6e-{index}"}


def calls(folder, call, type=POOL):
    return [entry for entry in journal.read(folder) if entry.call == call and entry.type == type]


def most_at_once(spans):
    moments = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    running = highest = 0
    for _, step in moments:
        running += step
        highest = max(highest, running)
    return highest


def test_64_pools_at_once_are_all_made_five_at_a_time(engine, cluster, host, folder, in_parallel):  # pool-5
    spans = []

    class Timed(type(host)):
        def add_nodes(self, nodes):
            started = time.monotonic()
            time.sleep(0.02)
            super().add_nodes(nodes)
            spans.append((started, time.monotonic()))

    host.__class__ = Timed
    made = in_parallel(lambda index: engine.create(POOL, pool(index)), range(64))
    assert [result for result in made if isinstance(result, Exception)] == []
    assert len(host.nodes) == 256
    assert len({node["status"]["addresses"][0]["address"] for node in host.nodes.values()}) == 256
    assert most_at_once(spans) <= 5
    refusals = {retry.error for entry in calls(folder, "create") for retry in entry.retries}
    assert refusals == {
        'error creating NodePool: googleapi: Error 429: Too many operations: cluster "main" hits the concurrent '
        "operations quota 5, please try again later., rateLimitExceeded"
    }


def test_a_provider_that_waits_too_long_gives_up_with_gkes_words(engine, cluster, host, options, folder):
    options(timeScale=0.001, concurrentOperations=1)
    host.gate.clear()
    first = threading.Thread(target=engine.create, args=(POOL, pool(0)))
    first.start()
    wait_for(lambda: any(record.type == POOL for record in read_records(folder)))
    with pytest.raises(CallError, match="hits the concurrent operations quota 1"):
        engine.create(POOL, pool(1), timeout=60)  # a minute: a millisecond here
    host.gate.set()
    first.join()


def test_a_pool_is_not_touched_while_gke_works_on_it(engine, cluster, host, folder):
    host.gate.clear()
    creating = threading.Thread(target=engine.create, args=(POOL, pool(0)))
    creating.start()
    wait_for(lambda: any(record.type == POOL for record in read_records(folder)))
    with pytest.raises(CallError, match="Error 409: Already exists"):
        engine.create(POOL, pool(0))
    deleting = threading.Thread(target=engine.delete, args=(cluster,))
    deleting.start()
    time.sleep(0.1)
    assert deleting.is_alive()
    host.gate.set()
    creating.join()
    deleting.join()
    (entry,) = calls(folder, "delete", CLUSTER)
    assert "is currently creating a node pool for cluster main" in entry.retries[0].error
    assert not host.there


def test_a_cancelled_engine_stops_waiting_and_gkes_work_goes_on(server, engine, cluster, host, options, folder):
    options(concurrentOperations=1)
    host.gate.clear()
    first = threading.Thread(target=engine.create, args=(POOL, pool(0)))
    first.start()
    wait_for(lambda: any(record.type == POOL for record in read_records(folder)))
    caught = []

    def second():
        try:
            engine.create(POOL, pool(1))
        except CallError as error:
            caught.append(error.text)

    waiting = threading.Thread(target=second)
    waiting.start()
    time.sleep(0.2)
    server.cloud.cancel()
    waiting.join(timeout=5)
    assert caught == ["context canceled"]
    host.gate.set()
    first.join()
    assert [record.status for record in read_records(folder) if record.type == POOL] == ["RUNNING"]


def test_time_is_scaled(engine, cluster, options):
    options(timeScale=0.1)
    started = time.monotonic()
    engine.create(POOL, pool(0))  # three minutes
    assert 0.3 <= time.monotonic() - started < 1.5


def test_an_operation_ends_though_its_caller_is_gone(server, cluster, host, folder):
    host.gate.clear()
    script = (
        "import sys; from tests.sandbox.cloud.engine_side import Engine; from tests.sandbox.cloud.inputs import *; "
        "Engine(int(sys.argv[1])).create(POOL, SLICE_INPUTS)"
    )
    caller = subprocess.Popen([sys.executable, "-c", script, str(server.port)], cwd=sys.path[0] or ".")
    wait_for(lambda: any(record.type == POOL for record in read_records(folder)), 30)
    caller.kill()
    caller.wait()
    host.gate.set()
    wait_for(lambda: any(entry.ok for entry in calls(folder, "create")))
    assert len(host.nodes) == 4
    assert Engine(server.port).read(POOL, "my-project/us-east5/main/v6e-0").inputs["nodeCount"] == 4


@pytest.fixture
def killed_during(engine, host, folder, tmp_path):
    """Begins an operation, and returns a new daemon on what a kill at that moment leaves on the disk, and its host."""
    begun = []

    def kill(act):
        host.gate.clear()
        thread = threading.Thread(target=act)
        thread.start()
        wait_for(lambda: any(record.under_way for record in read_records(folder)))
        left = shutil.copytree(folder, tmp_path / "left")
        other = FakeHost()
        other.there, other.nodes = host.there, deepcopy(host.nodes)
        host.gate.set()
        thread.join()
        server = CloudServer(left, other)
        server.start()
        begun.append(server)
        return Engine(server.port), other

    yield kill
    begun[0].stop()


def test_a_new_daemon_creates_what_the_dead_one_was_creating(engine, cluster, host, killed_during):
    survivor, nodes = killed_during(lambda: engine.create(POOL, pool(0)))
    found = survivor.read(POOL, "my-project/us-east5/main/v6e-0")
    assert found.inputs["nodeCount"] == 4
    assert set(nodes.nodes) == set(host.nodes)
    assert not survivor.diff(found, pool(0)).some


def test_a_new_daemon_starts_the_cluster_that_the_dead_one_was_starting(engine, killed_during):
    for type in (NETWORK, SUBNETWORK):
        engine.create(type, EVERY_TYPE[type])
    survivor, nodes = killed_during(lambda: engine.create(CLUSTER, CLUSTER_INPUTS))
    found = survivor.read(CLUSTER, "projects/my-project/locations/us-east5/clusters/main")
    assert found.properties["endpoint"] == "127.0.0.1:6443"
    assert nodes.there


def test_a_new_daemon_updates_what_the_dead_one_was_updating(engine, cluster, killed_during):
    made = engine.create(POOL, pool(0))
    config = {**SLICE_INPUTS["nodeConfig"], "labels": {"MultisliceGroupSize": "3"}}
    survivor, nodes = killed_during(lambda: engine.update(made, {**pool(0), "nodeConfig": config}))
    found = survivor.read(POOL, made.id)
    assert found.properties["nodeConfig"]["labels"] == {"MultisliceGroupSize": "3"}
    for node in nodes.nodes.values():
        assert node["metadata"]["labels"]["MultisliceGroupSize"] == "3"
        assert "MultisliceGroup" not in node["metadata"]["labels"]


def test_a_new_daemon_deletes_what_the_dead_one_was_deleting(engine, cluster, killed_during):
    made = engine.create(POOL, pool(0))
    survivor, nodes = killed_during(lambda: engine.delete(made))
    assert survivor.read(POOL, made.id) is None
    assert nodes.nodes == {}


def test_a_daemon_that_is_stopped_leaves_operations_to_the_next(folder, host, options):
    first = CloudServer(folder, host)
    first.start()
    engine = Engine(first.port)
    for type in (NETWORK, SUBNETWORK, CLUSTER):
        engine.create(type, EVERY_TYPE[type])
    host.gate.clear()
    host.add_nodes = lambda _: (host.gate.wait(20), raise_connection_error())
    threading.Thread(target=lambda: suppressed(lambda: engine.create(POOL, pool(0)))).start()
    wait_for(lambda: any(record.type == POOL for record in read_records(folder)))
    first.stop()
    host.gate.set()
    time.sleep(0.2)
    (left,) = [record for record in read_records(folder) if record.type == POOL]
    assert left.status == "PROVISIONING"

    del host.add_nodes
    second = CloudServer(folder, host)
    second.start()
    assert Engine(second.port).read(POOL, left.id).inputs["nodeCount"] == 4
    assert len(host.nodes) == 4
    second.stop()


def raise_connection_error():
    raise ConnectionError("the control plane is gone")


def suppressed(act):
    with contextlib.suppress(CallError):
        act()


def test_what_is_told_survives_a_killed_daemon(folder):
    script = """
import sys, time
from pathlib import Path
from sandbox.cloud import CloudServer
from tests.sandbox.cloud.fake_host import FakeHost
server = CloudServer(Path(sys.argv[1]), FakeHost(), int(sys.argv[2]))
server.start()
print(server.port, flush=True)
time.sleep(60)
"""
    (folder / "options.json").write_text(json.dumps({"timeScale": 0}))
    command = [sys.executable, "-c", script, str(folder), "0"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=sys.path[0] or ".")
    engine = Engine(int(daemon.stdout.readline()))
    for type in (NETWORK, SUBNETWORK, CLUSTER, POOL):
        engine.create(type, EVERY_TYPE[type])
    daemon.kill()
    daemon.wait()
    assert [record.type for record in read_records(folder)] == [NETWORK, SUBNETWORK, CLUSTER, POOL]
    assert [entry.outcome for entry in journal.read(folder)] == ["ok"] * 4


def test_faults_befall_as_many_calls_as_they_say_restarts_counted(folder, host, options):
    fault = {"type": "gcp:storage/*", "name": "scratch-*", "call": "create", "error": 500, "times": 2}
    options(faults=[fault])
    for outcome in ("fails", "fails", "succeeds"):
        server = CloudServer(folder, host)
        server.start()
        engine = Engine(server.port)
        if outcome == "fails":
            with pytest.raises(CallError, match="Error 500: Internal error encountered"):
                engine.create(BUCKET, EVERY_TYPE[BUCKET])
        else:
            engine.create(BUCKET, EVERY_TYPE[BUCKET])
        server.stop()


def test_a_quota_error_in_passing_is_tried_again(engine, cluster, options, folder):
    options(faults=[{"type": POOL, "error": "429", "times": 3}])
    engine.create(POOL, pool(0))
    (entry,) = calls(folder, "create")
    assert sum(retry.count for retry in entry.retries) == 3


def test_a_stockout_leaves_a_pool_in_error_that_the_caller_hears_of(engine, cluster, options, folder):  # pool-6
    options(faults=[{"type": POOL, "name": "v6e-0", "error": "stockout"}])
    with pytest.raises(CallError, match=r"GCE_STOCKOUT.*zones/us-east5-b' does not have enough resources") as caught:
        engine.create(POOL, pool(0))
    assert caught.value.made.id == "my-project/us-east5/main/v6e-0"
    assert calls(folder, "create")[0].outcome.startswith('NodePool v6e-0 was created in the error state "ERROR"')


def test_a_lost_answer_leaves_a_pool_that_nobody_knows(engine, cluster, options, host):
    options(faults=[{"type": POOL, "error": "lost"}])
    with pytest.raises(CallError, match="Error 503") as caught:
        engine.create(POOL, pool(0))
    assert caught.value.made is None
    assert len(host.nodes) == 4
    with pytest.raises(CallError, match="Error 409"):
        engine.create(POOL, pool(0))


def test_options_that_are_wrong_are_told_by_the_next_call(engine, folder):
    (folder / "options.json").write_text('{"timeSclae": 1}')
    with pytest.raises(CallError, match=r"options.json of the simulated cloud: .*timeSclae"):
        engine.create(NETWORK, EVERY_TYPE[NETWORK])


def test_the_journal_tells_of_every_call(engine, cluster, folder):
    made = engine.create(POOL, pool(0), "slice-0")
    relabelled = {**pool(0), "nodeConfig": {**SLICE_INPUTS["nodeConfig"], "labels": {"MultisliceGroup": "b"}}}
    made = engine.update(made, relabelled)
    engine.refresh(made)
    engine.delete(made)
    create, update, read, delete = [entry for entry in journal.read(folder) if entry.type == POOL]
    assert [entry.call for entry in (create, update, read, delete)] == ["create", "update", "read", "delete"]
    assert {entry.id for entry in (create, update, read, delete)} == {made.id}
    assert {entry.name for entry in (create, update, read, delete)} == {"slice-0"}
    assert create.inputs["nodeCount"] == 4
    assert update.changes == [{"path": "nodeConfig.labels.MultisliceGroup", "kind": "update", "action": "in place"}]
    assert create.ended <= update.started <= update.ended <= read.started
    assert create.ok


def test_files_are_readable_by_their_owner_alone(engine, folder):
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    for name in ("state.json", "journal.jsonl"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_the_server_listens_on_loopback_only(server):
    listening = [it for it in psutil.Process().net_connections() if it.laddr and it.laddr.port == server.port]
    assert {it.laddr.ip.removeprefix("::ffff:") for it in listening} == {"127.0.0.1"}


def wait_for(condition, seconds=10):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)
