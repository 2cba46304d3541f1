"""What earlier releases deployed; `record.py` says how each release adds its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.upgrades.record import FOLDER, STATE


@dataclass(frozen=True)
class Deployed:
    """A stack as a release left it."""

    release: str
    stack: str

    @property
    def file(self) -> Path:
        """The stack file as it was then."""
        return FOLDER / self.release / f"Pulumi.{self.stack}.yaml"

    @property
    def state(self) -> str:
        """The state, as `pulumi stack export` writes it."""
        return (FOLDER / self.release / STATE.format(stack=self.stack)).read_text(encoding="utf-8")

    @property
    def resources(self) -> list[dict[str, Any]]:
        """What the state has, in its order."""
        found: list[dict[str, Any]] = json.loads(self.state)["deployment"]["resources"]
        return found

    def __str__(self) -> str:
        return f"{self.release}-{self.stack}"


DEPLOYED = tuple(
    Deployed(file.parent.name, file.stem.removeprefix("Pulumi.")) for file in sorted(FOLDER.glob("*/Pulumi.*.yaml"))
)

LASTING = ("gcp:compute/", "gcp:container/", "gcp:storage/", "kubernetes:jobset", "kubernetes:pathways-job")
"""Beginnings of the types of networks, clusters, node pools, buckets and jobs."""


def is_lasting(type_: str) -> bool:
    """Whether an upgrade by itself must neither replace nor delete a resource of that type."""
    return type_.startswith(LASTING)
