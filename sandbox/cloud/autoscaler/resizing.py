"""Changes the size of a pool for the autoscaler: an operation of GKE like any other, under the same limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from copy import deepcopy
from typing import Any

from sandbox.cloud.faults import Faults, OperationFailed, play_during_operation
from sandbox.cloud.gke.capacity import refuse_without_capacity
from sandbox.cloud.gke.clusters import refuse_pool_operation
from sandbox.cloud.gke.pools import pool_request
from sandbox.cloud.journal import Journal
from sandbox.cloud.kinds import Site
from sandbox.cloud.kinds.node_pool import bring_to_size
from sandbox.cloud.operations import Operations
from sandbox.cloud.options import Fault
from sandbox.cloud.references import NODE_POOL
from sandbox.cloud.refusal import Refusal
from sandbox.cloud.store import Record, Status, Store

CALL = "autoscale"
"""Name of these operations in the journal and in faults."""

GROW_MINUTES = 2.0
SHRINK_MINUTES = 1.0

Resized = Callable[[Site, Record], None]
"""Gives the draft of a pool other nodes. Raises Refusal where Google Cloud has none."""


class Busy(Exception):
    """Something else that happens to the pool or its cluster stands in the way; nothing was begun or written down."""


class Resizer:
    """Carries out what the autoscaler decides."""

    def __init__(self, store: Store, journal: Journal, operations: Operations, faults: Faults) -> None:
        self._store = store
        self._journal = journal
        self._operations = operations
        self._faults = faults

    @property
    def site(self) -> Site:
        return self._operations.site

    def grow(self, pool: str, sizes: Mapping[str, int], pods: Collection[str], begun: Callable[[], None]) -> None:
        """Gives each zone that many nodes. pods: what they are for, to be written down. begun: called when they come.

        Raises Busy, or Refusal, also where the nodes do not come: the pool is as before then, and not in ERROR.
        """

        def resized(site: Site, draft: Record) -> None:
            bring_to_size(site, draft, sizes)
            _count_nodes(draft)
            refuse_without_capacity(site, draft, pool_request(site, draft))

        self._resize(pool, resized, {"pods": sorted(pods)}, GROW_MINUTES, begun)

    def shrink(self, pool: str, names: Collection[str]) -> None:
        """Takes nodes away. Raises Busy, or Refusal."""

        def resized(_: Site, draft: Record) -> None:
            draft.nodes = [node for node in draft.nodes if node["name"] not in names]
            _count_nodes(draft)

        self._resize(pool, resized, {"idle": sorted(names)}, SHRINK_MINUTES, lambda: None)

    def _resize(
        self, id: str, resized: Resized, reason: dict[str, Any], minutes: float, begun: Callable[[], None]
    ) -> None:
        with ExitStack() as journalled:
            with self._store.transaction():
                record = self._free(id)
                entry = journalled.enter_context(self._journal.entry(CALL, NODE_POOL, record.name, id, reason))
                fault = self._begin(record, resized)
            entry.inputs["nodes"] = {"from": len(record.previous["nodes"]), "to": len(record.nodes)}
            begun()
            failures: list[str] = []
            failure = self._operations.run(record, minutes, lambda: self._act(record, fault, failures))
            for told in (failure, *failures):
                if told:
                    raise Refusal(told)

    def _free(self, id: str) -> Record:
        record = self._store.get(NODE_POOL, id)
        if record is None or record.status is not Status.RUNNING:
            raise Busy(f"{id} is not running")
        try:
            refuse_pool_operation(self.site, id)
        except Refusal as refusal:
            raise Busy(refusal.text) from refusal
        return record

    def _begin(self, record: Record, resized: Resized) -> Fault | None:
        site = self.site
        fault = self._faults.take(NODE_POOL, {record.name, record.properties["name"]}, CALL)
        draft = deepcopy(record)
        resized(site, draft)
        record.previous = {"properties": record.properties, "nodes": record.nodes}
        record.status, record.properties, record.nodes = Status.RECONCILING, draft.properties, draft.nodes
        self._store.put(record)
        return fault

    def _act(self, record: Record, fault: Fault | None, failures: list[str]) -> None:
        """What happens meanwhile. failures: takes the reason for which nodes do not come."""
        try:
            play_during_operation(fault, record)
        except OperationFailed as error:
            failures.append(str(error))
            with self._store.transaction():
                record.properties, record.nodes = record.previous["properties"], record.previous["nodes"]
                self._store.put(record)
        else:
            self._operations.change(record)


def _count_nodes(draft: Record) -> None:
    draft.properties["nodeCount"] = math.ceil(len(draft.nodes) / len(draft.properties["nodeLocations"]))
