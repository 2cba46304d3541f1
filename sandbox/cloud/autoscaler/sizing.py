"""What to grow and what to shrink: functions of pools, nodes and pods, without any cloud or cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.cloud.autoscaler.nodes import Node
from sandbox.cloud.autoscaler.pods import Pod
from sandbox.cloud.autoscaler.room import Room


@dataclass(frozen=True)
class ScaledPool:
    """A node pool that has autoscaling.

    nodes: names by zone, those to come included. whole: hosts of a multi-host slice, which has all of them or none;
    None for a pool that changes node by node. zone_bounds, bounds: least and most nodes of a zone, and in all.
    pattern: a node of this pool; name and zone are another's. open: whether it can grow at the moment.
    cost: chips and vCPUs of a node, by which the cheaper pool is taken.
    """

    id: str
    nodes: Mapping[str, Sequence[str]]
    zone_bounds: tuple[int, int]
    bounds: tuple[int, int]
    pattern: Node
    whole: int | None = None
    open: bool = True
    cost: tuple[int, int] = (0, 0)

    @property
    def size(self) -> int:
        return sum(map(len, self.nodes.values()))

    @property
    def shrinkable(self) -> bool:
        return self.size > self.bounds[0] and any(len(nodes) > self.zone_bounds[0] for nodes in self.nodes.values())

    def suits(self, pod: Pod) -> bool:
        """Whether a node of this pool without pods would take the pod, as far as zone and name do not matter."""
        return any(node.admits(pod) and node.holds(pod) for node in (self.new_node(zone, 0) for zone in self.nodes))

    def new_node(self, zone: str, number: int) -> Node:
        """A node that could come. The number tells it from others."""
        name = f"{self.id}/{zone}/{number}"
        labels = {
            **self.pattern.labels,
            "kubernetes.io/hostname": name,
            "topology.kubernetes.io/zone": zone,
        }
        return Node(name, labels, self.pattern.taints, False, self.pattern.allocatable)


@dataclass
class Growth:
    """Nodes that a pool is to get. nodes: how many by zone. pods: that they come for."""

    pool: ScaledPool
    nodes: Counter[str] = field(default_factory=Counter)
    pods: list[Pod] = field(default_factory=list)

    def possible(self) -> Iterator[tuple[str, int]]:
        """Zones that can get more nodes than this, those with the fewest first, and how many at once."""
        pool, step = self.pool, self.pool.whole or 1
        if not pool.open or pool.size + self.nodes.total() + step > pool.bounds[1]:
            return
        sizes = {zone: len(nodes) + self.nodes[zone] for zone, nodes in pool.nodes.items()}
        for zone in sorted(sizes, key=lambda zone: (sizes[zone], zone)):
            if sizes[zone] + step <= pool.zone_bounds[1]:
                yield zone, step


def growths(pools: Sequence[ScaledPool], room: Room, waiting: Sequence[Pod]) -> list[Growth]:
    """The least that makes room for the waiting pods, one after the other.

    room: nodes that are there and that are to come already, with their pods. A pod that fits there needs no new node;
    neither does one that fits beside another pod on a new one. Pods that no pool can help are left alone.
    """
    planned = [Growth(pool) for pool in sorted(pools, key=lambda pool: (*pool.cost, pool.whole or 1, pool.id))]
    reason: dict[str, Growth] = {}
    for pod in sorted(waiting, key=lambda pod: (-pod.priority, pod.created, pod.name)):
        node = room.place(pod)
        if node is None:
            reason.update(_grow(planned, room, pod))
        elif node in reason:
            reason[node].pods.append(pod)
    return [growth for growth in planned if growth.nodes]


def _grow(planned: Sequence[Growth], room: Room, pod: Pod) -> dict[str, Growth]:
    """Lets the first pool grow that helps the pod. Returns its new nodes, none where no pool helps."""
    for growth in planned:
        for zone, count in growth.possible():
            new = [growth.pool.new_node(zone, growth.nodes[zone] + number) for number in range(count)]
            if room.place_on_new(pod, new) is not None:
                growth.nodes[zone] += count
                growth.pods.append(pod)
                return {node.name: growth for node in new}
    return {}


def removable(pool: ScaledPool, idle: Collection[str]) -> list[str]:
    """Names of the nodes that go. idle: nodes that have been without pods for long enough.

    A multi-host slice goes when all of it is idle; of other pools as many nodes as the bounds allow.
    """
    if pool.whole is not None:
        every = [name for names in pool.nodes.values() for name in names]
        return every if pool.shrinkable and set(every) <= set(idle) else []
    spare = pool.size - pool.bounds[0]
    found: list[str] = []
    for nodes in pool.nodes.values():
        free = [name for name in nodes if name in idle]
        found += free[: max(0, len(nodes) - pool.zone_bounds[0])]
    return found[: max(0, spare)]
