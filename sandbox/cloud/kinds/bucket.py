"""Cloud Storage buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pathways.gcp import Change
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Site, timestamp
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record

BUCKET = "gcp:storage/bucket:Bucket"


DAY = 24 * 60 * 60
SHORTEST_SOFT_DELETION, LONGEST_SOFT_DELETION = 7 * DAY, 90 * DAY
"""Source: Cloud Storage documentation, Soft delete."""

_OF_ABORTED_UPLOADS = {"age", "matchesPrefixes", "matchesSuffixes", "withState"}
"""Conditions that AbortIncompleteMultipartUpload takes. Source: Cloud Storage documentation, Object Lifecycle
Management. withState is the provider's and Google Cloud's own default."""


class Bucket(Kind):
    token = BUCKET
    label = "Bucket"

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        _refuse_what_excludes(record.properties)

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        _refuse_what_excludes(draft.properties)

    def already_exists(self, record: Record) -> Refusal:
        return google(
            409,
            "Your previous request to create the named bucket succeeded and you already own it.",
            "conflict",
        )

    def refuse_deletion(self, record: Record, properties: Mapping[str, Any]) -> None:
        super().refuse_deletion(record, properties)
        if record.objects and not properties.get("forceDestroy"):
            raise Refusal(
                f"Error trying to delete bucket {record.id} containing objects without `force_destroy` set to true"
            )

    def describe(self, site: Site, record: Record, place: Place) -> None:
        if not place.project and not record.inputs.get("project"):
            raise Refusal("project: required field is not set")
        super().describe(site, record, place)
        properties = record.properties
        properties["location"] = str(properties["location"]).upper()
        fill(
            properties,
            {
                "project": place.project,
                "projectNumber": 123456789012,
                "publicAccessPrevention": "inherited",
                "rpo": "DEFAULT",
                "softDeletePolicy": {"effectiveTime": timestamp(), "retentionDurationSeconds": 604800},
                "timeCreated": timestamp(),
                "uniformBucketLevelAccess": False,
                "updated": timestamp(),
                "url": f"gs://{record.id}",
                "versioning": {"enabled": False},
            },
        )
        for rule in properties.get("lifecycleRules", []):
            fill(rule["condition"], {"withState": "ANY"})


def _refuse_what_excludes(properties: Mapping[str, Any]) -> None:
    """Refuses features that a bucket cannot have together, and values that Cloud Storage does not take.

    Source: Cloud Storage documentation, Hierarchical namespace, Soft delete, Object Lifecycle Management.
    """
    if (properties.get("hierarchicalNamespace") or {}).get("enabled"):
        if not properties.get("uniformBucketLevelAccess"):
            raise _invalid("Hierarchical namespace requires uniform bucket-level access to be enabled.")
        if (properties.get("versioning") or {}).get("enabled"):
            raise _invalid("Object versioning is not supported on buckets with hierarchical namespace.")
    kept = (properties.get("softDeletePolicy") or {}).get("retentionDurationSeconds")
    if kept and not SHORTEST_SOFT_DELETION <= kept <= LONGEST_SOFT_DELETION:
        raise _invalid("The soft delete retention duration must be 0, or from 7 to 90 days.")
    for rule in properties.get("lifecycleRules") or []:
        set_conditions = {key for key, value in rule["condition"].items() if value and not key.startswith("send")}
        if rule["action"]["type"] == "AbortIncompleteMultipartUpload" and set_conditions - _OF_ABORTED_UPLOADS:
            others = ", ".join(sorted(set_conditions - _OF_ABORTED_UPLOADS))
            raise _invalid(f"AbortIncompleteMultipartUpload does not support the conditions {others}.")


def _invalid(message: str) -> Refusal:
    return google(400, message, "invalid")
