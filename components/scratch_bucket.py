"""The bucket for Pathways' compiled programs, and the rights on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import storage

from components.bucket_rights import declare_rights
from components.site import Site
from pathways.buckets import SCRATCH_PERMISSIONS
from pathways.settings import ScratchSettings


@dataclass(frozen=True)
class ScratchBucketArgs:
    """What a ScratchBucket is made from.

    site: the bucket is in its region, never in several; the custom role is in its project.
    scratch: names, and the ages at which objects go. members: IAM members that may use it, by a stable short name.
    keep: what is in it outlives `destroy`. key: of Cloud KMS. after: what must stand before, such as its use.
    """

    site: Site
    scratch: ScratchSettings
    members: Mapping[str, pulumi.Input[str]]
    keep: bool
    key: str | None
    after: Sequence[pulumi.Resource]


class ScratchBucket(pulumi.ComponentResource):
    """A bucket in the slices' region that the given accounts alone may use, and only as Pathways needs.

    Lifecycle rules are one list that Pathways adds to on its own, so they are ours at creation only: afterwards the
    list is ignored, or the next deployment would take Pathways' rule away. An edit to the ages therefore reaches a
    bucket that stands by an update with `overwriteLifecycle` alone. A bucket holds 50 prefixes with rules at most
    (Google, "Port JAX workloads to Pathways"), hence one prefix for all jobs.

    There is nothing to restore in it, so versions and soft-deleted objects are not kept (both would be billed).

    The role is a custom one because none that is predefined has these five permissions without the right to delete
    objects.

    With `keep` it is protected and never emptied: `destroy` stops at it, `destroy --exclude-protected` leaves it.
    """

    def __init__(self, name: str, args: ScratchBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:ScratchBucket", name, None, opts)
        site, scratch = args.site, args.scratch
        bucket = storage.Bucket(
            f"{name}-bucket",
            name=scratch.bucket,
            location=site.region,
            storage_class="STANDARD",
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            soft_delete_policy={"retention_duration_seconds": 0},
            versioning={"enabled": False},
            lifecycle_rules=[
                *(
                    {
                        "action": {"type": "Delete"},
                        "condition": {"age": place.expire_days, "matches_prefixes": [f"{place.prefix}/"]},
                    }
                    for place in scratch.places
                ),
                {
                    "action": {"type": "AbortIncompleteMultipartUpload"},
                    "condition": {"age": scratch.aborted_upload_days},
                },
            ],
            encryption={"default_kms_key_name": args.key} if args.key else None,
            labels=site.labels("scratch"),
            force_destroy=not args.keep,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=args.after,
                protect=args.keep,
                delete_before_replace=True,
                ignore_changes=[] if scratch.overwrite_lifecycle else ["lifecycleRules"],
            ),
        )
        declare_rights(
            name,
            site=site,
            bucket=bucket,
            purpose="scratch",
            title="Pathways scratch space",
            description="Keep compiled programs in a bucket and set its lifecycle rule",
            permissions=SCRATCH_PERMISSIONS,
            members=args.members,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"bucket": bucket.name})
