"""Operations: they take their time, leave a resource running, in ERROR or gone, and survive the daemon.

An operation belongs to the cloud, not to the caller: once begun it ends, whoever is still there to hear of it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from sandbox.cloud.cluster_host import ClusterHost
from sandbox.cloud.faults import OperationFailed
from sandbox.cloud.kinds import Kind, Site, kind_of
from sandbox.cloud.options import OptionsFile
from sandbox.cloud.references import children_of
from sandbox.cloud.refusal import Refusal
from sandbox.cloud.store import Record, Status, Store

_log = logging.getLogger(__name__)

_REST_SECONDS = 120.0
"""Real seconds that a reader waits at least for an operation to end."""


class Operations:
    """Carries out what has been admitted, for as long as the cloud is served."""

    def __init__(self, store: Store, options: OptionsFile, host: ClusterHost) -> None:
        self._store = store
        self._options = options
        self._host = host
        self._stopping = threading.Event()

    @property
    def site(self) -> Site:
        """Where something may begin. Raises OptionsError."""
        return Site(self._store, self._options.current(), self._host)

    @property
    def site_of_work(self) -> Site:
        """Where what has begun goes on, whatever has become of the options meanwhile."""
        return Site(self._store, self._options.in_force(), self._host)

    def run(self, record: Record, minutes: float, act: Callable[[], None]) -> str | None:
        """Acts, taking the simulated minutes at least, and settles the record. Returns why it is in ERROR, if so.

        Raises Refusal when the cloud stops meanwhile; the next daemon ends what is unfinished then.
        """
        ends = time.monotonic() + self._options.in_force().seconds(minutes)
        failure = None
        try:
            act()
        except OperationFailed as error:
            failure = str(error)
        except Exception as error:
            if self._stopping.is_set():
                raise Refusal("the simulated cloud stops") from error
            _log.exception("operation on %s failed", record.id)
            failure = f"{type(error).__name__}: {error}"
        self._stopping.wait(max(0.0, ends - time.monotonic()))
        with self._store.transaction():
            self._settle(record, failure)
        return failure

    def change(self, record: Record) -> None:
        """What an update does besides being recorded."""
        if record.status is Status.RECONCILING:
            before = replace(record, properties=record.previous["properties"], nodes=record.previous["nodes"])
            kind_of(record.type).change(self.site_of_work, record, before)

    def await_rest(self, kind: Kind, id: str) -> None:
        """Waits until no operation on the resource is under way."""
        ends = time.monotonic() + max(self._options.in_force().seconds(kind.timeout), _REST_SECONDS)
        while time.monotonic() < ends:
            record = self._store.get(kind.token, id)
            if record is None or not record.under_way:
                return
            time.sleep(0.02)

    def resume(self) -> None:
        """Goes on with the operations that were under way when the last daemon ended."""
        for record in list(self._store.records.values()):
            if record.under_way:
                threading.Thread(target=self._finish, args=(record,), name=f"resume {record.id}", daemon=True).start()

    def stop(self) -> None:
        """What fails from now on is left as it is, for the next daemon."""
        self._stopping.set()

    def _finish(self, record: Record) -> None:
        kind = kind_of(record.type)
        acts: dict[Status, Callable[[], None]] = {
            Status.PROVISIONING: lambda: kind.make(self.site_of_work, record),
            Status.RECONCILING: lambda: self.change(record),
            Status.STOPPING: lambda: kind.unmake(self.site_of_work, record),
        }
        self.run(record, 0, acts[record.status])

    def _settle(self, record: Record, failure: str | None) -> None:
        record.previous = {}
        if failure is not None:
            record.status, record.status_message = Status.ERROR, failure
        elif record.status is Status.STOPPING:
            for gone in (*children_of(self._store, record), record):
                self._store.remove(gone)
            return
        elif record.under_way:
            record.status, record.status_message = Status.RUNNING, ""
        self._store.put(record)
