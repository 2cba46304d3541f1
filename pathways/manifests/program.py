"""What a job's program is told in its environment."""

from __future__ import annotations

from typing import Any

from pathways.settings import MultisliceWorkload, PathwaysWorkload, StackSettings, Workload
from pathways.settings.pathways_workload import Profiling

LOADER_WORKERS = "DATA_LOADER_WORKERS"
"""Processes of a data loader at most: in a container os.cpu_count() tells the CPUs of the whole node.

Source: Google Cloud documentation, Port JAX workloads to Pathways, "Data loading".
"""
MINIMUM_SLICES = "MINIMUM_SLICE_COUNT"
"""What pathwaysutils' elastic_retry is given as minimum_slice_count."""
PROFILES = "profiles"
"""Folder of profiles below the scratch location, where they have no place of their own."""
CHECKPOINT_LOCATION = "CHECKPOINT_LOCATION"
PROFILE_LOCATION = "PROFILE_LOCATION"
"""The job's own folders, as gs://BUCKET/FOLDER."""


def program_variables(settings: StackSettings, workload: PathwaysWorkload) -> dict[str, Any]:
    """Return the variables of a batch job's own container, but for those that Pathways sets."""
    variables: dict[str, Any] = {LOADER_WORKERS: str(workload.resources.cpus), **_of_any(settings, workload)}
    variables.update(_place_of_profiles(settings, workload))
    if workload.elastic:
        variables[MINIMUM_SLICES] = str(workload.minimum_slices)
    if workload.persistence:
        variables["ENABLE_PATHWAYS_PERSISTENCE"] = "1"
    if workload.proxy_timeout_seconds:
        variables["PATHWAYS_PROXY_CONNECTION_TIMEOUT_SECS"] = str(workload.proxy_timeout_seconds)
    if workload.profiling:
        variables.update(_profiler(settings, workload.profiling))
    return variables


def host_variables(settings: StackSettings, workload: MultisliceWorkload) -> dict[str, Any]:
    """Return the variables of a program that runs on every host. Which of them it is, GKE tells it.

    Off the host network it has no right to write profiles: only nodes have rights on the scratch bucket.
    """
    cpus = workload.resources.cpus
    variables = {**({LOADER_WORKERS: str(cpus)} if cpus else {}), **_of_any(settings, workload)}
    return {**variables, **(_place_of_profiles(settings, workload) if workload.host_network else {})}


def _of_any(settings: StackSettings, job: Workload) -> dict[str, str]:
    """MaxText reads ENABLE_AUTOCHECKPOINT. Source: Cloud TPU documentation, Autocheckpoint."""
    variables = {"ENABLE_AUTOCHECKPOINT": "true"} if job.autocheckpoint else {}
    if settings.checkpoints:
        variables[CHECKPOINT_LOCATION] = settings.checkpoints.location_of(job.name)
    return variables


def _place_of_profiles(settings: StackSettings, job: Workload) -> dict[str, str]:
    place = settings.scratch.profile_location
    return {PROFILE_LOCATION: f"{place}/{job.name}"} if place else {}


def _profiler(settings: StackSettings, profiling: Profiling) -> dict[str, Any]:
    """Return what guards pathwaysutils' profiler server, which by itself listens everywhere and asks for nothing."""
    place = settings.scratch.profile_location or f"{settings.scratch.location}/{PROFILES}"
    locations = profiling.locations or [place]
    variables: dict[str, Any] = {"PATHWAYS_PROFILING_ALLOWED_GCS_BUCKETS": ",".join(locations)}
    if profiling.token is None:
        return {"PATHWAYS_PROFILING_SERVER_HOST": "127.0.0.1", **variables}
    reference = {"name": profiling.token.secret, "key": profiling.token.key}
    return {**variables, "PATHWAYS_PROFILING_AUTH_TOKEN": {"valueFrom": {"secretKeyRef": reference}}}
