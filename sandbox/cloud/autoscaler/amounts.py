"""Amounts of CPU, memory, TPU chips and pods, in thousandths, so that they are whole numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pathways.quantities import parse_quantity

Amounts = Mapping[str, int]
"""Thousandths of a resource by its name, such as {"cpu": 500, "google.com/tpu": 4000}."""


def amounts(written: Mapping[str, Any] | None) -> Counter[str]:
    """Amounts of a Kubernetes resource list."""
    return Counter({name: _thousandths(quantity) for name, quantity in (written or {}).items()})


@lru_cache(maxsize=4096)
def _thousandths(quantity: object) -> int:
    return math.ceil((parse_quantity(quantity) or 0) * 1000)
