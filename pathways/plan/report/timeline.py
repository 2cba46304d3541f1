"""Node pool operations over time, a row for each lane."""

from __future__ import annotations

from pathways.plan.operations import PoolOperation, Schedule
from pathways.plan.report.markup import Markup, element

WIDTH = 1080.0
_LABEL, _ROW, _AXIS, _LETTER = 60.0, 26.0, 24.0, 6.6
_TICKS = 12
"""Marks on the axis at most."""


def timeline(schedule: Schedule) -> Markup:
    """Return the picture; time runs from left to right, in minutes."""
    scale = (WIDTH - _LABEL - 8) / max(schedule.ends, 1.0)
    lanes = schedule.lanes
    height = len(lanes) * _ROW + _AXIS
    bars = [
        _bar(operation, scale, number * _ROW) for number, operations in enumerate(lanes) for operation in operations
    ]
    labels = [
        element("text", f"lane {number + 1}", x=0, y=number * _ROW + 17, class_="small") for number in range(len(lanes))
    ]
    return element(
        "svg",
        element("title", "When each node pool operation begins and ends"),
        *labels,
        *_wait(schedule.pools_start * scale, len(lanes) * _ROW),
        *bars,
        *_axis(schedule.ends, scale, len(lanes) * _ROW),
        viewbox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        class_="picture",
    )


def _wait(width: float, height: float) -> list[Markup]:
    """Return what stands for the time before the first node pool."""
    if not width:
        return []
    return [
        element("rect", x=_LABEL, y=3, width=width - 2, height=height - 6, rx=4, class_="bar before"),
        element("text", "network, cluster", x=_LABEL + 8, y=17, class_="small quiet"),
    ]


def _bar(operation: PoolOperation, scale: float, top: float) -> Markup:
    left, width = _LABEL + operation.starts * scale, max((operation.ends - operation.starts) * scale - 2, 1.0)
    label = operation.pool if operation.operation == "create" else f"{operation.operation} {operation.pool}"
    told = f"{operation.operation} {operation.pool}: minute {operation.starts:g} to {operation.ends:g}"
    kind = "made" if operation.operation == "create" else "lost" if operation.operation == "delete" else "edited"
    fits = int((width - 8) / _LETTER)
    shown = label if len(label) <= fits else f"{label[: fits - 1]}…" if fits > 3 else ""
    return element(
        "g",
        element("title", told),
        element("rect", x=left, y=top + 3, width=width, height=_ROW - 6, rx=4, class_=f"bar {kind}"),
        element("text", shown, x=left + 5, y=top + 17, class_="small"),
    )


def _axis(end: float, scale: float, top: float) -> list[Markup]:
    step = next((step for step in (1, 2, 5, 10, 15, 30, 60, 120, 240) if end / step <= _TICKS), 480)
    return [
        element("text", f"{minute} min", x=_LABEL + minute * scale, y=top + 16, class_="small quiet")
        for minute in range(0, int(end) + 1, step)
        if _LABEL + minute * scale < WIDTH - 30
    ]
