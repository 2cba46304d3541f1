"""Files that only their owner may read: keys, tokens and what holds them."""

from __future__ import annotations

import os
from pathlib import Path


def write_private(path: Path, content: str | bytes) -> None:
    """Writes a file with mode 0600 in one step: a reader sees the old content or the new, never half of it."""
    data = content.encode() if isinstance(content, str) else content
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    draft.rename(path)


def private_folder(path: Path) -> Path:
    """Makes a folder that only its owner may enter, parents included; returns it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    return path
