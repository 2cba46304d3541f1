"""Where pods would be scheduled, played through on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sandbox.cloud.autoscaler.nodes import Node
from sandbox.cloud.autoscaler.pods import Neighbours, Pod, Port
from sandbox.cloud.autoscaler.selectors import Labels

Part = tuple[str, str | None]
"""A part of the cluster: the nodes whose label has that value."""


@dataclass
class _Place:
    node: Node
    taken: Counter[str] = field(default_factory=Counter)
    ports: set[Port] = field(default_factory=set)

    def has_room(self, pod: Pod) -> bool:
        free = self.node.allocatable
        enough = all(free.get(name, 0) - self.taken[name] >= amount for name, amount in pod.requests.items())
        return enough and not self.ports & pod.ports

    def take(self, pod: Pod) -> None:
        self.taken.update(pod.requests)
        self.ports |= pod.ports


class Room:
    """The nodes of a cluster with the pods on them; more of both can be added.

    What the scheduler looks at besides labels, taints, amounts, ports and required affinities is left out: spreading
    constraints and volumes.
    """

    def __init__(self, nodes: Iterable[Node], pods: Iterable[Pod]) -> None:
        self._places = {node.name: _Place(node) for node in nodes}
        self._settled: list[tuple[Pod, Labels]] = []
        for pod in pods:
            if pod.node in self._places:
                self._settle(pod, self._places[pod.node])

    def place(self, pod: Pod) -> str | None:
        """Puts a pod on the first node that it fits, and returns the node's name; None where it fits none."""
        return self._place(pod, self._places.values())

    def place_on_new(self, pod: Pod, nodes: Sequence[Node]) -> str | None:
        """Puts a pod on one of these nodes and adds them all; None, and nothing is added, where it fits none."""
        places = [_Place(node) for node in nodes]
        found = self._place(pod, places)
        if found is not None:
            self._places.update({place.node.name: place for place in places})
        return found

    def _place(self, pod: Pod, places: Iterable[_Place]) -> str | None:
        open_to = [place for place in places if place.node.admits(pod) and place.has_room(pod)]
        if not open_to:
            return None
        shut, wanted = self._shut(pod), self._wanted(pod)
        for place in open_to:
            labels = place.node.labels
            if not any((key, value) in shut for key, value in labels.items()) and _is_within(labels, wanted):
                self._settle(pod, place)
                return place.node.name
        return None

    def _settle(self, pod: Pod, place: _Place) -> None:
        place.take(pod)
        self._settled.append((pod, place.node.labels))

    def _shut(self, pod: Pod) -> set[Part]:
        """The parts that this pod's anti-affinity keeps it from, or that of a pod which is there."""
        shut: set[Part] = set()
        for other, labels in self._settled:
            shut |= {(term.topology, labels.get(term.topology)) for term in pod.apart if term.include(other)}
            shut |= {(term.topology, labels.get(term.topology)) for term in other.apart if term.include(pod)}
        return shut

    def _wanted(self, pod: Pod) -> Sequence[tuple[Neighbours, set[Part]]]:
        """For each term of the pod's affinity the parts where pods are that match all of its terms.

        Where there is no such pod at all, one that matches its own terms may be the first, anywhere.
        """
        beside = [labels for other, labels in self._settled if all(term.include(other) for term in pod.near)]
        if not beside and all(term.include(pod) for term in pod.near):
            return []
        return [(term, {(term.topology, labels.get(term.topology)) for labels in beside}) for term in pod.near]


def _is_within(labels: Labels, wanted: Sequence[tuple[Neighbours, set[Part]]]) -> bool:
    return all((term.topology, labels.get(term.topology, "")) in parts for term, parts in wanted)
