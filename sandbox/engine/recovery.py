"""What an interrupted engine leaves behind, and how the next run goes on from there.

A killed engine leaves its lock and, for each call that was under way, a pending operation. What the cloud or
the cluster made of a pending creation is imported into the state, what never came to be is cleared;
nothing is created twice and no conflict is forgiven. A node pool that stands in ERROR is marked for replacement:
left alone, it counts as made, and the engine would never look at it again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from pulumi import automation

from sandbox import cloud
from sandbox.engine.events import name_of
from sandbox.errors import RecoveryError
from sandbox.home import Home, read_json

ORPHAN_SECONDS = 60
ABSENT_KIND = ("no matches for kind", "resource mapping not found")
"""What kubectl says where the custom resource itself does not exist yet."""


def recover(home: Home, stack: automation.Stack, kubectl: list[str]) -> list[str]:
    """Makes the stack ready for another run. Returns what was found, a line each.

    kubectl: the command with its kubeconfig. Raises RecoveryError.
    """
    _release_lock(home, stack)
    checkpoint = read_checkpoint(home)
    pending = {
        operation["resource"]["urn"]: _identifier(home, operation["resource"], kubectl)
        for operation in checkpoint.get("pending_operations") or []
        if operation["type"] == "creating" and operation["resource"].get("custom")  # components are nowhere else
    }
    failed = _failed_pools(home, checkpoint)
    if pending or failed or checkpoint.get("pending_operations"):
        _mend(stack, pending, set(failed))
    told = [_told(urn, identifier) for urn, identifier in pending.items()]
    return told + [f"{name_of(urn)} is in ERROR and will be replaced: {why}" for urn, why in failed.items()]


def read_checkpoint(home: Home) -> dict[str, Any]:
    """What the engine wrote last: resources and pending operations. Read directly: asking the engine takes a second.

    Raises Damaged.
    """
    checkpoint = _checkpoint(home)
    if not checkpoint.exists():
        return {}
    latest: dict[str, Any] = read_json(checkpoint)["checkpoint"].get("latest") or {}
    return latest


def restore_checkpoint(home: Home) -> bool:
    """Puts the checkpoint before the last in the place of one that an engine was killed at writing.

    Returns whether that was so. The engine keeps the one before beside each; it differs by one step.
    """
    checkpoint = _checkpoint(home)
    before = checkpoint.with_name(f"{checkpoint.name}.bak")
    if not checkpoint.exists() or _whole(checkpoint) or not _whole(before):
        return False
    shutil.copyfile(before, checkpoint)
    return True


def _checkpoint(home: Home) -> Path:
    return home.state / ".pulumi" / "stacks" / "pathways" / f"{home.stack}.json"


def _whole(file: Path) -> bool:
    try:
        json.loads(file.read_text())
    except (OSError, ValueError):
        return False
    return True


def _identifier(home: Home, resource: dict[str, Any], kubectl: list[str]) -> str | None:
    inputs = resource.get("inputs", {})
    if resource["type"].startswith("kubernetes:"):
        return _kubernetes_identifier(inputs, kubectl)
    return cloud.find(home.cloud, resource["type"], inputs)


def _kubernetes_identifier(manifest: dict[str, Any], kubectl: list[str]) -> str | None:
    asked = subprocess.run(
        [*kubectl, "get", "--filename=-", "--ignore-not-found", "--output=name"],
        input=json.dumps(manifest),
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode and not any(words in asked.stderr for words in ABSENT_KIND):
        raise RecoveryError(f"the cluster does not say what it has: {asked.stderr.strip()}")
    if not asked.stdout.strip():
        return None
    metadata = manifest["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else str(metadata["name"])


def _failed_pools(home: Home, checkpoint: dict[str, Any]) -> dict[str, str]:
    """The URNs of node pools in ERROR that the state holds, each with GKE's reason."""
    broken = {record.id: record.status_message for record in failed_pools(home)}
    return {
        resource["urn"]: broken[resource["id"]]
        for resource in checkpoint.get("resources") or []
        if resource["type"] == cloud.NODE_POOL and resource.get("id") in broken
    }


def failed_pools(home: Home) -> list[cloud.Record]:
    """Node pools that stand in ERROR in the simulated cloud."""
    return [
        record
        for record in cloud.read_records(home.cloud)
        if record.type == cloud.NODE_POOL and record.status is cloud.Status.ERROR
    ]


def _mend(stack: automation.Stack, pending: dict[str, str | None], failed: set[str]) -> None:
    """Moves what exists from the pending operations to the resources, drops the rest, and marks failed pools."""
    exported = stack.export_stack()
    deployment = exported.deployment
    made = {
        operation["resource"]["urn"]: {**operation["resource"], "id": pending[operation["resource"]["urn"]]}
        for operation in deployment.pop("pending_operations", None) or []
        if operation["type"] == "creating" and pending.get(operation["resource"]["urn"])
    }
    found = list(made)
    # A resource that was being replaced is still there under its URN; the new one takes its place among those that
    # depend on it, since the engine wants each after what it depends on.
    resources = [made.pop(resource["urn"], resource) for resource in deployment.get("resources", [])]
    for resource in resources:
        if resource["urn"] in failed:
            resource["taint"] = True
    deployment["resources"] = [*resources, *made.values()]
    stack.import_stack(exported)
    if found:
        stack.refresh(target=found, on_output=lambda _: None)


def _told(urn: str, identifier: str | None) -> str:
    outcome = f"exists as {identifier}; imported" if identifier else "never came to be; cleared"
    return f"interrupted creation of {name_of(urn)}: {outcome}"


def _release_lock(home: Home, stack: automation.Stack) -> None:
    """Waits for an engine that outlived its command, then takes away the lock that a killed one left."""
    locks = home.state / ".pulumi" / "locks"
    deadline = time.monotonic() + ORPHAN_SECONDS
    while (engines := list(_orphans(locks))) and time.monotonic() < deadline:
        psutil.wait_procs(engines, timeout=1)
    for engine in _orphans(locks):
        engine.kill()
    if any(locks.rglob("*.json")):
        stack.cancel()


def _orphans(locks: Path) -> Iterator[psutil.Process]:
    for lock in locks.rglob("*.json"):
        try:
            engine = psutil.Process(int(json.loads(lock.read_text())["pid"]))
            if "pulumi" in engine.name():
                yield engine
        except (psutil.Error, OSError, ValueError, KeyError):
            continue
