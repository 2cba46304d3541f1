"""Loopback ports that a sandbox keeps from one start to the next, and that somebody else may have taken meanwhile."""

from __future__ import annotations

import random
import socket
import time

PATIENCE_SECONDS = 3.0
"""As long as an earlier process of the same sandbox may take to let go of its port."""

_POLL_SECONDS = 0.1

_LISTENED_ON = range(15_000, 32_768)
"""Below those that Linux gives to clients: one of these would be gone by the time that a server wants it."""


class PortTaken(Exception):
    """Another program listens on a port of the sandbox."""

    def __init__(self, port: int, whose: str) -> None:
        super().__init__(
            f"{whose} port 127.0.0.1:{port} is taken by another program: "
            f"end that one (`ss -ltnp 'sport = :{port}'` names it) and try again"
        )
        self.port = port


def await_free(port: int, whose: str) -> None:
    """Returns once a server can have the port for itself. whose: such as "the API server's".

    Raises PortTaken after a moment's patience.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not _is_free(port):
        if time.monotonic() > deadline:
            raise PortTaken(port, whose)
        time.sleep(_POLL_SECONDS)


def free_ports(count: int) -> list[int]:
    """Return different loopback ports that no one listens on; chance keeps those apart who ask at the same time."""
    found: list[int] = []
    for port in random.sample(_LISTENED_ON, len(_LISTENED_ON)):
        if len(found) == count:
            break
        if _is_free(port):
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that have ended do not count
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
