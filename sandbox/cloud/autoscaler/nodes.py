"""Nodes, as far as a scheduler looks at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.cloud.autoscaler.amounts import Amounts, amounts
from sandbox.cloud.autoscaler.pods import Pod
from sandbox.cloud.autoscaler.selectors import Labels, selects_node


@dataclass(frozen=True)
class Node:
    """A node that is there, or one that is to come."""

    name: str
    labels: Labels
    taints: Sequence[Mapping[str, Any]]
    cordoned: bool
    allocatable: Amounts

    def admits(self, pod: Pod) -> bool:
        """Whether the pod may run here, whatever else does."""
        return (
            not self.cordoned
            and all(self.labels.get(key) == value for key, value in pod.selector.items())
            and (pod.node_terms is None or selects_node(pod.node_terms, self.name, self.labels))
            and all(pod.tolerates(taint) for taint in self.taints)
        )

    def holds(self, pod: Pod) -> bool:
        """Whether the pod finds room here while nothing else runs."""
        return all(self.allocatable.get(name, 0) >= amount for name, amount in pod.requests.items())


def node_of(manifest: Mapping[str, Any]) -> Node:
    spec = manifest.get("spec") or {}
    return Node(
        name=manifest["metadata"]["name"],
        labels=manifest["metadata"].get("labels") or {},
        taints=spec.get("taints") or (),
        cordoned=bool(spec.get("unschedulable")),
        allocatable=amounts(manifest["status"].get("allocatable")),
    )
