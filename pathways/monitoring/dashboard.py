"""The dashboard of a stack.

Source: Cloud Monitoring API, Dashboard: mosaicLayout, xyChart, timeSeriesQuery.prometheusQuery.
"""

from __future__ import annotations

from typing import Any

from pathways.monitoring.queries import Queries, node_pool_errors
from pathways.settings import StackSettings

COLUMNS = 48
WIDTH, HEIGHT = 24, 16

Widget = dict[str, Any]


def dashboard(settings: StackSettings) -> dict[str, Any]:
    """Return the dashboard as the API takes it in JSON: jobs, chips, heads, nodes, and what GKE could not do."""
    queries = Queries.of(settings)
    widgets = [
        _chart("Jobs: slices and heads that are ready", queries.ready_replicas),
        _chart("Jobs: slices and heads that are missing", queries.missing_replicas),
        _chart("Jobs: restarts of the whole", queries.restarts()),
        _chart("Chips: percent of the time that they compute", queries.duty_cycle),
        _chart("Heads: share of their memory", queries.head_memory),
        _chart("Nodes that are ready, by node pool", queries.ready_nodes),
        {
            "title": "Node pools: what GKE could not do",
            "logsPanel": {"filter": node_pool_errors(settings), "resourceNames": [f"projects/{settings.project}"]},
        },
    ]
    return {
        "displayName": f"Pathways: {settings.cluster.name}",
        "mosaicLayout": {"columns": COLUMNS, "tiles": [_tile(*numbered) for numbered in enumerate(widgets)]},
    }


def _tile(number: int, widget: Widget) -> dict[str, Any]:
    """Return the widget with its place. The API leaves out a 0, and the provider would take that for a change."""
    place = {"xPos": WIDTH * (number % 2), "yPos": HEIGHT * (number // 2)}
    return {**{axis: at for axis, at in place.items() if at}, "width": WIDTH, "height": HEIGHT, "widget": widget}


def _chart(title: str, query: str) -> Widget:
    series = {"timeSeriesQuery": {"prometheusQuery": query}, "plotType": "LINE", "targetAxis": "Y1"}
    return {"title": title, "xyChart": {"dataSets": [series]}}
