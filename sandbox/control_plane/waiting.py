"""Waiting for what another process brings about."""

from __future__ import annotations

import time
from collections.abc import Callable


class WaitedTooLong(Exception):
    """Something did not come about in time; the message says what."""


def wait_until(met: Callable[[], bool], what: str, seconds: float, every: float = 0.1) -> None:
    """Returns once met() is true, asked every `every` seconds. Raises WaitedTooLong("WHAT ...") after `seconds`."""
    deadline = time.monotonic() + seconds
    while not met():
        if time.monotonic() > deadline:
            raise WaitedTooLong(f"{what}: not within {seconds:.0f} s")
        time.sleep(every)
