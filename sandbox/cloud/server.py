"""The simulated cloud as a server that the engine attaches to by PULUMI_DEBUG_PROVIDERS=gcp:PORT."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from sandbox.cloud.cloud import Cloud
from sandbox.cloud.cluster_host import ClusterHost
from sandbox.cloud.provider import Provider
from sandbox.ports import PortTaken, await_free

CALLS_AT_ONCE = 256
"""More than an engine makes, since calls that wait for GKE hold a thread each."""

_WHOSE = "the simulated cloud's"


class CloudServer:
    """Serves the simulated cloud of a folder on a loopback port, until it is stopped.

    folder: holds state.json, journal.jsonl and, where behaviour shall differ, options.json.
    host: the control plane that stands behind the simulated cluster. port: 0 for any that is free.
    Raises PortTaken where another program, even another simulated cloud, has the port.
    """

    def __init__(self, folder: Path, host: ClusterHost, port: int = 0) -> None:
        if port:
            await_free(port, _WHOSE)
        self.cloud = Cloud(folder, host)
        self._server = grpc.server(
            ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="cloud"),
            options=[
                ("grpc.max_receive_message_length", -1),
                ("grpc.max_send_message_length", -1),
                ("grpc.so_reuseport", 0),  # else two servers share a port, and each gets some of the engine's calls
            ],
        )
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(self.cloud), self._server)
        try:
            self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        except RuntimeError as error:
            raise PortTaken(port, _WHOSE) from error

    def start(self) -> None:
        """Begins to serve, and goes on with operations that were under way when the last daemon died."""
        self._server.start()
        self.cloud.resume()

    def stop(self) -> None:
        """Ends calls that wait, then the server; operations that are under way are finished after the next start."""
        self.cloud.stop()
        self._server.stop(grace=None).wait()
