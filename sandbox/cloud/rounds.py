"""What somebody in the cloud does by looking again and again whether there is something to do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from sandbox.cloud.options import OptionsError
from sandbox.cloud.refusal import Refusal

TICK_SECONDS = 1.0
LONGEST_TICK_SECONDS = 10.0
REST = 10.0
"""How much longer than a look the pause after it is, at least: in a large cluster a look is no small thing."""

STOP_SECONDS = 5.0

Act = Callable[[], None]

_log = logging.getLogger(__name__)


class Rounds:
    """Looks, and acts on what was seen, in a thread of its own from start() to stop().

    name: whose rounds they are. look: returns what is to be done now, all of it at once. What is refused is in the
    journal.
    """

    def __init__(self, name: str, look: Callable[[], Sequence[Act]]) -> None:
        self._name = name
        self._look = look
        self._told = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Begins nothing more; what has been begun is left to the cloud's operations."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        pause = TICK_SECONDS
        while not self._stop.wait(pause):
            began = time.monotonic()
            acts: Sequence[Act] = ()
            try:
                acts = self._look()
                self._told = ""
            except Exception as error:  # the cluster may be going; the next look may do better
                if str(error) != self._told and not self.stopping:
                    self._told = str(error)
                    _log.warning("%s: %s", self._name, error, exc_info=True)
            pause = max(TICK_SECONDS, min(REST * (time.monotonic() - began), LONGEST_TICK_SECONDS))
            _in_parallel(acts)


def _in_parallel(acts: Sequence[Act]) -> None:
    """Acts in threads that do not keep the process from ending."""

    def attempt(act: Act) -> None:
        with suppress(Refusal, OptionsError):
            act()

    threads = [threading.Thread(target=attempt, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
