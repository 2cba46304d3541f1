"""Cloud Storage buckets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Site, timestamp
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record

BUCKET = "gcp:storage/bucket:Bucket"


class Bucket(Kind):
    token = BUCKET
    label = "Bucket"

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
