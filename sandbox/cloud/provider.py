"""The gcp provider as the engine knows it: gRPC on one side, the simulated cloud on the other."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from typing import Any, TypeVar

import grpc
from google.protobuf import any_pb2, empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2

from pathways.gcp import (
    Action,
    Change,
    Kind,
    UnknownType,
    changes_between,
    check_inputs,
    format_path,
    is_name_generated,
    resource_type,
    with_defaults,
)
from sandbox.cloud import functions
from sandbox.cloud.cloud import Caller, Cloud, MadeInError
from sandbox.cloud.codec import decode, encode, with_secrets
from sandbox.cloud.identities import Place
from sandbox.cloud.options import OptionsError
from sandbox.cloud.readback import planned
from sandbox.cloud.refusal import Refusal
from sandbox.cloud.schema_document import schema_document
from sandbox.cloud.store import Record

VERSION = "10.2.0"
"""Of the provider that is simulated: the one that pulumi_gcp asks for."""

_log = logging.getLogger(__name__)

_KINDS = {
    Kind.ADD: (provider_pb2.PropertyDiff.ADD, provider_pb2.PropertyDiff.ADD_REPLACE),
    Kind.UPDATE: (provider_pb2.PropertyDiff.UPDATE, provider_pb2.PropertyDiff.UPDATE_REPLACE),
    Kind.DELETE: (provider_pb2.PropertyDiff.DELETE, provider_pb2.PropertyDiff.DELETE_REPLACE),
}

Response = TypeVar("Response")


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Serves any number of engines. Each provider resource of a stack has its own connection and configuration."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._places: dict[str, Place] = {}
        self._last_place = Place()

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ProviderHandshakeResponse(supports_autonaming_configuration=True)

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version=VERSION)

    def Attach(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._cloud.cancel()
        return empty_pb2.Empty()

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.GetSchemaResponse(schema=schema_document(VERSION))

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        old, new = decode(request.olds), decode(request.news)
        changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        some = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=some, diffs=changed)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        given = decode(request.args)
        place = Place(*(_text(given.get(name)) for name in ("project", "region", "zone")))
        self._places[context.peer()] = self._last_place = place
        return provider_pb2.ConfigureResponse(supportsPreview=True, supports_autonaming_configuration=True)

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._check(request))

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._diff(request))

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._create(request, self._caller(request, context)))

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._read(request, self._caller(request, context)))

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._update(request, self._caller(request, context)))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(context, lambda: self._delete(request, self._caller(request, context)))

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        def invoke() -> Any:
            place = self._places.get(context.peer(), self._last_place)
            returned = functions.call(self._cloud, request.tok, decode(request.args), place)
            return provider_pb2.InvokeResponse(**{"return": encode(returned)})

        return self._answer(context, invoke)

    def _check(self, request: Any) -> Any:
        resource = resource_type(_type(request))
        given, old = decode(request.news), decode(request.olds)
        failures = [
            provider_pb2.CheckFailure(
                reason=f"{failure.reason} Examine values at '{_name(request)}.{format_path(failure.path)}'."
            )
            for failure in check_inputs(resource, given)
            if failure.path != (resource.name_property,) or given.get(resource.name_property or "") is not None
        ]
        name = _kept_name(resource.name_property, old) or _generated_name(request, resource.name_property)
        if name is None and resource.name_property and given.get(resource.name_property) is None:
            failures.append(
                provider_pb2.CheckFailure(property=resource.name_property, reason="automatic naming is off")
            )
        inputs = encode(with_defaults(resource, given, name))
        return provider_pb2.CheckResponse(inputs=inputs, failures=failures)

    def _diff(self, request: Any) -> Any:
        resource = resource_type(_type(request))
        new = decode(request.news)
        changes = changes_between(resource, decode(request.olds), new, request.ignoreChanges)
        replacing = [change for change in changes if change.action is Action.REPLACE]
        response = provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changes else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=sorted({str(change.path[0]) for change in changes}),
            replaces=sorted({str(change.path[0]) for change in replacing}),
            deleteBeforeReplace=bool(replacing) and not is_name_generated(resource, new),
            hasDetailedDiff=True,
        )
        for change in changes:
            response.detailedDiff[format_path(change.path)].kind = _diff_kind(change)
        return response

    def _create(self, request: Any, caller: Caller) -> Any:
        inputs = decode(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=encode(planned(resource_type(caller.type), None, inputs)))
        record = self._cloud.create(caller, inputs)
        return provider_pb2.CreateResponse(id=record.id, properties=_outputs(record))

    def _read(self, request: Any, caller: Caller) -> Any:
        found = self._cloud.read(caller, request.id, decode(request.inputs) or None)
        if found is None:
            return provider_pb2.ReadResponse()
        record, inputs = found
        return provider_pb2.ReadResponse(id=record.id, properties=_outputs(record), inputs=encode(inputs))

    def _update(self, request: Any, caller: Caller) -> Any:
        old, inputs = decode(request.olds), decode(request.news)
        if request.preview:
            return provider_pb2.UpdateResponse(properties=encode(planned(resource_type(caller.type), old, inputs)))
        record = self._cloud.update(caller, request.id, old, inputs, request.ignoreChanges)
        return provider_pb2.UpdateResponse(properties=_outputs(record))

    def _delete(self, request: Any, caller: Caller) -> Any:
        self._cloud.delete(caller, request.id, decode(request.properties))
        return empty_pb2.Empty()

    def _caller(self, request: Any, context: grpc.ServicerContext) -> Caller:
        place = self._places.get(context.peer(), self._last_place)
        seconds = getattr(request, "timeout", 0)
        return Caller(_type(request), _name(request), place, seconds / 60 if seconds else None)

    def _answer(self, context: grpc.ServicerContext, respond: Callable[[], Response]) -> Response:
        """The response, or the error as the engine wants to be told of it."""
        try:
            return respond()
        except MadeInError as error:
            detail = provider_pb2.ErrorResourceInitFailed(
                id=error.record.id,
                properties=_outputs(error.record),
                reasons=[error.text],
                inputs=encode(error.record.inputs),
            )
            _abort(context, grpc.StatusCode.UNKNOWN, error.text, detail)
        except (Refusal, UnknownType, OptionsError) as error:
            _abort(context, grpc.StatusCode.UNKNOWN, str(error))
        except Exception as error:
            _log.exception("a call failed within the simulated cloud")
            _abort(context, grpc.StatusCode.INTERNAL, f"simulated cloud: {type(error).__name__}: {error}")
        raise AssertionError("abort does not return")


def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, text: str, detail: Any = None) -> None:
    if detail is not None:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status = status_pb2.Status(code=code.value[0], message=text, details=[packed])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, text)


def _outputs(record: Record) -> Any:
    return encode(with_secrets(resource_type(record.type).properties, record.properties))


def _diff_kind(change: Change) -> Any:
    plain, replacing = _KINDS[change.kind]
    return replacing if change.action is Action.REPLACE else plain


def _type(request: Any) -> str:
    return str(request.type or request.urn.split("::")[2].split("$")[-1])


def _name(request: Any) -> str:
    return str(request.name or request.urn.split("::", 3)[3])


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _kept_name(named: str | None, old: dict[str, Any]) -> str | None:
    """The generated name that the resource has already."""
    return old.get(named) if named and named in old.get("__defaults", ()) else None


def _generated_name(request: Any, named: str | None) -> str | None:
    """A new name for a resource whose program gives it none; None where the stack's configuration forbids that."""
    if request.HasField("autonaming"):
        disabled = request.autonaming.mode == provider_pb2.CheckRequest.AutonamingOptions.DISABLE
        return None if disabled else str(request.autonaming.proposed_name)
    suffix = hashlib.sha256(request.randomSeed or _name(request).encode()).hexdigest()[:7]
    name = f"{_name(request)}-{suffix}"
    return name.replace("-", "_") if named == "roleId" else name
