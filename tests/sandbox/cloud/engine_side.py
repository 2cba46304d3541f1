"""The engine's side of the wire to a provider."""

from __future__ import annotations

from types import SimpleNamespace

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from sandbox.cloud.codec import decode, encode

PROJECT, REGION, ZONE = "my-project", "us-east5", "us-east5-b"


class CallError(Exception):
    """What the provider answered instead. made: id and properties of what exists all the same."""

    def __init__(self, error):
        super().__init__(error.details())
        self.text = error.details()
        self.made = None
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                detail = provider_pb2.ErrorResourceInitFailed()
                status_pb2.Status.FromString(value).details[0].Unpack(detail)
                self.made = SimpleNamespace(id=detail.id, properties=decode(detail.properties))


class Engine:
    """Calls the provider as the engine does, one resource at a time."""

    def __init__(self, port, project=PROJECT, region=REGION, zone=ZONE):
        own_connection = [("grpc.use_local_subchannel_pool", 1)]  # as the engine has one for each provider
        channel = grpc.insecure_channel(f"127.0.0.1:{port}", own_connection)
        self._stub = provider_pb2_grpc.ResourceProviderStub(channel)
        given = {"project": project, "region": region, "zone": zone}
        self.call("Configure", provider_pb2.ConfigureRequest(args=encode(given)))

    def call(self, method, request):
        try:
            return getattr(self._stub, method)(request, timeout=30)
        except grpc.RpcError as error:
            raise CallError(error) from None

    def failures(self, type, inputs, name="it"):
        return [failure.reason for failure in self._check(type, inputs, name, {}).failures]

    def check(self, type, inputs, name="it", old=None):
        answer = self._check(type, inputs, name, old or {})
        assert not answer.failures, [failure.reason for failure in answer.failures]
        return decode(answer.inputs)

    def _check(self, type, inputs, name, old):
        request = provider_pb2.CheckRequest(
            urn=urn(type, name), news=encode(inputs), olds=encode(old), randomSeed=name.encode()
        )
        return self.call("Check", request)

    def create(self, type, inputs, name="it", timeout=0.0):
        checked = self.check(type, inputs, name)
        request = provider_pb2.CreateRequest(urn=urn(type, name), properties=encode(checked), timeout=timeout)
        answer = self.call("Create", request)
        return SimpleNamespace(type=type, name=name, id=answer.id, inputs=checked, properties=decode(answer.properties))

    def preview(self, type, inputs, name="it"):
        checked = self.check(type, inputs, name)
        request = provider_pb2.CreateRequest(urn=urn(type, name), properties=encode(checked), preview=True)
        return decode(self.call("Create", request).properties)

    def diff(self, resource, inputs):
        checked = self.check(resource.type, inputs, resource.name, resource.inputs)
        request = provider_pb2.DiffRequest(
            id=resource.id,
            urn=urn(resource.type, resource.name),
            olds=encode(resource.properties),
            news=encode(checked),
            old_inputs=encode(resource.inputs),
        )
        answer = self.call("Diff", request)
        kinds = {path: provider_pb2.PropertyDiff.Kind.Name(it.kind) for path, it in answer.detailedDiff.items()}
        return SimpleNamespace(
            some=answer.changes == provider_pb2.DiffResponse.DIFF_SOME,
            kinds=kinds,
            replaces=list(answer.replaces),
            delete_before_replace=answer.deleteBeforeReplace,
        )

    def update(self, resource, inputs):
        checked = self.check(resource.type, inputs, resource.name, resource.inputs)
        request = provider_pb2.UpdateRequest(
            id=resource.id,
            urn=urn(resource.type, resource.name),
            olds=encode(resource.properties),
            news=encode(checked),
            old_inputs=encode(resource.inputs),
        )
        properties = decode(self.call("Update", request).properties)
        return SimpleNamespace(**{**vars(resource), "inputs": checked, "properties": properties})

    def read(self, type, id, name="it", inputs=None):
        request = provider_pb2.ReadRequest(id=id, urn=urn(type, name), inputs=encode(inputs or {}))
        answer = self.call("Read", request)
        if not answer.id:
            return None
        return SimpleNamespace(
            type=type, name=name, id=answer.id, inputs=decode(answer.inputs), properties=decode(answer.properties)
        )

    def refresh(self, resource):
        return self.read(resource.type, resource.id, resource.name, resource.inputs)

    def delete(self, resource, timeout=0.0):
        request = provider_pb2.DeleteRequest(
            id=resource.id,
            urn=urn(resource.type, resource.name),
            properties=encode(resource.properties),
            timeout=timeout,
        )
        self.call("Delete", request)


def urn(type, name):
    return f"urn:pulumi:dev::pathways::{type}::{name}"
