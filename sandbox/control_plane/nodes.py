"""The nodes of the cluster: they appear, change and go as GKE makes those of a node pool."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx2
import msgspec
from lightkube import ApiError, Client
from lightkube.models.core_v1 import Taint
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node, Pod, PodEviction
from lightkube.types import PatchType

from sandbox.control_plane.waiting import wait_until
from sandbox.kubernetes.connection import CONFLICT, NOT_FOUND, TOO_MANY_REQUESTS, code_of
from sandbox.kubernetes.watch import ALL_NAMESPACES

POOL_LABEL = "cloud.google.com/gke-nodepool"
READY_SECONDS = 120.0
EVICTION_SECONDS = 10.0
DRAIN_SECONDS = 60.0
POLL_SECONDS = 0.25
ABSENCE_SECONDS = 30.0

_REQUESTS_AT_ONCE = 16

_Item = TypeVar("_Item")


def add_nodes(client: Client, nodes: Sequence[Mapping[str, Any]]) -> None:
    """Creates nodes and waits until all of them are ready. Those that exist are left as they are."""

    def create(node: Mapping[str, Any]) -> None:
        with _tolerated(CONFLICT):
            client.create(msgspec.convert(node, Node))

    _in_parallel(create, nodes)
    names = {node["metadata"]["name"] for node in nodes}
    pools = {node["metadata"]["labels"][POOL_LABEL] for node in nodes}

    def all_ready() -> bool:
        listed = _patiently(lambda: list(client.list(Node, labels={POOL_LABEL: pools})))
        return names <= {_name(node) for node in listed if _is_ready(node)}

    wait_until(all_ready, f"nodes of {', '.join(sorted(pools))} ready", READY_SECONDS, POLL_SECONDS)


def update_nodes(
    client: Client, pool: str, labels: Mapping[str, str | None], taints: Sequence[Mapping[str, str]]
) -> None:
    """Edits the living nodes of a pool.

    labels: to set; None takes a label away. taints: all that the nodes have then, besides those that Kubernetes sets
    for a node's condition.
    """

    def update(node: Node) -> None:
        present = (node.spec.taints if node.spec else None) or []
        kept = [taint.to_dict() for taint in present if _of_condition(taint)]
        patch = {"metadata": {"labels": dict(labels)}, "spec": {"taints": [*kept, *taints]}}
        with _tolerated(NOT_FOUND):
            client.patch(Node, _name(node), patch, patch_type=PatchType.MERGE)

    _in_parallel(update, _pool(client, pool))


def remove_nodes(client: Client, pool: str, names: Sequence[str] | None = None) -> None:
    """Takes nodes of a pool away: no new pods, the old ones evicted, then the nodes go. Returns when they are gone.

    names: which ones; None: all. A disruption budget holds a pod for EVICTION_SECONDS, a pod that does not end for
    DRAIN_SECONDS (on GKE: an hour).
    """
    nodes = [_name(node) for node in _pool(client, pool) if names is None or _name(node) in names]

    def cordon(node: str) -> None:
        with _tolerated(NOT_FOUND):
            client.patch(Node, node, {"spec": {"unschedulable": True}})

    def delete(node: str) -> None:
        with _tolerated(NOT_FOUND):
            client.delete(Node, node)

    def gone() -> bool:
        return not {_name(node) for node in _pool(client, pool)} & set(nodes)

    _in_parallel(cordon, nodes)
    _drain(client, nodes)
    _in_parallel(delete, nodes)
    wait_until(gone, f"nodes of {pool} gone", READY_SECONDS, POLL_SECONDS)


def _drain(client: Client, nodes: Sequence[str]) -> None:
    began = time.monotonic()
    while pods := _pods_on(client, nodes):
        waited = time.monotonic() - began
        if waited > DRAIN_SECONDS:
            _in_parallel(lambda pod: _delete(client, pod, grace=0), pods)
            return
        asked = [pod for pod in pods if not _metadata(pod).deletionTimestamp]
        if waited > EVICTION_SECONDS:
            _in_parallel(lambda pod: _delete(client, pod, grace=None), asked)
        else:
            _in_parallel(lambda pod: _evict(client, pod), asked)
        time.sleep(POLL_SECONDS)


def _evict(client: Client, pod: Pod) -> None:
    metadata = _metadata(pod)
    eviction = PodEviction(metadata=ObjectMeta(name=metadata.name, namespace=metadata.namespace))
    with _tolerated(NOT_FOUND, TOO_MANY_REQUESTS):
        client.create(eviction, metadata.name or "", namespace=metadata.namespace)


def _delete(client: Client, pod: Pod, grace: int | None) -> None:
    metadata = _metadata(pod)
    with _tolerated(NOT_FOUND):
        client.delete(Pod, metadata.name or "", namespace=metadata.namespace, grace_period=grace)


def _pods_on(client: Client, nodes: Sequence[str]) -> list[Pod]:
    def on(node: str) -> list[Pod]:
        return list(client.list(Pod, namespace=ALL_NAMESPACES, fields={"spec.nodeName": node}))

    return [pod for pods in _in_parallel(on, nodes) for pod in pods]


def _pool(client: Client, pool: str) -> list[Node]:
    return _patiently(lambda: list(client.list(Node, labels={POOL_LABEL: pool})))


_Result = TypeVar("_Result")


def _in_parallel(act: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Acts on all items, several at a time. Raises the first error once all others are done."""
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE, thread_name_prefix="nodes") as pool:
        return list(pool.map(lambda item: _patiently(lambda: act(item)), items))


def _patiently(act: Callable[[], _Result]) -> _Result:
    """Acts, again and again while the API server is away, as after a crash. Raises the error when that lasts."""
    deadline = time.monotonic() + ABSENCE_SECONDS
    while True:
        try:
            return act()
        except httpx2.TransportError:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)


@contextlib.contextmanager
def _tolerated(*codes: int) -> Iterator[None]:
    try:
        yield
    except ApiError as error:
        if code_of(error) not in codes:
            raise


def _is_ready(node: Node) -> bool:
    conditions = (node.status.conditions if node.status else None) or []
    return any(one.type == "Ready" and one.status == "True" for one in conditions)


def _of_condition(taint: Taint) -> bool:
    return taint.key.startswith("node.kubernetes.io/")


def _metadata(thing: Node | Pod) -> ObjectMeta:
    assert thing.metadata is not None  # the API server gives every object its metadata
    return thing.metadata


def _name(thing: Node | Pod) -> str:
    return _metadata(thing).name or ""
