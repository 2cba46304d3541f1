"""What exists in the simulated cloud, on disk: state.json, written whole and at once.

A daemon that is killed loses nothing that it told anyone. An operation that was under way is found by its status.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

FILE = "state.json"


class Status(StrEnum):
    """GKE's words; resources of other services use those that fit."""

    PROVISIONING = "PROVISIONING"
    RUNNING = "RUNNING"
    RECONCILING = "RECONCILING"
    STOPPING = "STOPPING"
    ERROR = "ERROR"


UNDER_WAY = (Status.PROVISIONING, Status.RECONCILING, Status.STOPPING)


@dataclass
class Record:
    """A resource as the cloud has it.

    name: Pulumi's name at creation. serial: grows with each creation, never used twice. inputs: as last asked for.
    properties: as read back. nodes: of a node pool (name, ip, zone). previous: properties and nodes before an update
    that is under way. status_message: why it is in ERROR. objects: of a bucket (name to bytes).
    """

    id: str
    type: str
    name: str
    serial: int
    inputs: dict[str, Any]
    properties: dict[str, Any]
    status: Status = Status.PROVISIONING
    status_message: str = ""
    previous: dict[str, Any] = field(default_factory=dict)
    nodes: list[dict[str, str]] = field(default_factory=list)
    objects: dict[str, int] = field(default_factory=dict)

    @property
    def under_way(self) -> bool:
        return self.status in UNDER_WAY


class Store:
    """All records of one simulated cloud. Change them inside a transaction only; `put` what was changed."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._lock = threading.RLock()
        self._changed = False
        self._texts: dict[str, str] = {}  # of records as they were saved last: to write all anew takes ever longer
        self.records: dict[str, Record] = {}
        self.counters: dict[str, int] = {}
        self._load()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Others wait meanwhile; what was put or counted is on disk afterwards, an exception notwithstanding."""
        with self._lock:
            try:
                yield
            finally:
                if self._changed:
                    self._save()
                    self._changed = False

    def get(self, type: str, id: str) -> Record | None:
        return self.records.get(_key(type, id))

    def of_type(self, *types: str) -> list[Record]:
        return [record for record in list(self.records.values()) if record.type in types]

    def put(self, record: Record) -> None:
        key = _key(record.type, record.id)
        self.records[key] = record
        self._texts.pop(key, None)
        self._changed = True

    def remove(self, record: Record) -> None:
        key = _key(record.type, record.id)
        self.records.pop(key, None)
        self._texts.pop(key, None)
        self._changed = True

    def next_serial(self) -> int:
        """What `count("serial")` will return."""
        return self.counters.get("serial", 0) + 1

    def count(self, name: str) -> int:
        """Counts one more of something; returns how many there are now."""
        self.counters[name] = self.counters.get(name, 0) + 1
        self._changed = True
        return self.counters[name]

    def _load(self) -> None:
        if self._file.exists():
            raw = json.loads(self._file.read_text())
            self.counters = raw["counters"]
            self.records = {_key(record.type, record.id): record for record in _records(raw)}

    def _save(self) -> None:
        for key, record in self.records.items():
            if key not in self._texts:
                self._texts[key] = json.dumps(vars(record))
        resources = ", ".join(self._texts[key] for key in self.records)
        written = self._file.with_suffix(".new")
        with open(os.open(written, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
            file.write(f'{{"counters": {json.dumps(self.counters)}, "resources": [{resources}]}}')
        written.rename(self._file)


def read_records(folder: Path) -> list[Record]:
    """What the simulated cloud in a folder has, whether its daemon runs or not."""
    file = folder / FILE
    return _records(json.loads(file.read_text())) if file.exists() else []


def _records(raw: dict[str, Any]) -> list[Record]:
    return [Record(**{**item, "status": Status(item["status"])}) for item in raw["resources"]]


def _key(type: str, id: str) -> str:
    return f"{type}|{id}"
