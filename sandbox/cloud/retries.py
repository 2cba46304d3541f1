"""How the provider waits for GKE: it tries again, ever more slowly, until its time is up.

Source: resource_container_node_pool.go:895-915 and the retry helper of the plugin SDK, which waits 500 ms at first and
10 s at most between two tries.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sandbox.cloud.options import Options
from sandbox.cloud.refusal import Refusal

_FIRST_MINUTES = 0.5 / 60
_LONGEST_MINUTES = 10 / 60
_LEAST_SECONDS = 0.02
_UNTIMED_SECONDS = 60.0
"""How long to try when nothing takes time (a time scale of 0)."""

Result = TypeVar("Result")


def retried(
    attempt: Callable[[], Result],
    options: Options,
    minutes: float,
    cancelled: threading.Event,
    refused: Callable[[str], None],
) -> Result:
    """The result of the first attempt that is not refused in passing.

    minutes: simulated, after which the last refusal is final. refused: is told of each refusal that was not.
    Raises Refusal.
    """
    deadline = time.monotonic() + (options.seconds(minutes) or _UNTIMED_SECONDS)
    pause = _FIRST_MINUTES
    while True:
        try:
            return attempt()
        except Refusal as refusal:
            if not refusal.passing or time.monotonic() > deadline:
                raise
            refused(refusal.text)
        if cancelled.wait(max(options.seconds(pause), _LEAST_SECONDS)):
            raise Refusal("context canceled")
        pause = min(pause * 2, _LONGEST_MINUTES)
