"""A key of one's own for what is at rest."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pathways.settings.base import KEY, NUMBER, Settings


class EncryptionSettings(Settings):
    """The Cloud KMS key of disks, buckets and the cluster's secrets; absent: Google's own keys."""

    key: Annotated[str, Field(pattern=KEY)]
    """The key, in the stack's region: projects/P/locations/REGION/keyRings/R/cryptoKeys/K."""
    project_number: Annotated[str, Field(pattern=NUMBER)] | None = None
    """Number of the stack's project, in quotes: its service agents of GKE, Compute Engine and Cloud Storage are then
    given the use of the key; absent: they have it."""

    @property
    def location(self) -> str:
        """Location of the key."""
        return self.key.split("/")[3]
