"""What can be seen of the control plane without starting it: nothing of it may listen for the world."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.control_plane import components
from sandbox.control_plane.processes import Program


class Anywhere:
    def path(self, name: str) -> Path:
        return Path("/bin") / name


def flags(program: Program) -> dict[str, str]:
    return dict(flag.removeprefix("--").split("=", 1) for flag in program.command if flag.startswith("--"))


def test_the_api_server_listens_on_loopback_and_on_the_given_port() -> None:
    api_server = flags(components.api_server(Anywhere(), 40123))
    assert (api_server["bind-address"], api_server["secure-port"]) == ("127.0.0.1", "40123")


@pytest.mark.parametrize("component", [components.controller_manager, components.scheduler])
def test_controller_manager_and_scheduler_do_not_listen(component: type[object]) -> None:
    assert flags(component(Anywhere()))["secure-port"] == "0"  # type: ignore[call-arg, arg-type]


def test_etcd_listens_on_sockets_with_short_names() -> None:
    listening = {name: value for name, value in flags(components.etcd(Anywhere())).items() if "listen" in name}
    assert set(listening) == {"listen-client-urls", "listen-peer-urls"}
    assert all(value.startswith("unix://etcd") for value in listening.values())


def test_kwok_has_no_server() -> None:
    kwok = flags(components.kwok(Anywhere()))
    assert kwok["node-port"] == "0"
    assert "server-address" not in kwok


def test_what_the_api_server_calls_in_the_cluster_goes_through_the_proxy() -> None:
    assert components.egress_configuration()["egressSelections"] == [
        {
            "name": "cluster",
            "connection": {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": "egress.sock"}}},
        }
    ]
