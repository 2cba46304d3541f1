"""How Google Cloud treats a resource of any type; a type with ways of its own overrides what differs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pathways.gcp import Change, ResourceType, resource_type
from sandbox.cloud.cluster_host import ClusterHost
from sandbox.cloud.identities import Place, self_link
from sandbox.cloud.options import Options
from sandbox.cloud.readback import fill
from sandbox.cloud.references import missing_parents, users_of
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record, Store


@dataclass(frozen=True)
class Minutes:
    """How long operations take, in simulated minutes."""

    create: float = 0.05
    update: float = 0.05
    delete: float = 0.05


@dataclass(frozen=True)
class Site:
    """What a kind may look at and act upon: the records, the options of the moment, the control plane."""

    store: Store
    options: Options
    host: ClusterHost


class Kind:
    """The ways of one resource type. The instance has no state of its own.

    label: as the provider names it in errors. minutes: of operations. timeout: minutes that the provider waits.
    merges: creating what exists changes it instead of failing. keeps: deleting leaves it in the cloud.
    retries: the provider tries again when GKE is busy.
    """

    token = ""
    label = ""
    minutes = Minutes()
    timeout = 20.0
    merges = False
    keeps = False
    retries = False

    def creation_prefix(self) -> str:
        """What the provider puts before Google Cloud's answer when a creation is refused."""
        return f"Error creating {self.label}: "

    @property
    def resource(self) -> ResourceType:
        return resource_type(self.token)

    def name_of(self, inputs: Mapping[str, Any]) -> str:
        """The name that Google Cloud knows the resource by."""
        return str(inputs.get(self.resource.name_property or "", inputs.get("displayName", "")))

    def already_exists(self, record: Record) -> Refusal:
        return google(409, f"The resource '{record.id}' already exists", "alreadyExists")

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        """Raises Refusal where Google Cloud would; the record is a draft."""
        for refusal in missing_parents(site.store, record, place):
            raise refusal

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        """Raises Refusal where Google Cloud would. draft: as the record is to become."""

    def admit_deletion(self, site: Site, record: Record) -> None:
        """Raises Refusal where Google Cloud would."""
        for user in users_of(site.store, record):
            noun = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.label).lower()
            raise google(
                400,
                f"The {noun} resource '{record.id}' is already being used by '{user.id}'",
                "resourceInUseByAnotherResource",
            )

    def refuse_deletion(self, record: Record, properties: Mapping[str, Any]) -> None:
        """Raises Refusal where the provider itself would, by what the engine's state says."""
        if properties.get("deletionPolicy") == "PREVENT":
            named = f"{self.label} {self.name_of(properties)}"
            raise Refusal(f'cannot destroy {named}: deletion_policy is set to "PREVENT"')

    def describe(self, site: Site, record: Record, place: Place) -> None:
        """Completes the properties of a record as Google Cloud reports them."""
        known = {
            **place.complete(self.token, record.inputs),
            "selfLink": self_link(self.token, record.id),
            "creationTimestamp": timestamp(),
            "etag": fingerprint(record.id),
            "fingerprint": fingerprint(record.id),
            "labelFingerprint": fingerprint(record.properties.get("labels")),
            "deletionPolicy": "DELETE",
        }
        declared = self.resource.properties
        fill(record.properties, {name: value for name, value in known.items() if name in declared})
        labels = {**record.properties.get("labels", {}), "goog-pulumi-provisioned": "true"}
        record.properties.update({name: labels for name in ("effectiveLabels", "pulumiLabels") if name in declared})

    def make(self, site: Site, record: Record) -> None:
        """Does what a creation does besides being recorded. May be called again after an interruption."""

    def change(self, site: Site, record: Record, before: Record) -> None:
        """Does what an update does besides being recorded. May be called again after an interruption."""

    def unmake(self, site: Site, record: Record) -> None:
        """Does what a deletion does besides being recorded. May be called again after an interruption."""

    def read(self, site: Site, record: Record) -> None:
        """Brings the record's properties up to date before they are reported."""


def timestamp() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000-00:00")


def fingerprint(value: object) -> str:
    """A short text that is the same for the same value."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]
