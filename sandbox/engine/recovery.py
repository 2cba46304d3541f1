"""What an interrupted engine leaves behind, and how the next run goes on from there.

A killed engine leaves its lock and, for each call that was under way, a pending operation. What the cloud or
the cluster made of a pending creation is imported into the state, what never came to be is cleared;
nothing is created twice and no conflict is forgiven.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from pulumi import automation

from sandbox import cloud
from sandbox.home import Home

ORPHAN_SECONDS = 60


@dataclass(frozen=True)
class PendingCreation:
    """A creation that the engine began and did not see end. id: of what exists; None where nothing does."""

    urn: str
    id: str | None


def recover(home: Home, stack: automation.Stack, kubeconfig: Path) -> list[PendingCreation]:
    """Makes the stack ready for another run. Returns the creations that had been under way."""
    _release_lock(home, stack)
    pending = [
        PendingCreation(operation["resource"]["urn"], _identifier(home, operation["resource"], kubeconfig))
        for operation in read_checkpoint(home).get("pending_operations") or []
        if operation["type"] == "creating"
    ]
    if pending:
        _resolve(stack, pending)
    return pending


def read_checkpoint(home: Home) -> dict[str, Any]:
    """What the engine wrote last: resources and pending operations. Read directly: asking the engine takes a second."""
    checkpoint = home.state / ".pulumi" / "stacks" / "pathways" / f"{home.stack}.json"
    if not checkpoint.exists():
        return {}
    latest: dict[str, Any] = json.loads(checkpoint.read_text())["checkpoint"].get("latest") or {}
    return latest


def _identifier(home: Home, resource: dict[str, Any], kubeconfig: Path) -> str | None:
    if resource["type"].startswith("kubernetes:"):
        return _kubernetes_identifier(resource["inputs"], kubeconfig)
    return cloud.find(home.cloud, resource["type"], resource["inputs"])


def _kubernetes_identifier(manifest: dict[str, Any], kubeconfig: Path) -> str | None:
    asked = subprocess.run(
        ["kubectl", f"--kubeconfig={kubeconfig}", "get", "--filename=-", "--ignore-not-found", "--output=name"],
        input=json.dumps(manifest),
        capture_output=True,
        text=True,
        check=False,
    )
    if not asked.stdout.strip():
        return None
    metadata = manifest["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else str(metadata["name"])


def _resolve(stack: automation.Stack, pending: list[PendingCreation]) -> None:
    """Moves what exists from the pending operations to the resources, drops the rest, and reads the former back."""
    exported = stack.export_stack()
    deployment = exported.deployment
    known = {creation.urn: creation.id for creation in pending if creation.id}
    for operation in deployment.pop("pending_operations", []):
        resource = operation["resource"]
        if operation["type"] == "creating" and resource["urn"] in known:
            deployment["resources"].append({**resource, "id": known[resource["urn"]]})
    stack.import_stack(exported)
    if known:
        stack.refresh(target=list(known), on_output=lambda _: None)


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
