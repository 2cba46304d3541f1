"""Where a job's logs are: queries for Cloud Logging.

Source: GKE documentation, Multislice, "Cloud Logging logs"; names of pods: JobSet 0.11.1 and 0.12.0, as they run.
"""

from __future__ import annotations

import shlex
from urllib.parse import quote

from pathways.manifests.controller.jobset import HEAD, WORKERS
from pathways.manifests.multislice_jobset import SLICE
from pathways.settings import PathwaysWorkload, StackSettings, Workload


def log_query(
    settings: StackSettings,
    workload: Workload,
    *,
    head: bool = False,
    slice_: int | None = None,
    worker: int | None = None,
) -> str:
    """Return the query for all containers of a job, or of its head, or of one slice, or of one worker of one.

    slice_, worker: counted from 0.
    """
    lines = [
        'resource.type="k8s_container"',
        f'resource.labels.project_id="{settings.project}"',
        f'resource.labels.location="{settings.region}"',
        f'resource.labels.cluster_name="{settings.cluster.name}"',
        f'resource.labels.namespace_name="{settings.namespace}"',
        f'labels."k8s-pod/jobset_sigs_k8s_io/jobset-name"="{workload.name}"',
    ]
    if pods := _pods(workload, head, slice_, worker):
        lines.append(f'resource.labels.pod_name=~"^{pods}-"')
    return "\n".join(lines)


def read_command(settings: StackSettings, query: str) -> str:
    """Return the command that prints what a query finds."""
    text = " AND ".join(query.splitlines())
    return f"gcloud logging read {shlex.quote(text)} --project {settings.project} --order asc --freshness 1d"


def console_url(settings: StackSettings, query: str) -> str:
    """Return the address of the Logs Explorer with a query."""
    return f"https://console.cloud.google.com/logs/query;query={quote(query, safe='')}?project={settings.project}"


def _pods(workload: Workload, head: bool, slice_: int | None, worker: int | None) -> str:
    """Return what the names of the wanted pods begin with; nothing where all are wanted."""
    if head:
        return f"{workload.name}-{HEAD}"
    if slice_ is None and worker is None:
        return ""
    role = WORKERS if isinstance(workload, PathwaysWorkload) else SLICE
    index = "[0-9]+" if slice_ is None else str(slice_)
    return "-".join([workload.name, role, index, *([] if worker is None else [str(worker)])])
