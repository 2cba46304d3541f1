"""Runs of the engine in a sandbox: up, preview, refresh, destroy; each told step by step."""

from __future__ import annotations

import signal
import sys
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
    with log.open("a") as text, _interrupt_left_to_engine():
        try:
            operation(on_event=events, on_output=lambda line: text.write(line + "\n"), **options)
        except CommandError as error:
            text.write(str(error))
            errors = events.errors or [_last_words(str(error))]
    return Run(events, time.monotonic() - started, errors)


@contextmanager
def _interrupt_left_to_engine() -> Iterator[None]:
    """Ctrl-C reaches the engine as it reaches us: it ends what is under way and saves the state, so wait for that."""
    told = signal.signal(
        signal.SIGINT, lambda *_: print("stopping after what is under way; once more: at once", file=sys.stderr)
    )
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, told)


def _last_words(output: str) -> str:
    spoken = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in reversed(spoken) if "error:" in line), spoken[-1] if spoken else "the engine stopped")
