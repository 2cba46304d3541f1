"""The bucket for the jobs' checkpoints, and the rights on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import storage

from components.bucket_rights import declare_rights
from components.site import Site
from pathways.buckets import CHECKPOINT_PERMISSIONS
from pathways.settings import CheckpointSettings


@dataclass(frozen=True)
class CheckpointBucketArgs:
    """What a CheckpointBucket is made from.

    site: the bucket is in its region; the custom role is in its project. checkpoints: its name, and how long what was
    deleted is kept. members: IAM members that may use it, by a stable short name. keep: what is in it outlives
    `destroy`. key: of Cloud KMS. after: what must stand before, such as its use. cluster: with which Kubernetes'
    accounts become members.
    """

    site: Site
    checkpoints: CheckpointSettings
    members: Mapping[str, pulumi.Input[str]]
    keep: bool
    key: str | None
    after: Sequence[pulumi.Resource]
    cluster: pulumi.Resource | None


class CheckpointBucket(pulumi.ComponentResource):
    """A bucket in the slices' region for what training cannot be had again without.

    It is apart from the scratch bucket: there rules delete with age, Pathways sets more of them, and nothing is kept
    of what is deleted. Here no rule takes a checkpoint that stands: how many there are is for the program to say.
    What it deletes or overwrites stays as a version for some days, which soft deletion would keep, and bill, once more.

    Pathways writes no rules here, so the list is ours always. Programs may delete objects, as Orbax does with old
    checkpoints, and change nothing about the bucket.

    With `keep` it is protected and never emptied: `destroy` stops at it, `destroy --exclude-protected` leaves it.
    """

    def __init__(self, name: str, args: CheckpointBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:CheckpointBucket", name, None, opts)
        site, checkpoints = args.site, args.checkpoints
        bucket = storage.Bucket(
            f"{name}-bucket",
            name=checkpoints.bucket,
            location=site.region,
            storage_class="STANDARD",
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            soft_delete_policy={"retention_duration_seconds": 0},
            versioning={"enabled": True},
            lifecycle_rules=[
                {
                    "action": {"type": "Delete"},
                    "condition": {"days_since_noncurrent_time": checkpoints.recoverable_days, "with_state": "ARCHIVED"},
                },
                {
                    "action": {"type": "AbortIncompleteMultipartUpload"},
                    "condition": {"age": checkpoints.aborted_upload_days},
                },
            ],
            encryption={"default_kms_key_name": args.key} if args.key else None,
            labels=site.labels("checkpoints"),
            force_destroy=not args.keep,
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=args.after, protect=args.keep, delete_before_replace=True
            ),
        )
        declare_rights(
            name,
            site=site,
            bucket=bucket,
            purpose="checkpoints",
            title="Pathways checkpoints",
            description="Write, read and delete checkpoints in a bucket",
            permissions=CHECKPOINT_PERMISSIONS,
            members=args.members,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[args.cluster]),
        )
        self.register_outputs({"bucket": bucket.name})
