"""jobset FILE: the bare function of the PathwaysJob controller, without admission."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.documents import Reader, UnreadableDocument, read_documents
from pathways.manifests.controller import ControllerRefusal, jobset_of_pathways_job


def run(file: str) -> None:
    """Print the JobSet of every PathwaysJob in the file; what else is in it is passed over."""
    try:
        documents = read_documents(_content(file), Reader.KUBERNETES)
    except UnreadableDocument as error:
        raise CouldNotLook(f"{file}: {error}") from None
    jobs = [
        each.value for each in documents if isinstance(each.value, dict) and each.value.get("kind") == "PathwaysJob"
    ]
    if not jobs:
        raise CouldNotLook(f"{file}: no PathwaysJob in it")
    try:
        jobsets = [jobset_of_pathways_job(job) for job in jobs]
    except ControllerRefusal as error:
        raise FoundWanting(f"{file}: the controller makes no JobSet: {error}") from None
    print(yaml.dump_all(jobsets, Dumper=_Dumper, sort_keys=True, width=120), end="")


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes equal parts out each time: anchors and aliases are for machines."""

    def ignore_aliases(self, _data: object) -> bool:
        return True


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CouldNotLook(f"{file}: {error.strerror}") from None
