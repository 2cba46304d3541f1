"""A job's own container, and what its pod mounts for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pathways.manifests.objects import Manifest
from pathways.settings import Job, Secret
from pathways.settings.containers import Mount, Pods

SHARED_MEMORY = "shared-memory"


def main_container(name: str, job: Job, variables: Mapping[str, Any], resources: Manifest) -> Manifest:
    """Return the container. variables: what the product tells the program, unless the job's own say it otherwise.

    Secrets among the job's own variables stay as they are written in the stack file.
    """
    own = {key: plain_value(value) for key, value in job.env.items()}
    container: Manifest = {"name": name, "image": job.image}
    if job.command:
        container["command"] = list(job.command)
    if job.args:
        container["args"] = list(job.args)
    if env := [variable(key, value) for key, value in {**variables, **own}.items()]:
        container["env"] = env
    container["resources"] = resources
    if job.mounts:
        container["volumeMounts"] = [_mounted(mount, job.mounts) for mount in job.mounts]
    return container


def variable(name: str, value: Any) -> Manifest:
    """Return an environment variable. value: its text, or where Kubernetes takes it from."""
    return {"name": name, **(value if isinstance(value, dict) and "valueFrom" in value else {"value": value})}


def plain_value(value: str | Secret) -> Any:
    return {"secure": value.secure} if isinstance(value, Secret) else value


def share_memory(pod: Manifest, size: str | None, *containers: Manifest) -> None:
    """Give containers of a pod a /dev/shm in common. size: at most, as Kubernetes writes it; None for no limit."""
    volume = {"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory", **({"sizeLimit": size} if size else {})}}
    pod["volumes"] = [*pod.get("volumes", ()), volume]
    for container in containers:
        mount = {"name": SHARED_MEMORY, "mountPath": "/dev/shm"}
        container["volumeMounts"] = [*container.get("volumeMounts", ()), mount]


def pull(job: Job, pod: Manifest) -> None:
    """Say how the images of a pod are pulled, where the job says so."""
    if job.image_pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in job.image_pull_secrets]
    if job.image_pull_policy:
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            container["imagePullPolicy"] = job.image_pull_policy


def placement(pods: Pods) -> Manifest:
    """Return what a pod's spec says of its service account and of the taints that it puts up with."""
    placed: Manifest = {}
    if pods.service_account:
        placed["serviceAccountName"] = pods.service_account
    if pods.tolerations:
        placed["tolerations"] = [
            each.model_dump(by_alias=True, exclude_none=True, mode="json") for each in pods.tolerations
        ]
    return placed


def volumes(job: Job) -> Iterator[Manifest]:
    """Yield the volumes of the job's mounts."""
    for number, (claim, secret, config_map) in enumerate(_sources(job.mounts)):
        if claim:
            source: Manifest = {"persistentVolumeClaim": {"claimName": claim}}
        elif secret:
            source = {"secret": {"secretName": secret}}
        else:
            source = {"configMap": {"name": config_map}}
        yield {"name": f"mount-{number}", **source}


def _sources(mounts: list[Mount]) -> list[tuple[str | None, str | None, str | None]]:
    """Return where mounts come from, each source once. Volumes are numbered: names of their sources can be too long."""
    return list(dict.fromkeys(_source(mount) for mount in mounts))


def _source(mount: Mount) -> tuple[str | None, str | None, str | None]:
    return mount.claim, mount.secret, mount.config_map


def _mounted(mount: Mount, mounts: list[Mount]) -> Manifest:
    mounted: Manifest = {"name": f"mount-{_sources(mounts).index(_source(mount))}", "mountPath": mount.path}
    return {**mounted, "readOnly": True} if mount.read_only else mounted
