"""The GKE cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pathways.settings.base import NAME, Settings


class ClusterSettings(Settings):
    """The cluster that holds slices and heads. All of it has a default."""

    name: Annotated[str, Field(pattern=NAME, max_length=40)] = ""
    """Name of the cluster; absent: pathways-STACK."""
    release_channel: Literal["rapid", "regular", "stable"] = "regular"
    """GKE release channel."""
    deletion_protection: bool = True
    """Whether GKE and the engine refuse to delete the cluster; absent: in prod."""
