"""Amounts as Kubernetes writes them: "500m" of a CPU, "32G" or "100Gi" of memory."""

from __future__ import annotations

import re
from fractions import Fraction

_QUANTITY = re.compile(
    r"([-+]?)([0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:([KMGTPE]i|[numkMGTPE])|[eE]([-+]?[0-9]{1,3}))?"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {suffix: 1024 ** (index + 1) for index, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}


def parse_quantity(written: object) -> Fraction | None:
    """Return the amount that a text or a number means, or None where it means none.

    Source: Kubernetes, k8s.io/apimachinery/pkg/api/resource, Quantity.
    """
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        return None
    found = _QUANTITY.fullmatch(str(written))
    if not found:
        return None
    sign, digits, suffix, exponent = found.groups()
    amount = Fraction(digits.rstrip(".")) if not digits.startswith(".") else Fraction(f"0{digits}")
    if suffix in _BINARY:
        amount *= _BINARY[suffix]
    else:
        amount *= Fraction(10) ** (int(exponent) if exponent else _DECIMAL.get(suffix, 0))
    return -amount if sign == "-" else amount


def binary_quantity(mebibytes: int) -> str:
    """Return an amount of memory as Kubernetes itself writes it: by the largest unit that needs no fraction.

    An API server that writes another one than was sent makes every deployment see a change.
    """
    amount, units = mebibytes, ["Mi", "Gi", "Ti", "Pi"]
    while amount and amount % 1024 == 0 and len(units) > 1:
        amount, units = amount // 1024, units[1:]
    return f"{amount}{units[0]}"
