"""The bucket in which Pathways keeps compiled programs."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from pathways.buckets import bucket_name_fault
from pathways.settings.base import FOLDER, Positive, Settings, refused
from pathways.wording import quoted


def _bucket_name(name: str) -> str:
    if fault := bucket_name_fault(name):
        raise refused(f"{quoted(name)} {fault}")
    return name


class ScratchSettings(Settings):
    """One bucket and one prefix for all jobs: a bucket takes 50 prefixes with lifecycle rules at most."""

    bucket: Annotated[str, AfterValidator(_bucket_name)] = ""
    """Name of the bucket; absent: PROJECT-CLUSTER-scratch."""
    prefix: Annotated[str, Field(pattern=FOLDER, max_length=200)] = "pathways"
    """Folder in the bucket, without slashes at its ends."""
    expire_days: Positive = 7
    """Age in days at which Pathways' objects are deleted."""
    aborted_upload_days: Positive = 1
    """Age in days at which parts of unfinished uploads are deleted."""

    @property
    def location(self) -> str:
        """What Pathways is told, such as "gs://bucket/pathways"."""
        return f"gs://{self.bucket}/{self.prefix}"
