"""The simulated Google Cloud: it creates, reads, updates and deletes resources of every type that the schema knows.

An operation belongs to the cloud, not to the caller: once admitted it goes on and ends, whoever is still there to
hear of it. What was under way when the daemon died is finished when it is back.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pathways.gcp import Action, Change, changes_between, format_path, without_defaults_keys
from sandbox.cloud.cluster_host import ClusterHost
from sandbox.cloud.identities import Place, identifier, normalised
from sandbox.cloud.journal import Entry, Journal
from sandbox.cloud.kinds import Kind, Site, kind_of
from sandbox.cloud.kinds.node_pool import OperationFailed
from sandbox.cloud.options import Fault, OptionsFile
from sandbox.cloud.readback import applied, reported_inputs
from sandbox.cloud.references import NODE_POOL, children_of
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.retries import retried
from sandbox.cloud.store import Record, Status, Store

_log = logging.getLogger(__name__)

_STOCKOUT = (
    "Google Compute Engine: Not all instances running in IGM after 35m. Current errors: [GCE_STOCKOUT]: Instance "
    "creation failed: The zone '{zone}' does not have enough resources available to fulfill the request. "
    "Try a different zone, or try again later."
)

_REST_SECONDS = 120.0
"""Real seconds that a read waits at least for an operation to end."""


class MadeInError(Exception):
    """A resource was created or changed and is in ERROR; the provider keeps it in the state and fails."""

    def __init__(self, record: Record, text: str) -> None:
        super().__init__(text)
        self.record = record
        self.text = text


@dataclass(frozen=True)
class Caller:
    """Who calls, about which resource.

    name: Pulumi's. minutes: simulated, to wait at most; None: the provider's own.
    """

    type: str
    name: str
    place: Place = field(default_factory=Place)
    minutes: float | None = None


class Cloud:
    """All resources of one simulated cloud, in a folder. host: the control plane behind its cluster."""

    def __init__(self, folder: Path, host: ClusterHost) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.store = Store(folder)
        self.journal = Journal(folder)
        self._options = OptionsFile(folder)
        self._host = host
        self._cancelled = threading.Event()

    @property
    def site(self) -> Site:
        return Site(self.store, self._options.current(), self._host)

    def cancel(self) -> None:
        """Makes the provider stop waiting for GKE; what GKE is doing goes on."""
        self._cancelled.set()
        self._cancelled = threading.Event()

    def resume(self) -> None:
        """Goes on with the operations that were under way when the last daemon died."""
        for record in list(self.store.records.values()):
            if record.under_way:
                threading.Thread(target=self._finish, args=(record,), name=f"resume {record.id}", daemon=True).start()

    def create(self, caller: Caller, inputs: dict[str, Any]) -> Record:
        """Raises Refusal, or MadeInError."""
        kind = kind_of(caller.type)
        with self.journal.entry("create", caller.type, caller.name, inputs=inputs) as entry:
            record, fault = self._retry(kind, caller, entry, lambda: self._admit_creation(kind, caller, inputs))
            entry.id = record.id
            failure = self._work(record, kind.minutes.create, lambda: self._make(kind, record, fault))
            if fault and fault.error == "lost":
                raise google(503, "The service is currently unavailable.", "backendError")
            if failure:
                named = f"{kind.label} {kind.name_of(inputs)}"
                raise MadeInError(record, f'{named} was created in the error state "ERROR": {failure}')
            return self._copy(record)

    def read(self, caller: Caller, id: str, asked: dict[str, Any] | None) -> tuple[Record, dict[str, Any]] | None:
        """The resource and its inputs as they are now; None where it does not exist. asked: the inputs so far.

        Waits for an operation of GKE that is under way, as the provider does.
        """
        kind = kind_of(caller.type)
        id = normalised(caller.type, id)
        with self.journal.entry("read", caller.type, caller.name, id):
            self._await_rest(kind, id)
            with self.store.transaction():
                record = self.store.get(caller.type, id)
                self._play_fault(caller.type, caller.name, id.rpartition("/")[2], "read")
                if record is None:
                    return None
                kind.read(self.site, record)
                self.store.put(record)
                record = deepcopy(record)
            return record, reported_inputs(kind.resource, asked or record.inputs, record.properties)

    def update(
        self, caller: Caller, id: str, old: dict[str, Any], inputs: dict[str, Any], ignore: Sequence[str] = ()
    ) -> Record:
        """old: what the engine knows the resource's properties to be. Raises Refusal, or MadeInError."""
        kind = kind_of(caller.type)
        changes = changes_between(kind.resource, old, inputs, ignore)
        sent = [change for change in changes if change.action is not Action.IGNORED]
        with self.journal.entry("update", caller.type, caller.name, id, inputs) as entry:
            entry.changes = [_described(change) for change in changes]
            record = self._retry(kind, caller, entry, lambda: self._admit_update(kind, caller, id, inputs, sent))
            failure = self._work(record, kind.minutes.update if sent else 0, lambda: self._change(kind, record))
            if failure:
                raise MadeInError(record, f"Error waiting for updating {kind.label} {kind.name_of(inputs)}: {failure}")
            return self._copy(record)

    def delete(self, caller: Caller, id: str, properties: dict[str, Any]) -> None:
        """properties: what the engine knows of the resource. Raises Refusal."""
        kind = kind_of(caller.type)
        with self.journal.entry("delete", caller.type, caller.name, id) as entry:
            record = self._retry(kind, caller, entry, lambda: self._admit_deletion(kind, caller, id, properties))
            if record is None:
                return
            failure = self._work(record, kind.minutes.delete, lambda: kind.unmake(self.site, record))
            if failure:
                raise Refusal(f"Error waiting for deleting {kind.label} {kind.name_of(properties)}: {failure}")

    def _retry(self, kind: Kind, caller: Caller, entry: Entry, attempt: Callable[[], Any]) -> Any:
        def once() -> Any:
            with self.store.transaction():
                return attempt()

        if not kind.retries:
            return once()
        minutes = kind.timeout if caller.minutes is None else caller.minutes
        return retried(once, self._options.current(), minutes, self._cancelled, entry.add_retry)

    def _admit_creation(self, kind: Kind, caller: Caller, inputs: dict[str, Any]) -> tuple[Record, Fault | None]:
        site, plain = self.site, without_defaults_keys(inputs)
        fault = self._play_fault(caller.type, caller.name, kind.name_of(inputs), "create")
        serial = self.store.next_serial()
        id = identifier(caller.type, plain, caller.place, serial)
        draft = Record(id, caller.type, caller.name, serial, inputs, applied(kind.resource, {}, plain))
        existing = self.store.get(caller.type, id)
        try:
            if existing is not None and not kind.merges:
                raise kind.already_exists(existing)
            kind.describe(site, draft, caller.place)
            kind.admit_creation(site, draft, caller.place)
        except Refusal as refusal:
            raise refusal.prefixed(kind.creation_prefix()) from refusal
        self.store.count("serial")
        self.store.put(draft)
        return draft, fault

    def _admit_update(
        self, kind: Kind, caller: Caller, id: str, inputs: dict[str, Any], sent: Sequence[Change]
    ) -> Record:
        site = self.site
        self._play_fault(caller.type, caller.name, kind.name_of(inputs), "update")
        record = self.store.get(caller.type, id)
        if record is None:
            raise google(404, f"Not found: {id}.", "notFound")
        draft = deepcopy(record)
        draft.inputs, draft.properties = inputs, _patched(kind, record, inputs, sent)
        kind.describe(site, draft, caller.place)
        if sent:
            kind.admit_update(site, record, draft, sent)
            record.previous = record.properties
            record.status = Status.RECONCILING if record.status is Status.RUNNING else record.status
        record.inputs, record.properties = draft.inputs, draft.properties
        self.store.put(record)
        return record

    def _admit_deletion(self, kind: Kind, caller: Caller, id: str, properties: dict[str, Any]) -> Record | None:
        """The record to delete; None where there is nothing to do."""
        record = self.store.get(caller.type, normalised(caller.type, id))
        self._play_fault(caller.type, caller.name, kind.name_of(properties), "delete")
        if record is None:
            return None
        kind.refuse_deletion(record, properties)
        if kind.keeps or properties.get("deletionPolicy") == "ABANDON":
            return None
        kind.admit_deletion(self.site, record)
        record.status = Status.STOPPING
        self.store.put(record)
        return record

    def _work(self, record: Record, minutes: float, act: Callable[[], None]) -> str | None:
        """Carries an operation out, for as long as it takes at least. Returns why the record is in ERROR, if so."""
        ends = time.monotonic() + self._options.current().seconds(minutes)
        failure = None
        try:
            act()
        except OperationFailed as error:
            failure = str(error)
        except Exception as error:
            _log.exception("operation on %s failed", record.id)
            failure = f"{type(error).__name__}: {error}"
        time.sleep(max(0.0, ends - time.monotonic()))
        with self.store.transaction():
            self._settle(record, failure)
        return failure

    def _settle(self, record: Record, failure: str | None) -> None:
        record.previous = {}
        if failure is not None:
            record.status, record.status_message = Status.ERROR, failure
        elif record.status is Status.STOPPING:
            for child in list(children_of(self.store, record)):
                self.store.remove(child)
            self.store.remove(record)
            return
        elif record.under_way:
            record.status, record.status_message = Status.RUNNING, ""
        self.store.put(record)

    def _make(self, kind: Kind, record: Record, fault: Fault | None) -> None:
        if fault and fault.error == "stockout":
            zone = f"projects/{record.id.split('/')[0]}/zones/{record.properties['nodeLocations'][0]}"
            raise OperationFailed(_STOCKOUT.format(zone=zone))
        if fault and fault.error == "error-state":
            raise OperationFailed("Internal error.")
        kind.make(self.site, record)

    def _change(self, kind: Kind, record: Record) -> None:
        if record.status is Status.RECONCILING:
            kind.change(self.site, record, replace(record, properties=record.previous))

    def _finish(self, record: Record) -> None:
        """Ends an operation that a dead daemon had begun."""
        kind, status = kind_of(record.type), record.status
        if status is Status.PROVISIONING:
            self._work(record, 0, lambda: kind.make(self.site, record))
        elif status is Status.STOPPING:
            self._work(record, 0, lambda: kind.unmake(self.site, record))
        else:
            self._work(record, 0, lambda: self._change(kind, record))

    def _await_rest(self, kind: Kind, id: str) -> None:
        ends = time.monotonic() + max(self._options.current().seconds(kind.timeout), _REST_SECONDS)
        while time.monotonic() < ends:
            record = self.store.get(kind.token, id)
            if record is None or not record.under_way:
                return
            time.sleep(0.02)

    def _copy(self, record: Record) -> Record:
        with self.store.transaction():
            return deepcopy(record)

    def _play_fault(self, type: str, name: str, own_name: str, call: str) -> Fault | None:
        """Takes the next fault that befalls the call. Raises Refusal for those that refuse it, returns the others."""
        for fault in self._options.current().faults:
            used = self.store.counters.get(fault.key, 0)
            if used < fault.times and fault.fits(type, {name, own_name}, call):
                self.store.count(fault.key)
                refusal = _refusal(fault)
                if refusal is not None:
                    raise refusal
                return fault if type == NODE_POOL or fault.error == "lost" else None
        return None


def _refusal(fault: Fault) -> Refusal | None:
    return {
        "409": google(409, "The resource already exists", "alreadyExists"),
        "429": google(429, "Quota exceeded for quota metric 'Write requests'.", "rateLimitExceeded"),
        "500": google(500, "Internal error encountered.", "backendError"),
        "503": google(503, "The service is currently unavailable.", "backendError"),
    }.get(fault.error)


def _patched(kind: Kind, record: Record, inputs: dict[str, Any], sent: Sequence[Change]) -> dict[str, Any]:
    """The properties once the changes are sent: what the provider found unchanged stays as it is in the cloud."""
    wanted = applied(kind.resource, record.properties, inputs)
    patched = dict(record.properties)
    for name in {str(change.path[0]) for change in sent}:
        patched.pop(name, None)
        if name in wanted:
            patched[name] = wanted[name]
    return patched


def _described(change: Change) -> dict[str, str]:
    return {"path": format_path(change.path), "kind": change.kind.value, "action": change.action.value}
