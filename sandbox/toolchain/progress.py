"""Showing how far the builds are: a live table on a terminal, plain lines elsewhere.

All of it goes to standard error, so that a command's own output stays clean.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.table import Table


class Phase(StrEnum):
    WAITING = "waiting"
    DOWNLOADING = "downloading"
    COMPILING = "compiling"
    DONE = "done"
    CACHED = "cached"
    FAILED = "failed"


_AT_WORK = (Phase.DOWNLOADING, Phase.COMPILING)
_STYLES = {Phase.DONE: "green", Phase.CACHED: "green", Phase.FAILED: "red", Phase.COMPILING: "bold"}


@dataclass
class Row:
    """One program. since: when its phase began, on the monotonic clock. detail: a few words on how far it is."""

    name: str
    phase: Phase
    since: float
    detail: str = ""

    @property
    def seconds(self) -> int:
        return round(time.monotonic() - self.since)


class Progress:
    """Keeps a row for each program and shows nothing; what shows something builds on it.

    Entered for the time of the builds; may be told of changes from several threads.
    """

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def expect(self, names: Iterable[str]) -> None:
        """Says which programs there are to be shown, all of them waiting."""
        self.rows = {name: Row(name, Phase.WAITING, time.monotonic()) for name in names}

    def enter_phase(self, name: str, phase: Phase, detail: str = "") -> None:
        self.rows[name] = Row(name, phase, time.monotonic(), detail)

    def advance(self, name: str, detail: str) -> None:
        """Says how far a program is within its phase."""
        self.rows[name].detail = detail

    def note(self, text: str) -> None:
        """Says something that is not about one program."""


class PlainProgress(Progress):
    """A line when a program begins or ends a phase, and one every half minute in between."""

    def __init__(self, stream: TextIO, heartbeat: float = 30) -> None:
        super().__init__()
        self._stream = stream
        self._heartbeat = heartbeat
        self._over = threading.Event()
        self._beating = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._beating.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._beating.join()

    def enter_phase(self, name: str, phase: Phase, detail: str = "") -> None:
        super().enter_phase(name, phase, detail)
        self.note(f"{name}: {phase}{detail and f', {detail}'}")

    def note(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def _beat(self) -> None:
        while not self._over.wait(self._heartbeat):
            for row in list(self.rows.values()):
                if row.phase in _AT_WORK:
                    self.note(f"{row.name}: still {row.phase} after {row.seconds} s{row.detail and f', {row.detail}'}")


class LiveProgress(Progress):
    """A table on a terminal, one row for each program, drawn anew four times a second."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        super().__init__()
        self._console = Console(stderr=True)
        self._live = Live(console=self._console, get_renderable=self._table, refresh_per_second=4)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def note(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False)

    def _table(self) -> Table:
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        for row in list(self.rows.values()):
            elapsed = f"{row.seconds} s" if row.phase in _AT_WORK else ""
            table.add_row(row.name, f"[{_STYLES.get(row.phase, 'dim')}]{row.phase}[/]", elapsed, row.detail)
        return table


def progress_for_stderr() -> Progress:
    """What suits standard error: the live table where a person watches, plain lines where not."""
    return LiveProgress() if sys.stderr.isatty() else PlainProgress(sys.stderr)
