"""Names of container images: which program a pod runs, and at what version."""

from __future__ import annotations

import re

from lightkube.models.core_v1 import Container
from lightkube.resources.core_v1 import Pod

_PARTS = re.compile(r"(?P<path>.*?)(?::(?P<tag>[^/:@]+))?(?:@.*)?")

# The same in kwok's language: the last two words of an image's path, without registry, tag and digest.
PROGRAMS_OF_POD_JQ = '.spec.containers[].image | sub("(:[^/]*)?(@.*)?$"; "") | split("/") | .[-2:] | join("/")'


def program(image: str) -> str:
    """The last two words of an image's path: "jobset/jobset" of "registry.k8s.io/jobset/jobset:v0.11.1"."""
    return "/".join(_part(image, "path").split("/")[-2:])


def version(image: str) -> str:
    """Tag of an image without its leading v, empty where it has none: "0.11.1"."""
    return _part(image, "tag").removeprefix("v")


def container_running(pod: Pod, wanted: str) -> Container | None:
    """The container of a pod whose image is of a program."""
    containers = pod.spec.containers if pod.spec else []
    return next((one for one in containers if program(one.image or "") == wanted), None)


def _part(image: str, name: str) -> str:
    parts = _PARTS.fullmatch(image)
    assert parts is not None  # the path may be anything
    return parts[name] or ""
