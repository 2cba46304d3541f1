"""What happens in the cluster of a drill, as its API server tells it."""

from __future__ import annotations

import threading
import time
from typing import Any

from lightkube import Client
from lightkube.resources.core_v1 import Node, Pod

from sandbox.cluster_view import JobSet
from sandbox.kubernetes.watch import changes


class Happenings:
    """Watches nodes, and pods and JobSets of a namespace; there before the cluster is, and while it is away.

    Nodes and pods are kept as they were heard of last, which may be a moment after they changed.
    """

    def __init__(self, client: Client, namespace: str) -> None:
        self._nodes: dict[str, Node] = {}
        self._pods: dict[str, Pod] = {}
        self._heard = threading.Condition()
        self._count = 0
        self._stop = threading.Event()
        watched: tuple[tuple[Any, str | None, dict[str, Any] | None], ...] = (
            (Node, None, self._nodes),
            (Pod, namespace, self._pods),
            (JobSet, namespace, None),
        )
        for kind, where, kept in watched:
            threading.Thread(target=self._watch, args=(client, kind, where, kept), daemon=True).start()

    def stop(self) -> None:
        self._stop.set()
        with self._heard:
            self._heard.notify_all()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    @property
    def count(self) -> int:
        """How many changes were heard of."""
        return self._count

    def await_more_than(self, count: int, seconds: float) -> None:
        """Returns once more changes than that were heard of, at the end, or after some seconds."""
        deadline = time.monotonic() + seconds
        with self._heard:
            while self._count <= count and not self.stopped and (left := deadline - time.monotonic()) > 0:
                self._heard.wait(left)

    def seen(self) -> tuple[list[Node], list[Pod]]:
        with self._heard:
            return list(self._nodes.values()), list(self._pods.values())

    def _watch(self, client: Client, kind: Any, namespace: str | None, kept: dict[str, Any] | None) -> None:
        for change in changes(client, kind, namespace=namespace, stop=self._stop):
            with self._heard:
                if kept is not None and change.gone:
                    kept.pop(change.object.metadata.uid, None)
                elif kept is not None:
                    kept[change.object.metadata.uid] = change.object
                self._count += 1
                self._heard.notify_all()
