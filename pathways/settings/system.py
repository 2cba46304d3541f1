"""The CPU pool for controllers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field

from pathways.settings.base import Fault, Settings, must_hold
from pathways.settings.head import MAX_NODES, known_machine
from pathways.tpu import cpu_machines


def _known_machine(name: str) -> str:
    return known_machine(name, cpu_machines(), "controllers")


class SystemSettings(Settings):
    """Nodes for JobSet's controller and others, and for GKE's own pods, so that none sits on a head's node."""

    machine_type: Annotated[str, AfterValidator(_known_machine)] = "e2-standard-4"
    """Compute Engine machine type."""
    min_nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] = 1
    """Nodes that are always there."""
    max_nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] = 3
    """Nodes at most."""

    @must_hold
    def _bounds(self) -> Iterator[Fault]:
        if self.max_nodes < self.min_nodes:
            yield Fault(("maxNodes",), f"{self.max_nodes} is less than minNodes, {self.min_nodes}")
