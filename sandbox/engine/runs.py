"""Runs of the engine in a sandbox: up, preview, refresh, destroy; each told step by step."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pulumi.automation.errors import CommandError

from sandbox.engine.events import Events


@dataclass(frozen=True)
class Run:
    """How a run of the engine ended. seconds: of the engine alone. errors: one text a fault, none if it went well."""

    events: Events
    seconds: float
    errors: list[str]

    @property
    def ok(self) -> bool:
        return not self.errors


class Operation(Protocol):
    """One of the stack's methods up, preview, refresh and destroy."""

    def __call__(self, *, on_event: Callable[..., Any], on_output: Callable[[str], Any], **options: Any) -> Any: ...


def run(operation: Operation, events: Events, log: Path, **options: Any) -> Run:
    """Runs the engine; its whole text goes to the log file, a failure to the result."""
    started = time.monotonic()
    errors: list[str] = []
    with log.open("a") as text, _interrupt_left_to_engine() as interrupted:
        try:
            operation(on_event=events, on_output=lambda line: text.write(line + "\n"), **options)
        except CommandError as error:
            text.write(str(error))
            errors = events.errors or [last_words(str(error))]
    if interrupted.is_set() and not errors:
        errors = ["interrupted"]  # the engine counts a destruction that it was told to stop as done
    return Run(events, time.monotonic() - started, errors)


@contextmanager
def _interrupt_left_to_engine() -> Iterator[threading.Event]:
    """Ctrl-C reaches the engine as it reaches us: it ends what is under way and saves the state, so wait for that."""
    interrupted = threading.Event()

    def hear(*_: object) -> None:
        interrupted.set()
        print("stopping after what is under way; once more: at once", file=sys.stderr)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def last_words(output: str) -> str:
    """The line of the engine's output that says what went wrong."""
    spoken = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in reversed(spoken) if "error:" in line), spoken[-1] if spoken else "the engine stopped")
