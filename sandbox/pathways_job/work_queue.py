"""Keys that wait to be worked on, each at most once, those that failed ever later."""

from __future__ import annotations

import threading
import time

Key = tuple[str, str]
"""Namespace and name."""

FIRST_DELAY_SECONDS = 0.005
LONGEST_DELAY_SECONDS = 1000.0


class WorkQueue:
    """A queue for one worker; the delays between tries are those of controller-runtime."""

    def __init__(self) -> None:
        self._due: dict[Key, float] = {}
        self._failures: dict[Key, int] = {}
        self._changed = threading.Condition()

    def add(self, key: Key) -> None:
        """Something happened to the key: it is due now."""
        with self._changed:
            self._due[key] = time.monotonic()
            self._changed.notify()

    def take(self) -> Key:
        """Waits for the key that is due first and hands it out."""
        with self._changed:
            while True:
                key = min(self._due, key=self._due.__getitem__, default=None)
                wait = None if key is None else self._due[key] - time.monotonic()
                if key is not None and wait is not None and wait <= 0:
                    del self._due[key]
                    return key
                self._changed.wait(wait)

    def succeeded(self, key: Key) -> None:
        with self._changed:
            self._failures.pop(key, None)

    def failed(self, key: Key) -> float:
        """The key comes again after a delay that doubles with each failure; returns the delay in seconds."""
        with self._changed:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            delay = min(FIRST_DELAY_SECONDS * 2.0 ** min(failures - 1, 30), LONGEST_DELAY_SECONDS)
            self._due[key] = min(self._due.get(key, float("inf")), time.monotonic() + delay)
            self._changed.notify()
            return delay
