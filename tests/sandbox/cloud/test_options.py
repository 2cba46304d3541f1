"""options.json: what is taken, what is refused and how, and what happens to work that is under way meanwhile."""

import json
import shutil
import threading

import pytest

from sandbox.cloud import CloudServer, read_records
from sandbox.cloud.options import (
    Fault,
    Options,
    OptionsError,
    OptionsFile,
    Reservation,
    parse_options,
    read_options,
    write_options,
)
from tests.sandbox.cloud.engine_side import CallError, Engine
from tests.sandbox.cloud.fake_host import FakeHost
from tests.sandbox.cloud.inputs import EVERY_TYPE, NETWORK, POOL
from tests.sandbox.cloud.test_operations import wait_for

RESERVED = {"name": "r", "project": "p", "zone": "us-east5-a", "machineType": "ct5p-hightpu-4t", "count": 16}


def test_what_the_page_shows_is_taken():
    fault = {"type": "gcp:container/nodePool:NodePool", "name": "v6e-*", "call": "create", "error": 500, "times": 0}
    found = parse_options(
        json.dumps(
            {
                "timeScale": 2,
                "concurrentOperations": 1,
                "quota": {"v6e": 64},
                "reservations": [RESERVED],
                "faults": [fault, {}],
            }
        )
    )
    assert found == Options(
        2.0,
        1,
        {"v6e": 64},
        (Reservation("r", "us-east5-a", "ct5p-hightpu-4t", 16, "p"),),
        (Fault("gcp:container/nodePool:NodePool", "v6e-*", "create", "500", 0), Fault()),
    )
    assert parse_options("{}") == Options()
    assert parse_options('{"reservations": []}').reservations == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "[] is no mapping"),
        ({"timeSclae": 1}, '"timeSclae" is no key; the keys are timeScale, concurrentOperations'),
        ({"timeScale": "1"}, 'timeScale: "1" is no number'),
        ({"timeScale": -0.1}, "timeScale: -0.1 is no number from 0"),
        ({"timeScale": True}, "timeScale: true"),
        ({"timeScale": None}, "timeScale: null"),
        ({"timeScale": float("nan")}, "timeScale: NaN"),
        ({"timeScale": float("inf")}, "timeScale: Infinity"),
        ({"timeScale": 10**400}, "timeScale: 1000"),
        ({"concurrentOperations": 0}, "concurrentOperations: 0 is no whole number from 1"),
        ({"concurrentOperations": 2.5}, "concurrentOperations: 2.5"),
        ({"quota": ["v6e"]}, 'quota: ["v6e"] is no mapping'),
        ({"quota": {"v6e": "64"}}, 'quota.v6e: "64" is no whole number from 0'),
        ({"quota": {"v6e": -1}}, "quota.v6e: -1"),
        ({"faults": {}}, "faults: {} is no list"),
        ({"faults": None}, "faults: null is no list"),
        ({"faults": [{}, "stockout"]}, 'faults[1]: "stockout" is no mapping'),
        ({"faults": [{"eror": "500"}]}, 'faults[0]: "eror" is no key'),
        ({"faults": [{"times": -1}]}, "faults[0].times: -1 is no whole number from 0"),
        ({"faults": [{"times": "2"}]}, "faults[0].times"),
        ({"faults": [{"times": True}]}, "faults[0].times"),
        ({"faults": [{"error": "501"}]}, 'faults[0].error: "501" is none of 409, 429'),
        ({"faults": [{"call": ["create"]}]}, "faults[0].call"),
        ({"faults": [{"type": 1}]}, "faults[0].type: 1 is no text"),
        ({"faults": [{"name": None}]}, "faults[0].name: null is no text"),
        ({"reservations": {"r": 1}}, "reservations: "),
        ({"reservations": [{**RESERVED, "count": "16"}]}, "reservations[0].count"),
        ({"reservations": [{"name": "r"}]}, "reservations[0].zone: null is no text"),
        ({"reservations": [{**RESERVED, "project": 1}]}, "reservations[0].project"),
    ],
)
def test_what_is_wrong_is_named(given, words):
    with pytest.raises(OptionsError) as refused:
        parse_options(json.dumps(given))
    assert str(refused.value).startswith("options.json of the simulated cloud: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{}", b"[" * 100_000])
def test_what_is_no_json_is_told(tmp_path, content):
    (tmp_path / "options.json").write_bytes(content)
    with pytest.raises(OptionsError, match=r"^options.json of the simulated cloud: "):
        OptionsFile(tmp_path).current()


def test_options_from_a_file_are_looked_at_before_they_take_the_place_of_others(tmp_path):
    given, folder = tmp_path / "given.json", tmp_path / "cloud"
    folder.mkdir()
    given.write_text('{"timeScale": 0}')
    write_options(folder, read_options(given))
    assert OptionsFile(folder).current().time_scale == 0
    for content in (b'{"timeScal": 0}', b"\xff\xfe{}"):
        given.write_bytes(content)
        with pytest.raises(OptionsError, match=r"^options.json of the simulated cloud: "):
            read_options(given)


def test_a_call_is_refused_with_the_key_and_works_again_afterwards(engine, options, folder):
    options(concurrentOperations="many")
    with pytest.raises(CallError, match=r'^options.json of the simulated cloud: concurrentOperations: "many"'):
        engine.create(NETWORK, EVERY_TYPE[NETWORK])
    assert read_records(folder) == []
    options(concurrentOperations=1, quota={})
    engine.create(NETWORK, EVERY_TYPE[NETWORK])


@pytest.mark.parametrize("call", ["create", "update", "delete"])
def test_what_has_begun_ends_though_the_options_break(engine, cluster, host, folder, options, call):
    made = None if call == "create" else engine.create(POOL, EVERY_TYPE[POOL])
    relabelled = {**EVERY_TYPE[POOL], "nodeConfig": {**EVERY_TYPE[POOL]["nodeConfig"], "labels": {"a": "b"}}}
    act = {
        "create": lambda: engine.create(POOL, EVERY_TYPE[POOL]),
        "update": lambda: engine.update(made, relabelled),
        "delete": lambda: engine.delete(made),
    }[call]
    host.gate.clear()
    thread = threading.Thread(target=act)
    thread.start()
    wait_for(lambda: any(record.under_way for record in read_records(folder)))
    (folder / "options.json").write_text('{"timeScale": "slow"}')
    host.gate.set()
    thread.join(10)
    assert not thread.is_alive()
    assert [record.status for record in read_records(folder) if record.type == POOL] == ["RUNNING"] * (call != "delete")


def test_a_new_daemon_ends_what_was_under_way_though_the_options_are_wrong(engine, cluster, host, folder, tmp_path):
    host.gate.clear()
    thread = threading.Thread(target=lambda: engine.create(POOL, EVERY_TYPE[POOL]))
    thread.start()
    wait_for(lambda: any(record.under_way for record in read_records(folder)))
    left = shutil.copytree(folder, tmp_path / "left")
    host.gate.set()
    thread.join()
    (left / "options.json").write_text('{"timeScale": "slow"}')
    other = FakeHost()
    other.there = host.there
    server = CloudServer(left, other)
    server.start()
    wait_for(lambda: not any(record.under_way for record in read_records(left)))
    (status,) = [record.status for record in read_records(left) if record.type == POOL]
    assert status == "RUNNING"
    assert len(other.nodes) == 4
    with pytest.raises(CallError, match="timeScale"):
        Engine(server.port).read(POOL, "my-project/us-east5/main/v6e-0")
    server.stop()
