"""The status command: the sandbox as it is."""

from __future__ import annotations

import json
from pathlib import Path

from sandbox import cluster_view, daemon, report
from sandbox.home import home_of


def status(stack: str, *, as_json: bool) -> int:
    """Shows the sandbox as it is, without starting anything."""
    home = home_of(stack)
    running = daemon.running(home)
    if running and not home.described:
        report.starting(report.console(), home.stack)
        return 0
    described = home.read_daemon() if running else {"pid": None, "ports": {}, "versions": {}, "kubeconfig": None}
    seen = cluster_view.view(Path(described["kubeconfig"])) if running else cluster_view.ClusterView([], [], [])
    if as_json:
        print(json.dumps({"stack": home.stack, "running": running, **described, **seen.as_dict()}, indent=1))
    else:
        report.status(report.console(), home.stack, running, seen, described)
    return 0
