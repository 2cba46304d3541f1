"""The GKE cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pathways.gke import CONCURRENT_OPERATIONS
from pathways.settings.base import NAME, Settings

MOST_OPERATIONS = 32
"""As many as a large machine's engine does at once: four for each of its processors."""


class ClusterSettings(Settings):
    """The cluster that holds slices and heads. All of it has a default."""

    name: Annotated[str, Field(pattern=NAME, max_length=40)] = ""
    """Name of the cluster; absent: pathways-STACK."""
    release_channel: Literal["rapid", "regular", "stable"] = "regular"
    """GKE release channel."""
    deletion_protection: bool = True
    """Whether GKE and the engine refuse to delete the cluster; absent: in prod."""
    concurrent_operations: Annotated[int, Field(ge=1, le=MOST_OPERATIONS)] = CONCURRENT_OPERATIONS - 1
    """Node pools that are created, changed or deleted at once. GKE takes 5 operations on a cluster; absent: 4, which
    leaves one for what else happens to it."""
