"""What somebody does to the simulated cloud outside Pulumi, as at Google Cloud's console or by a program of theirs."""

from __future__ import annotations

from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from sandbox.cloud.codec import decode, encode


class Console:
    """Calls the daemon that serves the simulated cloud on a loopback port. Its calls raise grpc.RpcError."""

    def __init__(self, port: int) -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self._provider = provider_pb2_grpc.ResourceProviderStub(self._channel)

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def make(self, type: str, inputs: dict[str, Any]) -> None:
        """Makes a resource, unless there is one of that id, and waits until it stands."""
        self._call("make", {"type": type, "inputs": inputs})

    def edit(self, type: str, id: str, properties: dict[str, Any]) -> None:
        """Sets top-level properties of a resource, such as the lifecycleRules of a bucket."""
        self._call("edit", {"type": type, "id": id, "properties": properties})

    def remove(self, type: str, id: str) -> None:
        """Takes a resource out of the cloud; nodes and control plane stay as they are."""
        self._call("remove", {"type": type, "id": id})

    def put_object(self, bucket: str, name: str, size: int = 1) -> None:
        """Writes an object, which keeps the bucket from being deleted."""
        self._call("putObject", {"id": bucket, "name": name, "bytes": size})

    def _call(self, function: str, arguments: dict[str, Any]) -> dict[str, Any]:
        request = provider_pb2.InvokeRequest(tok=f"sandbox:cloud:{function}", args=encode(arguments))
        return decode(getattr(self._provider.Invoke(request), "return"))
