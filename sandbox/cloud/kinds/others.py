"""Types that need little: keys, logs, monitoring, binary authorization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Site
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record


class KeyRing(Kind):
    """Deleting one takes it out of the engine's state only: Cloud KMS has no deletion of key rings."""

    token = "gcp:kms/keyRing:KeyRing"
    label = "KeyRing"
    keeps = True

    def already_exists(self, record: Record) -> Refusal:
        return google(409, f"KeyRing {record.id} already exists.", "alreadyExists")


class CryptoKey(Kind):
    """Deleting one destroys its versions; its name stays taken."""

    token = "gcp:kms/cryptoKey:CryptoKey"
    label = "CryptoKey"
    keeps = True

    def already_exists(self, record: Record) -> Refusal:
        return google(409, f"CryptoKey {record.id} already exists.", "alreadyExists")

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {
                "destroyScheduledDuration": "2592000s",
                "importOnly": False,
                "primaries": [{"name": f"{record.id}/cryptoKeyVersions/1", "state": "ENABLED"}],
                "versionTemplate": {"algorithm": "GOOGLE_SYMMETRIC_ENCRYPTION", "protectionLevel": "SOFTWARE"},
            },
        )


class Metric(Kind):
    token = "gcp:logging/metric:Metric"
    label = "Metric"


class Numbered(Kind):
    """A resource that Google Cloud names by a number."""

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        if "name" in self.resource.properties:
            record.properties["name"] = record.id


class AlertPolicy(Numbered):
    token = "gcp:monitoring/alertPolicy:AlertPolicy"
    label = "AlertPolicy"

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        for index, condition in enumerate(record.properties.get("conditions", [])):
            condition["name"] = f"{record.id}/conditions/{10**15 + index}"


class NotificationChannel(Numbered):
    token = "gcp:monitoring/notificationChannel:NotificationChannel"
    label = "NotificationChannel"


class Dashboard(Numbered):
    token = "gcp:monitoring/dashboard:Dashboard"
    label = "Dashboard"

    def name_of(self, inputs: Mapping[str, Any]) -> str:
        return ""


class BinaryAuthorization(Kind):
    """A project has one policy, always; creating it sets it."""

    token = "gcp:binaryauthorization/policy:Policy"
    label = "Policy"
    merges = True

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(record.properties, {"globalPolicyEvaluationMode": "DISABLE"})
