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

    There is one process: of the newest pod that can start, so that an update which cannot leaves the old one serving.
    The pod is ready only when the controller's probe passes: nothing is sent to a webhook that does not serve yet.
    folder: working folder of the process. address: that the pod reports.
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
        self._reported: dict[str, Sighting] = {}
        self._watcher = threading.Thread(target=self._watch, name=f"watch-{controller.name}", daemon=True)
        self._runner = threading.Thread(target=self._run, name=f"kubelet-{controller.name}", daemon=True)

    def start(self) -> None:
        self._watcher.start()
        self._runner.start()

    def stop(self) -> None:
        """Stops the process; its pod stays as it was reported last."""
        self._stop.set()
        if self._runner.is_alive():
            self._runner.join()

    def state(self) -> ProcessState | None:
        """State of the process; None while there is none."""
        process = self._process
        return process.state() if process else None

    def settled(self) -> bool:
        """Whether a pod of the controller is served and ready, or none of those that the API server has can start."""
        pods = self._client.list(Pod, namespace=self._controller.namespace)
        own = [pod for pod in _newest_first(pods) if container_running(pod, self._controller.image)]
        return self._serving() or all(self._refused(pod) for pod in own)

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
        while not self._stop.wait(STEADY_TICK_SECONDS if self._serving() else TICK_SECONDS):
            try:
                self._tick()
            except httpx2.HTTPError as error:
                _log.info("kubelet of %s: %s", self._controller.name, error)
            except Exception:  # the next tick may do better, and a dead kubelet would go unnoticed
                _log.exception("kubelet of %s", self._controller.name)
        self._end_process()

    def _serving(self) -> bool:
        seen = self._reported.get(self._served or "")
        return seen is not None and seen.ready

    def _refused(self, pod: Pod) -> bool:
        seen = self._reported.get(_uid(pod))
        return seen is not None and seen.refusal is not None

    def _tick(self) -> None:
        with self._pods_changing:
            pods = list(self._pods.values())
        candidates = _newest_first(pods)
        if self._served is not None and self._served not in map(_uid, candidates):
            self._end_process()
        for pod in pods:
            if _leaving(pod):
                self._remove(pod)
        for pod in candidates:
            if self._serve(pod):
                return

    def _serve(self, pod: Pod) -> bool:
        """Gives the process to a pod, unless it has it, and reports how the pod is. False if it cannot start."""
        if self._served != _uid(pod):
            try:
                program = self._controller.program(pod, self._files)
            except CannotStart as error:
                self._report(pod, Sighting(None, ready=False, refusal=Refusal(error.reason, str(error))))
                return False
            self._end_process()
            self._process, self._served = KeptProcess(program, self._folder), _uid(pod)
        assert self._process is not None
        if not self._serving():
            self._controller.tend(pod, self._files)
        state = self._process.state()
        self._report(pod, Sighting(state, ready=state.alive and self._controller.ready()))
        return True

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.stop()
        self._process = self._served = None
        self._reported.clear()

    def _report(self, pod: Pod, seen: Sighting) -> None:
        if self._reported.get(_uid(pod)) == seen:
            return
        status = pod_status(pod, seen, {"host": self._host(pod), "pod": self._address}, datetime.now(UTC))
        metadata = pod.metadata
        assert metadata is not None
        self._client.patch(PodStatus, metadata.name or "", {"status": status}, namespace=metadata.namespace)
        self._reported[_uid(pod)] = seen

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


def _newest_first(pods: Iterable[Pod]) -> list[Pod]:
    """The pods that may have the process: bound to a node, neither leaving nor ended."""
    bound = [pod for pod in pods if pod.spec and pod.spec.nodeName and not _leaving(pod) and not _ended(pod)]
    return sorted(bound, key=_age, reverse=True)


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
