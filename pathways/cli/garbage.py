"""Garbage collection in a process that ends with its report."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_lying() -> Iterator[None]:
    """Collect no garbage meanwhile, and none of it at the end of the process.

    Pulumi's packages are hundreds of thousands of objects that all live to the end. Looking through them again and
    again as they load, and once more at exit, takes half of the time of a plan.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
