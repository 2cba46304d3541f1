"""The control plane of a sandbox's one cluster, as local processes."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.cloud.cluster_host import Endpoint
from sandbox.control_plane import certificates, components, credentials, jobset, kueue, nodes, pathways_job, pods
from sandbox.control_plane.local_controller import LocalController
from sandbox.control_plane.private_files import private_folder
from sandbox.control_plane.processes import ProcessState, stop_leftovers
from sandbox.control_plane.running_cluster import CONTROLLERS_FOLDER, RunningCluster

API_SERVER_PORT = "apiserver"

_CREATED = "created"
_log = logging.getLogger(__name__)


class NoCluster(Exception):
    """Something was asked of a cluster that does not run."""


class ControlPlane:
    """etcd, API server, controller manager, scheduler, kwok and the controllers of one cluster.

    folder: holds everything of it, readable by its owner alone. ports: a loopback port for each name in PORTS.
    There is a cluster from create() to delete(); its processes run until stop(), and again from resume() on.
    """

    PORTS: tuple[str, ...] = (
        API_SERVER_PORT,
        jobset.WEBHOOK_PORT,
        jobset.HEALTH_PORT,
        kueue.WEBHOOK_PORT,
        kueue.HEALTH_PORT,
        kueue.VISIBILITY_PORT,
        pathways_job.HEALTH_PORT,
    )

    def __init__(self, folder: Path, programs: components.Programs, ports: Mapping[str, int]) -> None:
        self._folder = private_folder(folder)
        self._programs = programs
        self._port = ports[API_SERVER_PORT]
        self._controllers: tuple[LocalController, ...] = (
            jobset.JobSetController(programs, ports),
            kueue.KueueController(programs, ports),
            pathways_job.PathwaysJobController(ports),
        )
        self._changing = threading.RLock()
        self._running: RunningCluster | None = None
        certificates.create_certificates(folder)
        credentials.create_credentials(folder, f"https://127.0.0.1:{self._port}", self._authority())
        for name in stop_leftovers(folder):
            _log.warning("%s was still running from an earlier time and was stopped", name)

    @property
    def kubeconfig(self) -> Path:
        """The administrator's; there before and after the cluster, too."""
        return credentials.kubeconfig(self._folder, "admin")

    def create(self) -> Endpoint:
        """Starts a cluster without data; returns when its API server is healthy. One that exists is deleted first.

        Raises PortTaken, or WaitedTooLong with the end of the API server's log, if it does not come up.
        """
        with self._changing:
            self.delete()
            endpoint = self._start()
            (self._folder / _CREATED).touch()
            return endpoint

    def delete(self) -> None:
        """Stops the processes and wipes the data. Nothing happens where there is no cluster."""
        with self._changing:
            self.stop()
            (self._folder / _CREATED).unlink(missing_ok=True)
            shutil.rmtree(self._folder / components.ETCD_DATA, ignore_errors=True)
            shutil.rmtree(self._folder / CONTROLLERS_FOLDER, ignore_errors=True)

    def resume(self) -> None:
        """Starts the processes on the old data, if there is a cluster; returns when it serves as it did before."""
        with self._changing:
            if (self._folder / _CREATED).exists() and self._running is None:
                self._start()
                self._cluster().settle()

    def stop(self) -> None:
        """Stops the processes; the data stays."""
        with self._changing:
            if self._running is not None:
                self._running.stop()
                self._running = None

    def endpoint(self) -> Endpoint | None:
        if self._running is None or not (self._folder / _CREATED).exists():
            return None
        return self._endpoint()

    def add_nodes(self, manifests: Sequence[Mapping[str, Any]]) -> None:
        nodes.add_nodes(self._cluster().client, manifests)

    def update_nodes(self, pool: str, labels: Mapping[str, str | None], taints: Sequence[Mapping[str, str]]) -> None:
        nodes.update_nodes(self._cluster().client, pool, labels, taints)

    def remove_nodes(self, pool: str, names: Sequence[str] | None = None) -> None:
        nodes.remove_nodes(self._cluster().client, pool, names)

    def registered_nodes(self) -> list[dict[str, Any]]:
        return pods.registered_nodes(self._cluster().client)

    def bound_pods(self) -> list[dict[str, Any]]:
        return pods.bound_pods(self._cluster().client)

    def ready_heads(self) -> list[dict[str, Any]]:
        return pods.ready_heads(self._cluster().client)

    def unschedulable_pods(self) -> list[dict[str, Any]]:
        return pods.unschedulable_pods(self._cluster().client)

    def record_event(self, pod: Mapping[str, str], type: str, reason: str, message: str) -> None:
        pods.record_event(self._cluster().client, pod, type, reason, message)

    def processes(self) -> list[ProcessState]:
        """The state of every process that should run."""
        running = self._running
        return running.processes() if running else []

    def _cluster(self) -> RunningCluster:
        if self._running is None:
            raise NoCluster("the sandbox's cluster does not run")
        return self._running

    def _start(self) -> Endpoint:
        self._running = RunningCluster(self._folder, self._programs, self._port, self._controllers, self._authority())
        try:
            self._running.start()
        except BaseException:
            self.stop()
            raise
        return self._endpoint()

    def _endpoint(self) -> Endpoint:
        return Endpoint(f"127.0.0.1:{self._port}", self._authority().decode())

    def _authority(self) -> bytes:
        return (self._folder / certificates.AUTHORITY).read_bytes()
