"""The order of node pool operations and when each begins: the engine does at once what does not wait for each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pathways.plan.durations import CREATE, DELETE, UPDATE, minutes
from pathways.plan.groups import pool_name
from pathways.plan.steps import Step, Verb
from pathways.resources import Resource
from pathways.rules.kinds import NODE_POOL


@dataclass(frozen=True)
class PoolOperation:
    """An operation on a node pool. lane: counted from 0. starts, ends: minutes from the beginning."""

    pool: str
    operation: str
    lane: int
    starts: float
    ends: float


@dataclass(frozen=True)
class Schedule:
    """All node pool operations of a deployment, in the order in which they begin.

    ends: when all of the deployment is done, in minutes; what takes seconds is not counted.
    """

    operations: tuple[PoolOperation, ...]
    ends: float

    @property
    def lanes(self) -> list[list[PoolOperation]]:
        """The operations of each lane, one after the other."""
        found: dict[int, list[PoolOperation]] = {}
        for operation in self.operations:
            found.setdefault(operation.lane, []).append(operation)
        return [found[lane] for lane in sorted(found)]

    @property
    def at_once(self) -> int:
        """The most operations that are under way at the same time."""
        edges = sorted((moment, begins) for op in self.operations for moment, begins in ((op.starts, 1), (op.ends, -1)))
        most = running = 0
        for _, begins in edges:
            running += begins
            most = max(most, running)
        return most

    @property
    def pools_start(self) -> float:
        """When the first begins."""
        return min((operation.starts for operation in self.operations), default=0.0)


def schedule_creation(resources: Sequence[Resource]) -> Schedule:
    """Return the operations that make a whole stack. resources: each after those that it depends on."""
    return _Clock().run((resource, [CREATE]) for resource in resources)


def schedule_steps(steps: Sequence[Step]) -> Schedule:
    """Return the operations of an update. What goes for good goes when all else is done, as the engine does it."""
    clock = _Clock()
    clock.run((step.resource, _OPERATIONS[step.verb]) for step in steps if step.verb is not Verb.DESTROY)
    going = [step.resource for step in steps if step.verb is Verb.DESTROY]
    return clock.run(((resource, [DELETE]) for resource in going), after=_followers(going))


_OPERATIONS = {
    Verb.SAME: [],
    Verb.CREATE: [CREATE],
    Verb.UPDATE: [UPDATE],
    Verb.REPLACE: [DELETE, CREATE],
    Verb.FORGET: [],
}


def _followers(going: Sequence[Resource]) -> Mapping[str, Sequence[str]]:
    """Return, for each resource, those that depend on it, and so must be gone before it."""
    found: dict[str, list[str]] = {resource.urn: [] for resource in going}
    for resource in going:
        for urn in resource.options.dependencies:
            if urn in found:
                found[urn].append(resource.urn)
    return found


class _Clock:
    """Plays operations, each as soon as those that it waits for are done."""

    def __init__(self) -> None:
        self._ends: dict[str, float] = {}
        self._lanes: dict[str, int] = {}
        self._last_of_lane: list[str] = []
        self._operations: list[PoolOperation] = []

    def run(
        self, work: Iterable[tuple[Resource, Sequence[str]]], after: Mapping[str, Sequence[str]] | None = None
    ) -> Schedule:
        """Play operations of resources and return all that was played.

        after: URNs that each waits for, where that is not what it depends on; then all of it begins when the rest is
        done.
        """
        beginning = 0.0 if after is None else max(self._ends.values(), default=0.0)
        for resource, operations in work:
            before = resource.options.dependencies if after is None else after[resource.urn]
            now = max((self._ends.get(urn, beginning) for urn in before), default=beginning)
            lane = self._lane(resource, before) if resource.type == NODE_POOL and operations else None
            for operation in operations:
                end = now + minutes(resource.type, operation)
                if lane is not None:
                    self._operations.append(PoolOperation(pool_name(resource), operation, lane, now, end))
                now = end
            self._ends[resource.urn] = now
        ordered = sorted(self._operations, key=lambda operation: (operation.starts, operation.lane))
        return Schedule(tuple(ordered), max(self._ends.values(), default=0.0))

    def _lane(self, pool: Resource, before: Sequence[str]) -> int:
        """Return the lane of the pool that this one waits for, while that one is its last; else a new one."""
        lanes = [self._lanes[urn] for urn in before if urn in self._lanes]
        lane = next((lane for lane in lanes if self._last_of_lane[lane] in before), len(self._last_of_lane))
        if lane == len(self._last_of_lane):
            self._last_of_lane.append(pool.urn)
        self._last_of_lane[lane] = pool.urn
        self._lanes[pool.urn] = lane
        return lane
