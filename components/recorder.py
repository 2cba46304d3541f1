"""Runs the Pulumi program without an engine, cloud or network, and tells what it would register.

The program runs as it is, in a thread of its own, against a resource monitor that writes every request down and
answers with the outputs that the real resources would have. What comes back is plain data.
"""

import asyncio
import contextvars
import json
import re
import runpy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pulumi
from pulumi.runtime import rpc, settings
from pulumi.runtime.mocks import MockMonitor, Mocks
from pulumi.runtime.proto import alias_pb2, callback_pb2, resource_pb2
from pulumi.runtime.stack import run_pulumi_func

from components.simulated_outputs import simulated_outputs
from pathways.gcp import format_path
from pathways.resources import Resource, ResourceOptions
from pathways.settings import read_stack_file

PROJECT_NAME: Final = "pathways"
"""Name of the Pulumi project, as in Pulumi.yaml."""

PROGRAM: Final = Path(__file__).resolve().parent.parent / "__main__.py"

_STACK_TYPE: Final = "pulumi:pulumi:Stack"


@dataclass(frozen=True)
class Recording:
    """resources: what others depend on first, else by name; always in the same order. outputs: the stack's exports."""

    resources: tuple[Resource, ...]
    outputs: Mapping[str, Any]

    def of_type(self, type_token: str) -> list[Resource]:
        """Return the resources of one type."""
        return [resource for resource in self.resources if resource.type == type_token]

    def named(self, name: str) -> Resource:
        """Return the resource with that logical name; KeyError when there is none."""
        for resource in self.resources:
            if resource.name == name:
                return resource
        raise KeyError(name)


def record_stack_file(path: Path) -> Recording:
    """Run the stack's program with the configuration of a stack file; see `record`.

    Raises StackNotFound, and SettingsError where the file cannot be read. Values under `secure:` stay encrypted.
    """
    config = read_stack_file(path).get("config") or {}
    return record(config, path.stem.removeprefix("Pulumi."))


def record(config: Mapping[str, Any], stack: str, program: Path = PROGRAM) -> Recording:
    """Run `program` as stack `stack` with `config` and return what it registers and exports.

    config: the stack's configuration, by full key ("gcp:project"); values as the stack file has them, and those with
    `secure:` in them kept secret as the engine does.
    What the program raises (pulumi.RunError for settings that are refused) is raised here.
    """
    recording: list[Recording] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            recording.append(contextvars.Context().run(asyncio.run, _run_program(config, stack, program)))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="pulumi-program")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return recording[0]


async def _run_program(config: Mapping[str, Any], stack: str, program: Path) -> Recording:
    """Run the program in the current event loop and context, which must be fresh ones."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
    pulumi.runtime.set_all_config(
        {key: value if isinstance(value, str) else json.dumps(value, default=str) for key, value in config.items()},
        secret_keys=[key for key, value in config.items() if _is_encrypted(value)],
    )
    monitor = _RecordingMonitor(str(config.get("gcp:project", "")))
    pulumi.runtime.set_mocks(_NoMocks(), project=PROJECT_NAME, stack=stack, preview=False, monitor=monitor)
    settings.SETTINGS.callbacks = _UnservedCallbacks()
    settings.SETTINGS.outputs = set()
    exports: dict[str, Any] = {}

    async def run() -> None:
        runpy.run_path(str(program), run_name="__main__")
        stack_resource = settings.get_root_resource()
        for name, value in stack_resource.outputs.items():  # type: ignore[union-attr]
            exports[name] = await pulumi.Output.from_input(value).future()

    await run_pulumi_func(run)
    return Recording(_in_order(monitor.recorded), exports)


class _RecordingMonitor(MockMonitor):
    """Answers for the engine's resource monitor and keeps each registration."""

    def __init__(self, project: str) -> None:
        super().__init__(_NoMocks())
        self.recorded: list[Resource] = []
        self._project = project

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        return _urn(parent, type_, name)

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> resource_pb2.RegisterResourceResponse:
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type == _STACK_TYPE:
            return resource_pb2.RegisterResourceResponse(urn=urn)
        given = rpc.deserialize_properties(request.object)
        properties = _plain(given)
        self.recorded.append(_recorded(request, urn, properties, tuple(_secret_paths(given, ()))))
        identifier, outputs = simulated_outputs(request.type, request.name, properties, self._project)
        response = resource_pb2.RegisterResourceResponse(urn=urn, id=identifier, object=request.object)
        response.object.update(outputs)
        return response

    def ReadResource(self, request: resource_pb2.ReadResourceRequest) -> resource_pb2.ReadResourceResponse:
        """Answer as for a resource that exists; it is none of the stack's, and so not recorded."""
        given = _inputs_of_id(request.type, request.id)
        _, outputs = simulated_outputs(request.type, request.name, given, self._project)
        response = resource_pb2.ReadResourceResponse(urn=self.make_urn(request.parent, request.type, request.name))
        response.properties.update({**given, **outputs})
        return response

    def Invoke(self, request: resource_pb2.ResourceInvokeRequest) -> resource_pb2.ResourceInvokeResponse:
        raise NotImplementedError(f"The program asks the cloud ({request.tok}); it must be plannable without one.")


