"""The pod of a controller, as it looks while a process on this machine does its work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lightkube.resources.core_v1 import Pod

from sandbox.control_plane.processes import ProcessState


@dataclass(frozen=True)
class Refusal:
    """Why a pod's process cannot be started, in the words of a kubelet."""

    reason: str
    message: str


@dataclass(frozen=True)
class Sighting:
    """What the kubelet sees of a pod. ready: its readiness probe passes."""

    process: ProcessState | None
    ready: bool
    refusal: Refusal | None = None


def pod_status(pod: Pod, seen: Sighting, addresses: Mapping[str, str], since: datetime) -> dict[str, Any]:
    """The status that a kubelet would report.

    addresses: "host" and "pod". since: when the process was seen to change last.
    """
    moment = _written(since)
    ready = "True" if seen.ready else "False"
    alive = seen.process is not None and seen.process.alive
    conditions = {"PodReadyToStartContainers": "True", "Initialized": "True", "ContainersReady": ready, "Ready": ready}
    return {
        "phase": "Running" if seen.process else "Pending",
        "startTime": moment if not (pod.status and pod.status.startTime) else _written(pod.status.startTime),
        "hostIP": addresses["host"],
        "hostIPs": [{"ip": addresses["host"]}],
        "podIP": addresses["pod"],
        "podIPs": [{"ip": addresses["pod"]}],
        "conditions": [
            {"type": kind, "status": status, "lastTransitionTime": moment} for kind, status in conditions.items()
        ],
        "containerStatuses": [
            {
                "name": container.name,
                "image": container.image,
                "imageID": container.image,
                "ready": seen.ready,
                "started": alive,
                "restartCount": seen.process.restarts if seen.process else 0,
                "state": _state(seen, moment),
            }
            for container in (pod.spec.containers if pod.spec else [])
        ],
    }


def _state(seen: Sighting, moment: str) -> dict[str, Any]:
    if seen.refusal is not None:
        return {"waiting": {"reason": seen.refusal.reason, "message": seen.refusal.message}}
    if seen.process is None:
        return {"waiting": {"reason": "ContainerCreating"}}
    if not seen.process.alive:
        return {"waiting": {"reason": "CrashLoopBackOff", "message": "the process ended and will be started again"}}
    return {"running": {"startedAt": moment}}


def _written(moment: datetime | str) -> str:
    return moment if isinstance(moment, str) else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
