"""guard PREVIEW: stops a pipeline whose preview takes away a cluster, a TPU pool or a bucket."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.guard import UnreadablePreview, read_preview


def run(file: str, allowed: Collection[str]) -> None:
    """Print what goes by permission. Raises FoundWanting with what goes without, CouldNotLook where that is unknown."""
    try:
        preview = read_preview(_content(file))
    except UnreadablePreview as error:
        raise CouldNotLook(f"{file}: {error}") from None
    refused = [danger for danger in preview.dangers if not danger.allowed_by(allowed)]
    if refused:
        raise FoundWanting("\n".join(f"{danger}; if that is meant: --allow {danger.name}" for danger in refused))
    if preview.failures:
        raise CouldNotLook(f"{file}: the preview failed: {preview.failures[0]}")
    for danger in preview.dangers:
        print(f"allowed: {danger}")
    if not preview.dangers:
        print("no cluster, TPU pool or bucket is replaced or deleted")


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CouldNotLook(f"{file}: {error.strerror}") from None
