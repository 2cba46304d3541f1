"""Ports that somebody else listens on: told at once, in one line, and never shared."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.cloud import CloudServer
from sandbox.control_plane import ControlPlane
from sandbox.ports import PortTaken, await_free, free_ports
from tests.sandbox.cloud.fake_host import FakeHost


@pytest.fixture
def taken() -> Iterator[int]:
    """A port with a listener that would share it, as gRPC's listeners do unless told otherwise."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.ports.PATIENCE_SECONDS", 0.1)


def test_two_clouds_do_not_share_a_port(tmp_path: Path) -> None:
    first = CloudServer(tmp_path / "first", FakeHost())
    first.start()
    try:
        with pytest.raises(PortTaken, match=str(first.port)):
            CloudServer(tmp_path / "second", FakeHost(), first.port)
    finally:
        first.stop()
    CloudServer(tmp_path / "third", FakeHost(), first.port).stop()


def test_a_cloud_refuses_the_port_of_a_listener_that_would_share_it(tmp_path: Path, taken: int) -> None:
    with pytest.raises(PortTaken, match=f"the simulated cloud's port 127.0.0.1:{taken} is taken"):
        CloudServer(tmp_path / "cloud", FakeHost(), taken)


def test_an_api_server_whose_port_is_taken_is_not_started(tmp_path: Path, taken: int) -> None:
    ports = dict.fromkeys(ControlPlane.PORTS, taken)
    programs = SimpleNamespace(path=lambda _: Path("/bin/false"))
    control_plane = ControlPlane(tmp_path, programs, ports)  # type: ignore[arg-type]
    with pytest.raises(PortTaken, match=f"the API server's port 127.0.0.1:{taken} is taken") as refused:
        control_plane.create()
    assert "\n" not in str(refused.value)
    assert control_plane.processes() == []


def test_a_port_whose_listener_goes_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.ports.PATIENCE_SECONDS", 5.0)
    script = (
        "import socket, time; s = socket.create_server(('127.0.0.1', 0));"
        " print(s.getsockname()[1], flush=True); time.sleep(0.3)"
    )
    with subprocess.Popen([sys.executable, "-S", "-c", script], stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        await_free(int(listener.stdout.readline()), "somebody")


@pytest.mark.parametrize("whose", ["cloud", "apiserver"])
def test_the_daemon_says_it_in_one_line(tmp_path: Path, taken: int, whose: str) -> None:
    home = tmp_path / "dev"
    (home / "control-plane").mkdir(parents=True, mode=0o700)
    (home / "control-plane" / "created").touch()  # a cluster to go on with
    ports = {**dict.fromkeys((*ControlPlane.PORTS, "cloud"), 0), whose: taken}
    (home / "ports.json").write_text(json.dumps(ports))
    script = (
        "import sys, pathlib, sandbox.ports, sandbox.toolchain, sandbox.daemon as daemon;"
        " from sandbox.home import Home; from types import SimpleNamespace;"
        " sandbox.ports.PATIENCE_SECONDS = 0.1;"
        " sandbox.toolchain.ensure = lambda *_: SimpleNamespace(versions={}, path=lambda name: pathlib.Path(name));"
        " sys.exit(daemon.main(Home(pathlib.Path(sys.argv[1]), 'dev')))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(home)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"127.0.0.1:{taken}" in line
    assert str(home / "ports.json") in line


def test_ports_are_not_among_those_that_clients_are_given():
    first_of_clients = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = free_ports(12)
    assert len(set(ports)) == 12
    assert max(ports) < first_of_clients
