"""What the PathwaysJob controller does for one PathwaysJob."""

from __future__ import annotations

from typing import Any

import httpx2
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource

from pathways.manifests import jobset_of_pathways_job
from sandbox.kubernetes.connection import NOT_FOUND, code_of
from sandbox.pathways_job.status import creation_failed, next_status
from sandbox.pathways_job.work_queue import Key

GROUP = "pathways-job.pathways.domain"
PathwaysJob = create_namespaced_resource(GROUP, "v1", "PathwaysJob", "pathwaysjobs")
JobSet = create_namespaced_resource("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets")


def reconcile(client: Client, key: Key) -> None:
    """Makes the JobSet of a PathwaysJob where there is none, else copies its state; never changes a JobSet.

    As in the original, whatever keeps the JobSet from being read counts as its absence. Raises what keeps it from being
    made, an ApiError or the refusal of the translation, once the PathwaysJob is marked as failed; and ControllerPanic.
    """
    namespace, name = key
    try:
        job = client.get(PathwaysJob, name, namespace=namespace)
    except ApiError as error:
        if code_of(error) == NOT_FOUND:
            return
        raise
    try:
        jobset = client.get(JobSet, name, namespace=namespace)
    except httpx2.HTTPError:
        _create_jobset(client, job)
        return
    conditions = (jobset.get("status") or {}).get("conditions", [])
    status = next_status(job.get("status") or {}, conditions)
    if status is not None:
        _write_status(client, job, status)


def _create_jobset(client: Client, job: Any) -> None:
    try:
        client.create(JobSet.from_dict(_owned(jobset_of_pathways_job(dict(job)), job)))
    except Exception:
        status = job.get("status") or {}
        if status.get("terminalState") != "Failed":
            _write_status(client, job, creation_failed(status))
        raise


def _owned(jobset: dict[str, Any], job: Any) -> dict[str, Any]:
    """The JobSet with its PathwaysJob as owner, so that it goes when the PathwaysJob goes."""
    owner = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "PathwaysJob",
        "name": job["metadata"]["name"],
        "uid": job["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {**jobset, "metadata": {**jobset["metadata"], "ownerReferences": [owner]}}


def _write_status(client: Client, job: Any, status: dict[str, Any]) -> None:
    client.replace(PathwaysJob.Status.from_dict({**job, "status": status}))
