"""Rules about versions: Pathways' images, and the JAX that talks to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pathways.manifests.controller.containers import (
    PROXY_COMPONENT,
    RESOURCE_MANAGER_COMPONENT,
    SIDECAR_COMPONENT,
    WORKER_COMPONENT,
)
from pathways.rules.jobs import PATHWAYS_IMAGE, JobSet, PathwaysJob, is_pathways, job_name
from pathways.rules.kinds import JOBS, PATHWAYS_JOB
from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.values import Value
from pathways.runtime import image_tag

JAX_IN_TAG = re.compile(r"jax[-_]?v?([0-9]+\.[0-9]+\.[0-9]+)")
JAX_IN_COMMAND = re.compile(r"\bjax(?:\[[a-z0-9,_-]*\])?==([0-9]+\.[0-9]+\.[0-9]+)")
LATEST = "latest"


@dataclass(frozen=True)
class Version:
    """The version of one of the parts of a job that must agree. at: where it is written. part: which part.

    tag: of its image; None where the image is named by digest, or it is no image. jax: the JAX version that follows.
    """

    at: Value
    part: str
    tag: str | None
    jax: str | None


def versions(job: Value) -> list[Version]:
    """Return what the job says of the versions of Pathways' parts and of its client."""
    if job.resource.kind == PATHWAYS_JOB:
        return [*_of_components(PathwaysJob(job)), *_of_clients(PathwaysJob(job).pod.main)]
    jobset = JobSet(job)
    containers = [container for each in jobset.jobs for container in each.pod.containers]
    parts = [_of_image(each["image"], str(each["name"].text)) for each in containers if is_pathways(each)]
    clients = [each for head in jobset.heads for each in head.pod.containers if not is_pathways(each)]
    return [*parts, *_of_clients(clients)]


def _of_components(job: PathwaysJob) -> Iterator[Version]:
    """The controller gives every part without an image of its own the job's version as tag."""
    own = {
        component["componentType"].text: component["image"]
        for component in job.spec["customComponents"].items()
        if component["image"].text
    }
    for part in (RESOURCE_MANAGER_COMPONENT, PROXY_COMPONENT, WORKER_COMPONENT):
        if part in own:
            yield _of_image(own[part], part)
        else:
            version = job.spec["pathwaysVersion"]
            tag = (version.text or LATEST) if version.text is not None or version.absent else None
            yield Version(version, part, tag, _jax(tag or ""))
    if SIDECAR_COMPONENT in own:
        yield _of_image(own[SIDECAR_COMPONENT], SIDECAR_COMPONENT)


def _of_image(image: Value, part: str) -> Version:
    reference, digest, _ = (image.text or "").partition("@")
    path, _, tag = reference.rpartition(":")
    if not path or "/" in tag:
        tag = "" if digest or image.text is None else LATEST
    return Version(image, part, tag or None, _jax(tag))


def _of_clients(containers: list[Value]) -> Iterator[Version]:
    """The client's JAX version, where its image's tag or a pip command of it tells."""
    for container in containers:
        image = container["image"]
        if jax := _jax((image.text or "").rpartition("/")[2]):
            yield Version(image, f"the client {container['name']}", None, jax)
        for key in ("command", "args"):
            for argument in container[key].items():
                if found := JAX_IN_COMMAND.search(argument.text or ""):
                    yield Version(argument, f"the client {container['name']}", None, found[1])


def _jax(text: str) -> str | None:
    found = JAX_IN_TAG.search(text)
    return found[1] if found else None


@resource_rule(
    "pathways-version-pinned",
    Severity.ERROR,
    [*JOBS],
    remedy=f"Write the tag {image_tag('X.Y.Z')}, with the JAX version of the job, or a digest.",
    source="PathwaysJob controller v0.1.4: no version becomes the tag latest, pulled at every start",
    mild_when="the environment is dev, or a tag of Pathways' own images tells no JAX version",
)
def versions_are_pinned(job: Value, context: Context) -> Iterator[Problem]:
    """Pathways' images have a version: with the tag `latest`, which is pulled at every start, resource manager, proxy
    and workers differ after a restart.
    """
    told: set[tuple[str | int, ...]] = set()
    for version in versions(job):
        if version.at.path in told or version.tag is None:
            continue
        told.add(version.at.path)
        of_pathways = version.at.path[-1] == "pathwaysVersion"
        if version.tag == LATEST:
            what = "Pathways' images are" if of_pathways else f"{version.part} is"
            yield Problem(
                version.at,
                f"No version: {what} of the tag {LATEST}.",
                severity=None if context.prod else Severity.WARNING,
            )
        elif version.jax is None and (of_pathways or PATHWAYS_IMAGE.search(version.at.text or "")):
            yield Problem(version.at, f"The tag {version.tag} tells no JAX version.", severity=Severity.WARNING)


@resource_rule(
    "pathways-versions-agree",
    Severity.ERROR,
    [*JOBS],
    remedy="Take one JAX version for all images of Pathways and for the client.",
    source='Pathways: "failed to agree on the protocol version"; pathwaysutils compares JAX versions',
)
def versions_agree(job: Value, context: Context) -> Iterator[Problem]:
    """Resource manager, proxy, workers, sidecar and client are of one JAX version, the one that the stack declares:
    otherwise they fail to agree on the protocol version.
    """
    found = versions(job)
    model = next((version for version in found if version.jax), None)
    told: set[tuple[str | int, ...]] = set()
    for version in found:
        if version.jax is None or version.at.path in told:
            continue
        told.add(version.at.path)
        declared = context.jax_of_jobs.get(job_name(job), context.jax)
        if declared and version.jax != declared:
            yield Problem(version.at, f"{version.part} has JAX {version.jax}, the stack declares {declared}.")
        elif model and version.jax != model.jax:
            yield Problem(version.at, f"{version.part} has JAX {version.jax}, {model.part} has {model.jax}.")
    if model is None:
        yield from _different_tags(found)


def _different_tags(found: list[Version]) -> Iterator[Problem]:
    """Where no tag tells a JAX version, Pathways' own images must at least have the same tag."""
    tags = [version for version in found if version.tag and PATHWAYS_IMAGE.search(version.at.text or "")]
    for version in tags[1:]:
        if version.tag != tags[0].tag:
            message = f"{version.part} has the tag {version.tag}, {tags[0].part} has {tags[0].tag}."
            yield Problem(version.at, message)
