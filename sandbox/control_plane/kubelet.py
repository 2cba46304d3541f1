"""A kubelet for one controller: its pod is a process on this machine, and is reported as what the process is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from lightkube import ApiError, Client
from lightkube.resources.core_v1 import Node, Pod, PodStatus

from sandbox.control_plane.images import container_running
from sandbox.control_plane.local_controller import CannotStart, LocalController
from sandbox.control_plane.local_pod import Refusal, Sighting, pod_status
from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.processes import KeptProcess, ProcessState
from sandbox.kubernetes.connection import NOT_FOUND, code_of
from sandbox.kubernetes.watch import changes

TICK_SECONDS = 0.2
STEADY_TICK_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Kubelet:
    """Runs the process of one controller while there is a pod of it that is bound to a node.

    The newest such pod has the process; it is ready only when the controller's probe passes, so that nothing is sent to
    a webhook that does not serve yet. folder: working folder of the process. address: that the pod reports.
    """

    def __init__(
        self, client: Client, controller: LocalController, folder: Path, files: PodFiles, address: str
    ) -> None:
        self._client = client
        self._controller = controller
        self._folder = folder
        self._files = files
        self._address = address
        self._stop = threading.Event()
        self._pods: dict[str, Pod] = {}
        self._pods_changing = threading.Lock()
        self._served: str | None = None
        self._process: KeptProcess | None = None
        self._refusal: Refusal | None = None
        self._reported: tuple[str, Sighting] | None = None
        self._threads = [
            threading.Thread(target=self._watch, name=f"watch-{controller.name}", daemon=True),
            threading.Thread(target=self._run, name=f"kubelet-{controller.name}", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stops the process; its pod stays as it was reported last."""
        self._stop.set()
        if self._threads[1].is_alive():
            self._threads[1].join()

    def state(self) -> ProcessState | None:
        """State of the process; None while there is none."""
        process = self._process
        return process.state() if process else None

    def settled(self) -> bool:
        """Whether the controller's pod, asked from the API server, has its process and is ready; true without a pod."""
        pods = self._client.list(Pod, namespace=self._controller.namespace)
        wanted = _newest(pod for pod in pods if container_running(pod, self._controller.image))
        reported = self._reported
        return wanted is None or (reported is not None and reported[0] == _uid(wanted) and reported[1].ready)

    def _watch(self) -> None:
        for change in changes(self._client, Pod, namespace=self._controller.namespace, stop=self._stop):
            pod: Pod = change.object
            if container_running(pod, self._controller.image) is None:
                continue
            with self._pods_changing:
                if change.gone:
                    self._pods.pop(_uid(pod), None)
                else:
                    self._pods[_uid(pod)] = pod

    def _run(self) -> None:
        while not self._stop.wait(STEADY_TICK_SECONDS if self._steady() else TICK_SECONDS):
            try:
                self._tick()
            except httpx2.HTTPError as error:
                _log.info("kubelet of %s: %s", self._controller.name, error)
            except Exception:  # the next tick may do better, and a dead kubelet would go unnoticed
                _log.exception("kubelet of %s", self._controller.name)
        self._end_process()

    def _steady(self) -> bool:
        return self._reported is not None and self._reported[1].ready

    def _tick(self) -> None:
        with self._pods_changing:
            pods = list(self._pods.values())
        wanted = _newest(pods)
        if self._served is not None and (wanted is None or self._served != _uid(wanted)):
            self._end_process()
        for pod in pods:
            if _leaving(pod):
                self._remove(pod)
        if wanted is not None:
            self._serve(wanted)

    def _serve(self, pod: Pod) -> None:
        if self._served != _uid(pod) or self._process is None:
            self._served = _uid(pod)
            self._begin_process(pod)
        if self._process is not None and not self._steady():
            self._controller.tend(pod, self._files)
        self._report(pod)

    def _begin_process(self, pod: Pod) -> None:
        try:
            self._process = KeptProcess(self._controller.program(pod, self._files), self._folder)
            self._refusal = None
        except CannotStart as error:
            self._refusal = Refusal(error.reason, str(error))
        except ApiError as error:
            self._refusal = Refusal("CreateContainerConfigError", str(error))

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.stop()
        self._process = self._served = self._reported = None

    def _report(self, pod: Pod) -> None:
        state = self._process.state() if self._process else None
        ready = state is not None and state.alive and self._controller.ready()
        seen = Sighting(state, ready, self._refusal)
        if self._reported == (_uid(pod), seen):
            return
        status = pod_status(pod, seen, {"host": self._host(pod), "pod": self._address}, datetime.now(UTC))
        metadata = pod.metadata
        assert metadata is not None
        self._client.patch(PodStatus, metadata.name or "", {"status": status}, namespace=metadata.namespace)
        self._reported = (_uid(pod), seen)

    def _host(self, pod: Pod) -> str:
        node = self._client.get(Node, (pod.spec.nodeName if pod.spec else None) or "")
        addresses: list[Any] = (node.status.addresses if node.status else None) or []
        return next((one.address for one in addresses if one.type == "InternalIP"), "")

    def _remove(self, pod: Pod) -> None:
        metadata = pod.metadata
        assert metadata is not None
        try:
            self._client.delete(Pod, metadata.name or "", namespace=metadata.namespace, grace_period=0)
        except ApiError as error:
            if code_of(error) != NOT_FOUND:
                raise


def _newest(pods: Iterable[Pod]) -> Pod | None:
    """The pod that has the process: the newest one that is bound to a node and neither leaves nor has ended."""
    bound = [pod for pod in pods if pod.spec and pod.spec.nodeName and not _leaving(pod) and not _ended(pod)]
    return max(bound, key=_age, default=None)


def _age(pod: Pod) -> tuple[datetime, str]:
    assert pod.metadata is not None
    assert pod.metadata.creationTimestamp is not None
    return pod.metadata.creationTimestamp, pod.metadata.name or ""


def _ended(pod: Pod) -> bool:
    return bool(pod.status and pod.status.phase in ("Succeeded", "Failed"))


def _leaving(pod: Pod) -> bool:
    return bool(pod.metadata and pod.metadata.deletionTimestamp)


def _uid(pod: Pod) -> str:
    return (pod.metadata.uid if pod.metadata else None) or ""
