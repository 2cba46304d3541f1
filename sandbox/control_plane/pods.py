"""The pods and nodes of the cluster as Google Cloud looks at them, and the events that its autoscaler writes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lightkube import Client
from lightkube.models.core_v1 import EventSource, ObjectReference
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Event, Node, Pod

from pathways.manifests.controller.jobset import HEAD
from sandbox.cluster_view import REPLICATED_JOB
from sandbox.kubernetes.watch import ALL_NAMESPACES

_ENDED = ("Succeeded", "Failed")
_AUTOSCALER = EventSource(component="cluster-autoscaler")


def registered_nodes(client: Client) -> list[dict[str, Any]]:
    return [node.to_dict() for node in client.list(Node)]


def bound_pods(client: Client) -> list[dict[str, Any]]:
    """Pods that are on a node and have not ended."""
    return [
        pod.to_dict()
        for pod in client.list(Pod, namespace=ALL_NAMESPACES)
        if pod.spec and pod.spec.nodeName and not (pod.status and pod.status.phase in _ENDED)
    ]


def ready_heads(client: Client) -> list[dict[str, Any]]:
    """Pods of heads of Pathways jobs that are ready."""
    heads = client.list(Pod, namespace=ALL_NAMESPACES, labels={REPLICATED_JOB: HEAD})
    return [pod.to_dict() for pod in heads if _is_ready(pod)]


def unschedulable_pods(client: Client) -> list[dict[str, Any]]:
    """Pods for which the scheduler found no node, not even by pushing others out."""
    waiting = client.list(Pod, namespace=ALL_NAMESPACES, fields={"status.phase": "Pending", "spec.nodeName": ""})
    return [pod.to_dict() for pod in waiting if _is_unschedulable(pod)]


def record_event(client: Client, pod: Mapping[str, str], type: str, reason: str, message: str) -> None:
    """Writes an event of the cluster autoscaler. pod: namespace, name and uid."""
    now = datetime.now(UTC)
    event = Event(
        metadata=ObjectMeta(name=f"{pod['name']}.{uuid.uuid4().hex[:16]}", namespace=pod["namespace"]),
        involvedObject=ObjectReference(apiVersion="v1", kind="Pod", **pod),
        type=type,
        reason=reason,
        message=message,
        source=_AUTOSCALER,
        reportingComponent=_AUTOSCALER.component,
        count=1,
        firstTimestamp=now,
        lastTimestamp=now,
    )
    client.create(event)


def _is_ready(pod: Pod) -> bool:
    conditions = (pod.status.conditions if pod.status else None) or []
    leaving = bool(pod.metadata and pod.metadata.deletionTimestamp)
    return not leaving and any(one.type == "Ready" and one.status == "True" for one in conditions)


def _is_unschedulable(pod: Pod) -> bool:
    status, leaving = pod.status, bool(pod.metadata and pod.metadata.deletionTimestamp)
    if status is None or status.nominatedNodeName or leaving:
        return False
    return any(one.type == "PodScheduled" and one.reason == "Unschedulable" for one in status.conditions or ())
