"""A simulated cloud that is really served, a control plane that only remembers, and an engine's side of the wire."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.cloud import CloudServer
from tests.sandbox.cloud.engine_side import Engine
from tests.sandbox.cloud.fake_host import FakeHost
from tests.sandbox.cloud.inputs import CLUSTER, EVERY_TYPE, NETWORK, SUBNETWORK


@pytest.fixture
def host():
    return FakeHost()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "cloud"
    folder.mkdir()
    return folder


@pytest.fixture
def options(folder):
    """Sets the options of the simulated cloud; without a call nothing takes time."""

    def write(**given):
        (folder / "options.json").write_text(json.dumps({"timeScale": 0, **given}))

    write()
    return write


@pytest.fixture
def server(folder, host, options):
    server = CloudServer(folder, host)
    server.start()
    yield server
    host.gate.set()
    server.stop()


@pytest.fixture
def engine(server):
    return Engine(server.port)


@pytest.fixture
def cluster(engine):
    """A cluster in a network of its own."""
    for type in (NETWORK, SUBNETWORK, CLUSTER):
        made = engine.create(type, EVERY_TYPE[type])
    return made


@pytest.fixture
def in_parallel():
    """Runs a function on each item at the same time; returns results and exceptions."""

    def run(act, items):
        def caught(item):
            try:
                return act(item)
            except Exception as error:
                return error

        with ThreadPoolExecutor(max(1, len(items))) as pool:
            return list(pool.map(caught, items))

    return run
