"""The way from the API server to what runs "inside" the cluster.

There is no pod network. The API server hands each connection to a Service to this proxy, as CONNECT CLUSTER-IP:PORT on
a unix socket, and the proxy connects to the process on this machine that stands for the Service.
"""

from __future__ import annotations

import contextlib
import os
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

_LONGEST_SOCKET_NAME = 100
_LONGEST_REQUEST_BYTES = 8192
_CHUNK_BYTES = 65536
_POLL_SECONDS = 0.05

Route = Callable[[str, int], int | None]
"""From a host and port inside the cluster to a loopback port; None where nothing serves."""


class EgressProxy:
    """Listens on a unix socket from start() to stop()."""

    def __init__(self, path: Path, route: Route) -> None:
        self._path = path
        self._route = route
        self._server: _Server | None = None

    def start(self) -> None:
        self._path.unlink(missing_ok=True)
        with _short_name(self._path) as name:
            self._server = _Server(name, self._route)
        self._path.chmod(0o600)
        threading.Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), name="egress", daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        self._path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, name: str, route: Route) -> None:
        self.route = route
        super().__init__(name, _Connection)


class _Connection(socketserver.BaseRequestHandler):
    server: _Server
    request: socket.socket

    def handle(self) -> None:
        target = _connect_target(_request_head(self.request))
        if target is None:
            self._answer("400 Bad Request")
            return
        port = self.server.route(*target)
        if port is None:
            self._answer("404 Not Found")
            return
        try:
            upstream = socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            self._answer("503 Service Unavailable")
            return
        with upstream:
            upstream.settimeout(None)
            self._answer("200 Connection established")
            _relay(self.request, upstream)

    def _answer(self, status: str) -> None:
        with contextlib.suppress(OSError):
            self.request.sendall(f"HTTP/1.1 {status}\r\n\r\n".encode())


def _request_head(connection: socket.socket) -> bytes:
    """The request up to its empty line; the caller sends nothing more before it is answered."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _LONGEST_REQUEST_BYTES:
        received = connection.recv(_CHUNK_BYTES)
        if not received:
            break
        head += received
    return head


def _connect_target(head: bytes) -> tuple[str, int] | None:
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split()
    if len(words) != 3 or words[0] != "CONNECT":
        return None
    host, _, port = words[1].rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdigit() else None


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Copies bytes both ways until both sides have ended."""
    back = threading.Thread(target=_copy, args=(other, one), daemon=True)
    back.start()
    _copy(one, other)
    back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK_BYTES):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name for a socket's path that fits the 108 bytes that the kernel allows."""
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_NAME:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
