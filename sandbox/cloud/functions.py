"""Functions of the provider that programs call, and what a person could do at Google Cloud's console.

The latter have names of their own (sandbox:cloud:...); sandbox.cloud.console calls them.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from pathways.gcp import resource_type, with_defaults, without_defaults_keys
from sandbox.cloud.cloud import Caller, Cloud
from sandbox.cloud.gke.clusters import VERSION, zones_of
from sandbox.cloud.identities import Place, identifier
from sandbox.cloud.refusal import Refusal, not_found
from sandbox.cloud.store import Record

Arguments = dict[str, Any]
Function = Callable[[Cloud, Arguments, Place], dict[str, Any]]


def call(cloud: Cloud, token: str, arguments: Arguments, place: Place) -> dict[str, Any]:
    """What the function returns. Raises Refusal, also for a function that is not simulated."""
    function = _FUNCTIONS.get(token)
    name = token.rpartition(":")[2]
    if function is None:
        raise Refusal(f"the function {token} is not simulated; there are {', '.join(sorted(_FUNCTIONS))}")
    kind = "console-" + name if token.startswith("sandbox:") else "invoke"
    with cloud.journal.entry(kind, token, name, str(arguments.get("id", "")), arguments):
        return function(cloud, arguments, place)


def _client_config(_: Cloud, __: Arguments, place: Place) -> dict[str, Any]:
    return {
        "id": f"projects/{place.project}/regions/{place.region}/zones/{place.zone}",
        "project": place.project or "",
        "region": place.region or "",
        "zone": place.zone or "",
        "accessToken": "the simulated cloud needs no token",
        "defaultLabels": {},
    }


def _project(_: Cloud, arguments: Arguments, place: Place) -> dict[str, Any]:
    project = arguments.get("projectId") or place.project or ""
    return {"id": f"projects/{project}", "projectId": project, "name": project, "number": "123456789012", "labels": {}}


def _engine_versions(_: Cloud, arguments: Arguments, place: Place) -> dict[str, Any]:
    return {
        "id": "versions",
        "location": arguments.get("location") or place.zone or place.region or "",
        "project": arguments.get("project") or place.project or "",
        "defaultClusterVersion": VERSION,
        "latestMasterVersion": VERSION,
        "latestNodeVersion": VERSION,
        "releaseChannelDefaultVersion": dict.fromkeys(("RAPID", "REGULAR", "STABLE"), VERSION),
        "releaseChannelLatestVersion": dict.fromkeys(("RAPID", "REGULAR", "STABLE"), VERSION),
        "validMasterVersions": [VERSION],
        "validNodeVersions": [VERSION],
    }


def _zones(_: Cloud, arguments: Arguments, place: Place) -> dict[str, Any]:
    region = arguments.get("region") or place.region or ""
    return {"id": f"projects/{place.project}/regions/{region}", "names": zones_of(region), "region": region}


def _storage_account(_: Cloud, arguments: Arguments, place: Place) -> dict[str, Any]:
    email = "service-123456789012@gs-project-accounts.iam.gserviceaccount.com"
    project = arguments.get("project") or place.project or ""
    return {"id": email, "emailAddress": email, "member": f"serviceAccount:{email}", "project": project}


def _make(cloud: Cloud, arguments: Arguments, place: Place) -> dict[str, Any]:
    token, given = arguments["type"], arguments["inputs"]
    inputs = with_defaults(resource_type(token), given, None)
    known = cloud.store.get(token, identifier(token, without_defaults_keys(inputs), place, 0))
    return {"id": (known or cloud.create(Caller(token, given["name"], place), inputs)).id}


def _edit(cloud: Cloud, arguments: Arguments, _: Place) -> dict[str, Any]:
    with cloud.store.transaction():
        record = _known(cloud, arguments)
        record.properties.update(deepcopy(arguments["properties"]))
        cloud.store.put(record)
    return {"id": record.id}


def _remove(cloud: Cloud, arguments: Arguments, _: Place) -> dict[str, Any]:
    with cloud.store.transaction():
        cloud.store.remove(_known(cloud, arguments))
    return {"id": arguments["id"]}


def _put_object(cloud: Cloud, arguments: Arguments, _: Place) -> dict[str, Any]:
    with cloud.store.transaction():
        record = _known(cloud, {"type": "gcp:storage/bucket:Bucket", **arguments})
        record.objects[arguments["name"]] = arguments["bytes"]
        cloud.store.put(record)
    return {"objects": len(record.objects)}


def _known(cloud: Cloud, arguments: Arguments) -> Record:
    record = cloud.store.get(arguments["type"], arguments["id"])
    if record is None:
        raise not_found(f"{arguments['type']} {arguments['id']} does not exist")
    return record


_FUNCTIONS: dict[str, Function] = {
    "gcp:compute/getZones:getZones": _zones,
    "gcp:container/getEngineVersions:getEngineVersions": _engine_versions,
    "gcp:organizations/getClientConfig:getClientConfig": _client_config,
    "gcp:organizations/getProject:getProject": _project,
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": _storage_account,
    "sandbox:cloud:make": _make,
    "sandbox:cloud:edit": _edit,
    "sandbox:cloud:remove": _remove,
    "sandbox:cloud:putObject": _put_object,
}
