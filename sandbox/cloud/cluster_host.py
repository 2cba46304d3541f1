"""What the simulated cloud asks of the control plane that stands behind the simulated GKE cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Endpoint:
    """Where the API server of the cluster listens.

    address: "127.0.0.1:PORT". ca_certificate: PEM text of the authority that signed its certificate.
    """

    address: str
    ca_certificate: str

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])


class ClusterHost(Protocol):
    """A Kubernetes control plane that can be started fresh, given nodes, and wiped.

    Every method may be called again after it was interrupted, and then ends in the same state.
    Methods may be called from several threads at once.
    """

    def create(self) -> Endpoint:
        """Starts a control plane without data; returns when its API server is healthy."""
        ...

    def delete(self) -> None:
        """Stops the processes and wipes the data."""
        ...

    def endpoint(self) -> Endpoint | None:
        """The living control plane's endpoint; None where there is no cluster."""
        ...

    def add_nodes(self, nodes: Sequence[dict[str, Any]]) -> None:
        """Creates Node objects from whole manifests, status included; one that exists already is left alone."""
        ...

    def update_nodes(self, pool: str, labels: Mapping[str, str | None], taints: Sequence[dict[str, str]]) -> None:
        """Edits the living nodes of a pool in place.

        pool: value of the nodes' label cloud.google.com/gke-nodepool.
        labels: to set; None takes a label away, labels that are not named stay.
        taints: all that the nodes have afterwards.
        """
        ...

    def remove_nodes(self, pool: str, names: Sequence[str] | None = None) -> None:
        """Takes nodes away as GKE does: cordons them, removes their pods, deletes them; returns when all are gone.

        names: of the nodes; None stands for every node of the pool.
        """
        ...

    def registered_nodes(self) -> list[dict[str, Any]]:
        """Manifests of all nodes that are there."""
        ...

    def bound_pods(self) -> list[dict[str, Any]]:
        """Manifests of the pods that are on a node and have not ended."""
        ...

    def ready_heads(self) -> list[dict[str, Any]]:
        """Manifests of the pods that are ready heads of Pathways jobs."""
        ...

    def unschedulable_pods(self) -> list[dict[str, Any]]:
        """Manifests of the pods for which the scheduler found no node, not even by pushing others out."""
        ...

    def record_event(self, pod: Mapping[str, str], type: str, reason: str, message: str) -> None:
        """Writes an event of the cluster autoscaler. pod: namespace, name and uid. type: Normal or Warning."""
        ...
