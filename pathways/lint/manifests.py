"""From YAML to resources that know the lines they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pathways.documents import Document, Path, Reader, UnreadableDocument, read_documents
from pathways.resources import Resource, kubernetes_type
from pathways.rules import Severity
from pathways.wording import did_you_mean, nearest, on_one_line, quoted, sentence

UNREADABLE = "unreadable-file"
NO_MANIFEST = "no-manifest"
UNKNOWN_KIND = "unknown-kind"

FAULTS: Mapping[str, str] = {
    UNREADABLE: "A file is YAML that can be read: UTF-8, without a key that comes twice, of bounded size and depth.",
    NO_MANIFEST: "A document is a manifest: a mapping with kind, apiVersion and metadata.",
    UNKNOWN_KIND: "Kind and API version of a manifest exist together.",
}
"""What a file can be at fault with before any rule sees it, and what must hold instead."""


class Api(NamedTuple):
    """The group and the versions in which a kind is served. alone: whether the group has no other kind."""

    group: str
    versions: tuple[str, ...]
    alone: bool


KINDS: Mapping[str, Api] = {
    "PathwaysJob": Api("pathways-job.pathways.domain", ("v1",), alone=True),
    "JobSet": Api("jobset.x-k8s.io", ("v1alpha2",), alone=True),
    "PriorityClass": Api("scheduling.k8s.io", ("v1",), alone=False),
    "ClusterQueue": Api("kueue.x-k8s.io", ("v1beta1", "v1beta2"), alone=False),
    "LocalQueue": Api("kueue.x-k8s.io", ("v1beta1", "v1beta2"), alone=False),
    "ResourceFlavor": Api("kueue.x-k8s.io", ("v1beta1", "v1beta2"), alone=False),
}


@dataclass(frozen=True)
class Remark:
    """Something to say about a line. resource: kind and name, "" where there is none. path: as people write it."""

    file: str
    line: int
    severity: Severity
    rule: str
    resource: str
    path: str
    message: str
    remedy: str


@dataclass(frozen=True)
class Manifest:
    """A resource of a kind that rules know, and where it stands. root: its path in the document."""

    resource: Resource
    file: str
    document: Document
    root: Path

    def line(self, path: Path) -> int:
        """Return the line of a value of the resource, or of what is around it where it is absent."""
        return self.document.line((*self.root, *path))


@dataclass(frozen=True)
class _Place:
    """A manifest-to-be: where it stands."""

    file: str
    document: Document
    root: Path

    def remark(self, rule: str, message: str, *path: str, severity: Severity = Severity.ERROR) -> Remark:
        line = self.document.line((*self.root, *path))
        return Remark(self.file, line, severity, rule, "", ".".join(path), message, "")


def read_manifests(file: str, content: bytes) -> Iterator[Manifest | Remark]:
    """Yield the manifests of a file that are of a known kind, and what is wrong with others.

    Kinds that have nothing to do with TPU jobs are passed over. A List is read as the manifests that are in it.
    """
    try:
        documents = read_documents(content, Reader.KUBERNETES)
    except UnreadableDocument as error:
        message = on_one_line(f"{error.problem[:1].upper()}{error.problem[1:]}.")
        line = min(error.line, max(len(content.splitlines()), 1))  # what is missing at the end is on no line
        yield Remark(file, line, Severity.ERROR, UNREADABLE, "", "", message, "")
        return
    for document in documents:
        for root, value in _manifests_in(document.value, ()):
            yield from _read(_Place(file, document, root), value)


def _manifests_in(value: Any, root: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value.get("kind") == "List" and isinstance(value.get("items"), list):
        for index, item in enumerate(value["items"]):
            yield from _manifests_in(item, (*root, "items", index))
    else:
        yield root, value


def _read(place: _Place, value: Any) -> Iterator[Manifest | Remark]:
    if not isinstance(value, dict):
        yield place.remark(NO_MANIFEST, "No manifest: a mapping with kind, apiVersion and metadata is wanted.")
        return
    kind, api_version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str):
        yield place.remark(NO_MANIFEST, "kind is missing, or is no text.", "kind")
    elif kind in KINDS:
        yield from _fault_of_version(place, kind, api_version)
        group, versions, _ = KINDS[kind]
        name = value.get("metadata", {}).get("name") if isinstance(value.get("metadata"), dict) else None
        resource = Resource(
            type=kubernetes_type(f"{group}/{versions[0]}", kind),
            name=name if isinstance(name, str) else "(without a name)",
            properties=value,
        )
        yield Manifest(resource, place.file, place.document, place.root)
    else:
        yield from _fault_of_kind(place, kind, api_version)


def _fault_of_version(place: _Place, kind: str, api_version: Any) -> Iterator[Remark]:
    group, versions, _ = KINDS[kind]
    legal = [f"{group}/{version}" for version in versions]
    if api_version not in legal:
        shown = quoted(api_version) if isinstance(api_version, str) else "missing"
        message = f"apiVersion is {shown}; a {kind} has {' or '.join(legal)}."
        yield place.remark(UNKNOWN_KIND, message, "apiVersion")


def _fault_of_kind(place: _Place, kind: str, api_version: Any) -> Iterator[Remark]:
    """Yield a complaint about a kind that is not known and looks like one that is."""
    group = api_version.partition("/")[0] if isinstance(api_version, str) else ""
    served = [known for known, api in KINDS.items() if api.group == group and api.alone]
    if served:
        message = f"{quoted(kind)} is no kind of {group}; legal: {', '.join(served)}."
        yield place.remark(UNKNOWN_KIND, message, "kind")
    elif near := nearest(kind, KINDS, cutoff=0.85):
        message = sentence(f"{quoted(kind)} is no kind that is known here{did_you_mean(near)}")
        yield place.remark(UNKNOWN_KIND, message, "kind", severity=Severity.WARNING)