class _NoMocks(Mocks):
    """set_mocks wants an object of this type; the recording monitor never asks it."""

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[Any, Any], None]:
        raise NotImplementedError(args.token)

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[Any, Any]]:
        raise NotImplementedError(args.typ)


class _UnservedCallbacks:
    """Takes transforms without opening a port for them: only an engine would call them."""

    def register_transform(self, transform: Callable[..., Any]) -> callback_pb2.Callback:
        return callback_pb2.Callback(token=transform.__name__)


def _urn(parent: str, type_: str, name: str) -> str:
    """Return the URN as the engine forms it: children of the stack do not carry the stack's type."""
    parent_types = parent.split("::")[2] if parent else _STACK_TYPE
    qualified_type = type_ if parent_types == _STACK_TYPE else f"{parent_types}${type_}"
    return "::".join((f"urn:pulumi:{settings.get_stack()}", str(settings.get_project()), qualified_type, name))


def _former_urn(request: resource_pb2.RegisterResourceRequest, former: alias_pb2.Alias.Spec) -> str:
    """Return the URN of an alias that tells only what was different; those of former parents are left out."""
    return _urn(former.parentUrn or request.parent, former.type or request.type, former.name or request.name)


def _recorded(
    request: resource_pb2.RegisterResourceRequest, urn: str, properties: dict[str, Any], secrets: tuple[str, ...]
) -> Resource:
    timeouts = request.customTimeouts
    return Resource(
        type=request.type,
        name=request.name,
        urn=urn,
        parent="" if _is_stack(request.parent) else request.parent,
        provider=request.provider.rpartition("::")[0],
        custom=request.custom,
        properties=properties,
        options=ResourceOptions(
            protect=request.protect,
            delete_before_replace=request.deleteBeforeReplace,
            retain_on_delete=request.retainOnDelete,
            dependencies=tuple(sorted(request.dependencies)),
            property_dependencies={
                name: tuple(sorted(dependencies.urns))
                for name, dependencies in request.propertyDependencies.items()
                if dependencies.urns
            },
            ignore_changes=tuple(request.ignoreChanges),
            replace_on_changes=tuple(request.replaceOnChanges),
            deleted_with=request.deletedWith,
            custom_timeouts={"create": timeouts.create, "update": timeouts.update, "delete": timeouts.delete},
            aliases=tuple(alias.urn or _former_urn(request, alias.spec) for alias in request.aliases),
        ),
        secrets=secrets,
    )


def _in_order(resources: Iterable[Resource]) -> tuple[Resource, ...]:
    """Return the resources by how many stand before each, one after the other, and then by name.

    They arrive in an order that differs from run to run, though what one depends on is always there before it; unless
    it is only read.
    """
    depth: dict[str, int] = {"": 0}
    for resource in resources:
        before = (*resource.options.dependencies, resource.parent, resource.provider)
        depth[resource.urn] = 1 + max(depth.get(urn, 0) for urn in before)
    return tuple(sorted(resources, key=lambda resource: (depth[resource.urn], _natural(resource.name))))


def _natural(name: str) -> list[str | int]:
    """Return a key by which slice 2 comes before slice 10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _inputs_of_id(type_token: str, identifier: str) -> dict[str, str]:
    """Return what the id of something that exists tells of it; of clusters alone, since the program reads no other."""
    if type_token != "gcp:container/cluster:Cluster":
        raise NotImplementedError(f"The program reads a {type_token}; only clusters are known to exist.")
    _, project, _, location, _, name = identifier.split("/")
    return {"project": project, "location": location, "name": name}


def _is_encrypted(value: Any) -> bool:
    """Tell whether `secure:` is somewhere in a value of the configuration: the engine then keeps all of it secret."""
    if isinstance(value, Mapping):
        return set(value) == {"secure"} or any(map(_is_encrypted, value.values()))
    return isinstance(value, list) and any(map(_is_encrypted, value))


def _is_stack(urn: str) -> bool:
    return f"::{_STACK_TYPE}::" in urn


def _secret_paths(value: Any, at: tuple[str | int, ...]) -> Iterator[str]:
    """Yield the path of each secret."""
    if rpc.is_rpc_secret(value):
        yield format_path(at)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secret_paths(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _secret_paths(item, (*at, index))


def _plain(value: Any) -> Any:
    """Return the value with secrets unwrapped and numbers that are whole as integers, at any depth."""
    if rpc.is_rpc_secret(value):
        return _plain(rpc.unwrap_rpc_secret(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
