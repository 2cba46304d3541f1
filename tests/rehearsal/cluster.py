"""A control plane of a test's own, its nodes, and what its API server says."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from sandbox import ports
from sandbox.control_plane import ControlPlane
from sandbox.kubernetes.connection import prober

POOL = "cloud.google.com/gke-nodepool"
KUBECTL = Path(sys.executable).parent / "kubectl"
PATIENCE_SECONDS = 60


@dataclass
class Cluster:
    """A control plane, and plain JSON from and to its API server."""

    plane: ControlPlane
    http: httpx2.Client

    @classmethod
    def of(cls, plane: ControlPlane) -> Cluster:
        return cls(plane, prober(plane.kubeconfig))

    def healthy(self) -> bool:
        """Whether the API server answers, and has its store."""
        try:
            return self.http.get("/readyz").status_code == 200
        except httpx2.HTTPError:
            return False

    def get(self, path: str, **query: str) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def items(self, path: str, **query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(path, **query)["items"]
        return found

    def pods(self, namespace: str = "default", **query: str) -> list[dict[str, Any]]:
        return self.items(f"/api/v1/namespaces/{namespace}/pods", **query)

    def post(self, path: str, body: dict[str, Any], **query: str) -> httpx2.Response:
        return self.http.post(path, json=body, params=query)

    def merge(self, path: str, patch: dict[str, Any]) -> None:
        kind = {"Content-Type": "application/merge-patch+json"}
        answer = self.http.patch(path, content=json.dumps(patch), headers=kind)
        assert answer.status_code == 200, answer.text

    def delete(self, path: str) -> None:
        assert self.http.delete(path).status_code in (200, 202)

    def apply(self, manifests: Iterable[dict[str, Any]]) -> None:
        listed = {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
        command = [str(KUBECTL), f"--kubeconfig={self.plane.kubeconfig}", "apply", "--server-side", "--force-conflicts"]
        applied = subprocess.run(
            [*command, "--filename=-"], input=json.dumps(listed), capture_output=True, text=True, check=False
        )
        assert applied.returncode == 0, applied.stderr


def until(met: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.1)


def free_ports() -> dict[str, int]:
    return dict(zip(ControlPlane.PORTS, ports.free_ports(len(ControlPlane.PORTS)), strict=True))


def node(pool: str, number: int, chips: int = 0, labels: dict[str, str] | None = None) -> dict[str, Any]:
    """A node as GKE would make it, as far as a scheduler looks at it."""
    name = f"gke-test-{pool}-{number}"
    capacity = {"cpu": "64", "memory": "250Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    if chips:
        capacity["google.com/tpu"] = str(chips)
    taints = [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}] if chips else []
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, POOL: pool, **(labels or {})},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": taints},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "addresses": [
                {"type": "InternalIP", "address": f"10.128.{sum(pool.encode()) % 250}.{number + 1}"},
                {"type": "Hostname", "address": name},
            ],
        },
    }


def condition(thing: dict[str, Any], kind: str) -> str | None:
    conditions = thing.get("status", {}).get("conditions", [])
    return next((one["status"] for one in conditions if one["type"] == kind), None)


def annotation(value: str) -> dict[str, Any]:
    """A merge patch that tells a pod to end."""
    return {"metadata": {"annotations": {"sandbox.pathways.dev/finish": value}}}


def job(name: str, **template: Any) -> dict[str, Any]:
    """A Job of two pods that may not fail."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "python:3.13"}], **template}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "completions": 2,
            "parallelism": 2,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "template": {"spec": pod},
        },
    }
