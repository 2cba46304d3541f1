"""The proxy between the API server and the local processes that stand for Services."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.control_plane.egress import EgressProxy


class Shout(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(self.rfile.readline().upper())


@pytest.fixture
def service() -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shout) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def proxy(tmp_path: Path, service: int) -> Iterator[Path]:
    routes = {("10.96.0.7", 443): service, ("10.96.0.8", 443): 1}  # nothing listens on port 1
    path = tmp_path / ("deep" * 20) / ("deeper" * 10) / "egress.sock"  # longer than a socket's name may be
    path.parent.mkdir(parents=True)
    running = EgressProxy(path, lambda host, port: routes.get((host, port)))
    running.start()
    yield path
    running.stop()


def ask(proxy: Path, request: bytes) -> tuple[bytes, socket.socket]:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(5)
    link = Path("/tmp") / f"egress-{threading.get_ident()}"
    link.symlink_to(proxy.parent)
    try:
        connection.connect(str(link / proxy.name))
    finally:
        link.unlink()
    connection.sendall(request)
    return connection.recv(4096), connection


def test_a_service_is_reached_by_its_cluster_address(proxy: Path) -> None:
    answer, connection = ask(proxy, b"CONNECT 10.96.0.7:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    with connection:
        assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"
        connection.sendall(b"hello\n")
        assert connection.recv(4096) == b"HELLO\n"
        assert connection.recv(4096) == b""


@pytest.mark.parametrize(
    ("request_line", "code"),
    [
        (b"CONNECT 10.96.0.9:443 HTTP/1.1", b"404"),
        (b"CONNECT 10.96.0.8:443 HTTP/1.1", b"503"),
        (b"GET / HTTP/1.1", b"400"),
        (b"CONNECT nonsense HTTP/1.1", b"400"),
    ],
)
def test_what_cannot_be_reached_is_answered_at_once(proxy: Path, request_line: bytes, code: bytes) -> None:
    answer, connection = ask(proxy, request_line + b"\r\n\r\n")
    connection.close()
    assert answer.split()[1] == code


def test_the_socket_is_its_owners_alone_and_goes_with_the_proxy(tmp_path: Path) -> None:
    path = tmp_path / "egress.sock"
    running = EgressProxy(path, lambda _host, _port: None)
    running.start()
    assert path.stat().st_mode & 0o777 == 0o600
    running.stop()
    assert not path.exists()
