"""Pods, as far as a scheduler looks at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.cloud.autoscaler.amounts import Amounts, amounts
from sandbox.cloud.autoscaler.selectors import Labels, selects

Port = tuple[str, int]
"""Protocol and number."""

_MIRROR = "kubernetes.io/config.mirror"


@dataclass(frozen=True)
class Neighbours:
    """Other pods that a pod must, or must not, share a part of the cluster with.

    selector: of their labels. namespaces: None stands for all. topology: label of nodes whose value names the part.
    """

    selector: Mapping[str, Any] | None
    namespaces: frozenset[str] | None
    topology: str

    def include(self, pod: Pod) -> bool:
        return (self.namespaces is None or pod.namespace in self.namespaces) and selects(self.selector, pod.labels)


@dataclass(frozen=True)
class Pod:
    """A pod that runs or waits.

    node: that it is on; None for one that waits. requests: what it takes of a node's allocatable amounts.
    node_terms: of its required node affinity; None without one. ports: of the node, that it alone can have.
    near, apart: required affinity and anti-affinity. daemon: it belongs to its node and goes with it.
    """

    namespace: str
    name: str
    uid: str
    labels: Labels
    node: str | None
    requests: Amounts
    selector: Labels
    node_terms: Sequence[Mapping[str, Any]] | None
    tolerations: Sequence[Mapping[str, Any]]
    ports: frozenset[Port]
    near: Sequence[Neighbours]
    apart: Sequence[Neighbours]
    priority: int
    created: str
    daemon: bool

    @property
    def reference(self) -> dict[str, str]:
        """Namespace, name and uid, as events name the pod."""
        return {"namespace": self.namespace, "name": self.name, "uid": self.uid}

    def tolerates(self, taint: Mapping[str, Any]) -> bool:
        """Whether the taint keeps this pod from no node; PreferNoSchedule keeps no pod away."""
        return taint["effect"] == "PreferNoSchedule" or any(_covers(one, taint) for one in self.tolerations)


def pod_of(manifest: Mapping[str, Any]) -> Pod:
    """The pod of a manifest that the API server has completed."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    namespace, affinity = metadata["namespace"], spec.get("affinity") or {}
    node_affinity = (affinity.get("nodeAffinity") or {}).get(_REQUIRED)
    return Pod(
        namespace=namespace,
        name=metadata["name"],
        uid=metadata["uid"],
        labels=metadata.get("labels") or {},
        node=spec.get("nodeName"),
        requests=_requests(spec),
        selector=spec.get("nodeSelector") or {},
        node_terms=node_affinity["nodeSelectorTerms"] if node_affinity else None,
        tolerations=spec.get("tolerations") or (),
        ports=frozenset(_host_ports(spec)),
        near=_neighbours(affinity.get("podAffinity"), namespace),
        apart=_neighbours(affinity.get("podAntiAffinity"), namespace),
        priority=spec.get("priority") or 0,
        created=metadata.get("creationTimestamp") or "",
        daemon=_is_daemon(metadata),
    )


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _requests(spec: Mapping[str, Any]) -> Amounts:
    """What the scheduler reserves: containers and sidecars, or the hungriest other init container if that is more.

    Source: Kubernetes documentation, "Sidecar Containers", resource sharing within containers.
    """
    lasting: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for container in spec.get("initContainers") or ():
        if container.get("restartPolicy") == "Always":
            lasting.update(_of_container(container))
        else:
            most |= lasting + _of_container(container)
    for container in spec["containers"]:
        lasting.update(_of_container(container))
    return (most | lasting) + amounts(spec.get("overhead")) + amounts({"pods": 1})


def _of_container(container: Mapping[str, Any]) -> Counter[str]:
    return amounts((container.get("resources") or {}).get("requests"))


def _host_ports(spec: Mapping[str, Any]) -> Iterable[Port]:
    sidecars = [one for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"]
    for container in (*spec["containers"], *sidecars):
        for port in container.get("ports") or ():
            if port.get("hostPort"):
                yield port.get("protocol") or "TCP", port["hostPort"]


def _neighbours(affinity: Mapping[str, Any] | None, namespace: str) -> Sequence[Neighbours]:
    terms = (affinity or {}).get(_REQUIRED) or ()
    return [Neighbours(term.get("labelSelector"), _namespaces(term, namespace), term["topologyKey"]) for term in terms]


def _namespaces(term: Mapping[str, Any], own: str) -> frozenset[str] | None:
    """A selector of namespaces stands for all of them: nobody here knows the labels of namespaces."""
    if term.get("namespaceSelector") is not None:
        return None
    return frozenset(term.get("namespaces") or [own])


def _is_daemon(metadata: Mapping[str, Any]) -> bool:
    owners = metadata.get("ownerReferences") or ()
    return _MIRROR in (metadata.get("annotations") or {}) or any(owner["kind"] == "DaemonSet" for owner in owners)


def _covers(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") not in (None, "", taint["key"]):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and (toleration.get("value") or "") == (taint.get("value") or "")
