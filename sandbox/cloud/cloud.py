"""The simulated Google Cloud: it creates, reads, updates and deletes resources of every type that the schema knows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pathways.gcp import Action, Change, changes_between, format_path, without_defaults_keys
from sandbox.cloud.autoscaler import Autoscaler, Resizer
from sandbox.cloud.cluster_host import ClusterHost
from sandbox.cloud.faults import UNAVAILABLE, Faults, play_during_operation
from sandbox.cloud.identities import Place, identifier, normalised
from sandbox.cloud.journal import Entry, Journal
from sandbox.cloud.kinds import Kind, kind_of
from sandbox.cloud.operations import Operations
from sandbox.cloud.options import Fault, OptionsFile
from sandbox.cloud.readback import applied, reported_inputs
from sandbox.cloud.refusal import Refusal, not_found
from sandbox.cloud.retries import retried
from sandbox.cloud.scratch_users import ScratchUsers
from sandbox.cloud.store import Record, Status, Store

Admitted = TypeVar("Admitted")


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
        self._operations = Operations(self.store, self._options, host)
        self._faults = Faults(self.store, self._options)
        self._autoscaler = Autoscaler(
            lambda: self._operations.site, Resizer(self.store, self.journal, self._operations, self._faults)
        )
        self._scratch_users = ScratchUsers(lambda: self._operations.site, self.journal)
        self._cancelled = threading.Event()

    def resume(self) -> None:
        """Goes on with the operations that were under way when the last daemon ended, and with what happens alone."""
        self._operations.resume()
        self._autoscaler.start()
        self._scratch_users.start()

    def cancel(self) -> None:
        """Makes the provider stop waiting for GKE; what GKE is doing goes on."""
        self._cancelled.set()
        self._cancelled = threading.Event()

    def stop(self) -> None:
        """Ends all waiting; operations that are under way are left to the next daemon."""
        self._operations.stop()
        self.cancel()
        self._autoscaler.stop()
        self._scratch_users.stop()

    def create(self, caller: Caller, inputs: dict[str, Any]) -> Record:
        """Raises Refusal, or MadeInError."""
        kind = kind_of(caller.type)
        with self.journal.entry("create", caller.type, caller.name, inputs=inputs) as entry:
            record, fault = self._admitted(kind, caller, entry, lambda: self._admit_creation(kind, caller, inputs))
            entry.id = record.id

            def make() -> None:
                play_during_operation(fault, record)
                kind.make(self._operations.site_of_work, record)

            failure = self._operations.run(record, kind.minutes.create, make)
            if fault is not None and fault.error == "lost":
                raise UNAVAILABLE
            if failure:
                named = f"{kind.label} {kind.name_of(inputs)}"
                raise MadeInError(self._copy(record), f'{named} was created in the error state "ERROR": {failure}')
            return self._copy(record)

    def read(self, caller: Caller, id: str, asked: dict[str, Any] | None) -> tuple[Record, dict[str, Any]] | None:
        """The resource and its inputs as they are now; None where it does not exist. asked: the inputs so far.

        Waits for an operation of GKE that is under way, as the provider does.
        """
        kind = kind_of(caller.type)
        id = normalised(caller.type, id)
        with self.journal.entry("read", caller.type, caller.name, id):
            self._operations.await_rest(kind, id)
            with self.store.transaction():
                self._faults.take(caller.type, {caller.name, id.rpartition("/")[2]}, "read")
                record = self.store.get(caller.type, id)
                if record is None:
                    return None
                kind.read(self._operations.site, record)
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
            record = self._admitted(kind, caller, entry, lambda: self._admit_update(kind, caller, id, inputs, sent))
            minutes = kind.minutes.update if sent else 0
            failure = self._operations.run(record, minutes, lambda: self._operations.change(record))
            if failure:
                named = f"{kind.label} {kind.name_of(inputs)}"
                raise MadeInError(self._copy(record), f"Error waiting for updating {named}: {failure}")
            return self._copy(record)

    def delete(self, caller: Caller, id: str, properties: dict[str, Any]) -> None:
        """properties: what the engine knows of the resource. Raises Refusal."""
        kind = kind_of(caller.type)
        with self.journal.entry("delete", caller.type, caller.name, id) as entry:
            record = self._admitted(kind, caller, entry, lambda: self._admit_deletion(kind, caller, id, properties))
            if record is None:
                return
            site = self._operations.site_of_work
            failure = self._operations.run(record, kind.minutes.delete, lambda: kind.unmake(site, record))
            if failure:
                raise Refusal(f"Error waiting for deleting {kind.label} {kind.name_of(properties)}: {failure}")

    def _admitted(self, kind: Kind, caller: Caller, entry: Entry, admit: Callable[[], Admitted]) -> Admitted:
        """What an admission returns, tried again where the provider does. Raises Refusal."""

        def attempt() -> Admitted:
            with self.store.transaction():
                return admit()

        if not kind.retries:
            return attempt()
        minutes = kind.timeout if caller.minutes is None else caller.minutes
        return retried(attempt, self._options.current(), minutes, self._cancelled, entry.add_retry)

    def _admit_creation(self, kind: Kind, caller: Caller, inputs: dict[str, Any]) -> tuple[Record, Fault | None]:
        site, plain = self._operations.site, without_defaults_keys(inputs)
        fault = self._faults.take(caller.type, {caller.name, kind.name_of(inputs)}, "create")
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
        site = self._operations.site
        self._faults.take(caller.type, {caller.name, kind.name_of(inputs)}, "update")
        record = self.store.get(caller.type, id)
        if record is None:
            raise not_found(f"Not found: {id}.")
        draft = deepcopy(record)
        draft.inputs, draft.properties = inputs, _patched(kind, record, inputs, sent)
        kind.describe(site, draft, caller.place)
        if sent:
            kind.admit_update(site, record, draft, sent)
            record.previous = {"properties": record.properties, "nodes": record.nodes}
            record.status = Status.RECONCILING if record.status is Status.RUNNING else record.status
        record.inputs, record.properties, record.nodes = draft.inputs, draft.properties, draft.nodes
        self.store.put(record)
        return record

    def _admit_deletion(self, kind: Kind, caller: Caller, id: str, properties: dict[str, Any]) -> Record | None:
        """The record to delete; None where there is nothing to do."""
        self._faults.take(caller.type, {caller.name, kind.name_of(properties)}, "delete")
        record = self.store.get(caller.type, normalised(caller.type, id))
        if record is None:
            return None
        kind.refuse_deletion(record, properties)
        if kind.keeps or properties.get("deletionPolicy") == "ABANDON":
            return None
        kind.admit_deletion(self._operations.site, record)
        record.status = Status.STOPPING
        self.store.put(record)
        return record

    def _copy(self, record: Record) -> Record:
        with self.store.transaction():
            return deepcopy(record)


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
