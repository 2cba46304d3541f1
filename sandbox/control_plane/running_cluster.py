"""All that runs while a cluster is up, and the order in which it starts and stops."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path

import httpx2
from lightkube import Client

from sandbox.control_plane import components, credentials
from sandbox.control_plane.egress import EgressProxy
from sandbox.control_plane.kubelet import Kubelet
from sandbox.control_plane.kwok import kwok_configuration
from sandbox.control_plane.local_controller import LocalController
from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.private_files import write_private
from sandbox.control_plane.processes import KeptProcess, ProcessState, Program, stop_all
from sandbox.control_plane.services import PodPort, ServiceRoutes
from sandbox.control_plane.waiting import WaitedTooLong, wait_until
from sandbox.kubernetes.connection import connect, prober
from sandbox.ports import await_free

READY_SECONDS = 60.0
SETTLE_SECONDS = 60.0
POLL_SECONDS = 0.05

CONTROLLERS_FOLDER = "controllers"

# Addresses for the pods of local processes, beside the range that kwok gives addresses from.
_LOCAL_POD_ADDRESS = "10.245.0.{}"

_log = logging.getLogger(__name__)


class RunningCluster:
    """The processes of a cluster, from start() to stop().

    folder: their working folder, with certificates and credentials in it. port: of the API server.
    controllers: those whose pods are local processes. authority: certificate of the API server's authority, PEM.
    """

    def __init__(
        self,
        folder: Path,
        programs: components.Programs,
        port: int,
        controllers: Sequence[LocalController],
        authority: bytes,
    ) -> None:
        self._folder = folder
        self._programs = programs
        self._port = port
        self._controllers = controllers
        self.client: Client = connect(credentials.kubeconfig(folder, "admin"))
        self._egress = EgressProxy(
            folder / components.EGRESS_SOCKET, ServiceRoutes(self.client, self._pod_ports()).port
        )
        self._store: list[KeptProcess] = []
        self._server: list[KeptProcess] = []
        self._workers: list[KeptProcess] = []
        self._kubelets = [
            Kubelet(self.client, one, folder, self._files(one, authority), _LOCAL_POD_ADDRESS.format(number))
            for number, one in enumerate(controllers, start=1)
        ]

    def start(self) -> None:
        """Starts everything; returns when the API server is healthy.

        Raises PortTaken where its port is another program's, WaitedTooLong with what it logged last.
        """
        await_free(self._port, "the API server's")
        self._write_configurations()
        self._egress.start()
        self._store = [self._keep(components.etcd(self._programs))]
        self._server = [self._keep(components.api_server(self._programs, self._port))]
        self._await_api_server()
        self._workers = [
            self._keep(components.controller_manager(self._programs)),
            self._keep(components.scheduler(self._programs)),
            self._keep(components.kwok(self._programs)),
        ]
        for kubelet in self._kubelets:
            kubelet.start()

    def settle(self) -> None:
        """Returns once each controller that has a pod serves again; one that does not in time is not waited for."""
        try:
            wait_until(self._settled, "the controllers serve again", SETTLE_SECONDS)
        except WaitedTooLong as error:
            _log.warning("%s", error)

    def stop(self) -> None:
        """Stops everything, what depends on something before that on which it depends."""
        for kubelet in self._kubelets:
            kubelet.stop()
        stop_all(self._workers)
        stop_all(self._server)
        self._egress.stop()
        stop_all(self._store)
        self.client.close()

    def processes(self) -> list[ProcessState]:
        components_running = [process.state() for process in (*self._store, *self._server, *self._workers)]
        return [*components_running, *(state for kubelet in self._kubelets if (state := kubelet.state()))]

    def _keep(self, program: Program) -> KeptProcess:
        return KeptProcess(program, self._folder)

    def _pod_ports(self) -> dict[PodPort, int]:
        return {
            (controller.namespace, name): port
            for controller in self._controllers
            for name, port in controller.ports.items()
        }

    def _files(self, controller: LocalController, authority: bytes) -> PodFiles:
        folder = self._folder / CONTROLLERS_FOLDER / controller.name
        return PodFiles(self.client, folder, f"https://127.0.0.1:{self._port}", authority)

    def _write_configurations(self) -> None:
        egress, scheduler = components.egress_configuration(), components.scheduler_configuration()
        played_here = [controller.image for controller in self._controllers]
        write_private(self._folder / components.EGRESS_CONFIGURATION, json.dumps(egress))
        write_private(self._folder / components.SCHEDULER_CONFIGURATION, json.dumps(scheduler))
        write_private(self._folder / components.KWOK_CONFIGURATION, kwok_configuration(played_here))

    def _settled(self) -> bool:
        return all(kubelet.settled() for kubelet in self._kubelets)

    def _await_api_server(self) -> None:
        try:
            with prober(credentials.kubeconfig(self._folder, "admin")) as http:
                wait_until(lambda: _is_ready(http), "the API server is ready", READY_SECONDS, POLL_SECONDS)
        except WaitedTooLong as error:
            logged = "\n".join(process.log_end() for process in (*self._store, *self._server))
            raise WaitedTooLong(f"{error}; etcd and it logged last:\n{logged}") from error


def _is_ready(http: httpx2.Client) -> bool:
    """Asks /readyz, which includes the roles and priority classes that the API server makes for itself."""
    try:
        return http.get("/readyz").status_code == httpx2.codes.OK
    except httpx2.HTTPError:
        return False
