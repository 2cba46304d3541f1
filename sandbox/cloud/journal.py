"""The journal: every call that changed or read something in the simulated cloud, one line of JSON each."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = "journal.jsonl"


@dataclass
class Retry:
    """A refusal after which the provider tried again. count: how often in this wording. first, last: unix seconds."""

    error: str
    count: int
    first: float
    last: float


@dataclass
class Entry:
    """One call; written when it ends. started, ended: unix seconds.

    seq: in the order in which calls began. call: create, read, update, delete, invoke or, of the cluster
    autoscaler, autoscale, of a job's head, pathways; a call of the console has the prefix "console-". name: Pulumi's
    name of the resource. inputs: of create and update as checked, of invoke its arguments, of autoscale the nodes and
    the reason, of pathways the pod and the rule.
    changes: of an update, each with path, kind and action. outcome: "ok" or the error's text.
    """

    seq: int
    call: str
    type: str
    name: str
    id: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    changes: list[dict[str, str]] = field(default_factory=list)
    started: float = 0.0
    ended: float = 0.0
    outcome: str = "ok"
    retries: list[Retry] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"

    def add_retry(self, error: str) -> None:
        now = time.time()
        for retry in self.retries:
            if retry.error == error:
                retry.count, retry.last = retry.count + 1, now
                return
        self.retries.append(Retry(error, 1, now, now))


class Journal:
    """Writes the journal of one simulated cloud."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._lock = threading.Lock()
        self._seq = max((entry.seq for entry in read(folder)), default=0)

    @contextmanager
    def entry(self, call: str, type: str, name: str, id: str = "", inputs: Any = None) -> Iterator[Entry]:
        """The entry of a call; an exception becomes its outcome and goes on."""
        with self._lock:
            self._seq += 1
            entry = Entry(self._seq, call, type, name, id, inputs or {}, started=time.time())
        try:
            yield entry
        except BaseException as error:
            entry.outcome = str(error) or error.__class__.__name__
            raise
        finally:
            entry.ended = time.time()
            self._write(entry)

    def _write(self, entry: Entry) -> None:
        line = json.dumps(asdict(entry), default=str)
        with self._lock, open(os.open(self._file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "a") as file:
            file.write(line + "\n")


def read(folder: Path) -> list[Entry]:
    """All entries of the simulated cloud in a folder, in the order in which the calls began."""
    file = folder / FILE
    if not file.exists():
        return []
    entries = []
    for line in file.read_text().splitlines():
        raw = json.loads(line)
        entries.append(Entry(**{**raw, "retries": [Retry(**retry) for retry in raw["retries"]]}))
    return sorted(entries, key=lambda entry: entry.seq)
