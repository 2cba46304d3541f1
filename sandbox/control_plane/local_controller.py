"""What is known about a controller whose pod is played by a process on this machine."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Mapping
from typing import Protocol

from lightkube.resources.core_v1 import Pod

from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.processes import Program

_PROBE_SECONDS = 1.0


class CannotStart(Exception):
    """A pod's process cannot be started. reason: in a kubelet's words, such as ErrImagePull."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class LocalController(Protocol):
    """A controller whose pod is played by a local process.

    name: of the process. namespace: where its pod is. image: last two words of the path of the image that the pod runs.
    ports: loopback port of each port of the pod that serves a Service, under the port's name and its number.
    """

    name: str
    namespace: str
    image: str
    ports: Mapping[str, int]

    def program(self, pod: Pod, files: PodFiles) -> Program:
        """How the pod's process is started, its files written. Raises CannotStart; ApiError if something is missing."""

    def tend(self, pod: Pod, files: PodFiles) -> None:
        """Brings what the process waits for until it is ready, such as a Secret that is mounted once it exists."""

    def ready(self) -> bool:
        """Whether the process passes its readiness probe and whatever its Services promise."""


def answers(port: int, path: str) -> bool:
    """Whether GET on a loopback port answers with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PROBE_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def accepts(port: int) -> bool:
    """Whether something accepts connections on a loopback port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_PROBE_SECONDS):
            return True
    except OSError:
        return False
