"""The bucket of the jobs' checkpoints."""

from __future__ import annotations

from pathways.settings.base import Positive, Settings
from pathways.settings.scratch import BucketName


class CheckpointSettings(Settings):
    """A bucket apart from all that goes with age. Each job has a folder of its name in it."""

    bucket: BucketName = ""
    """Name of the bucket; absent: PROJECT-CLUSTER-checkpoints."""
    recoverable_days: Positive = 7
    """Days for which a checkpoint that was deleted or overwritten can be brought back; what is kept is billed."""
    aborted_upload_days: Positive = 7
    """Age in days at which parts of unfinished uploads are deleted."""

    def location_of(self, job: str) -> str:
        """Return the place of a job, such as "gs://bucket/train"."""
        return f"gs://{self.bucket}/{job}"
