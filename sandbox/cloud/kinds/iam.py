"""Service accounts, custom roles, and who may do what.

A policy binding is merged into the policy: granting what is granted already succeeds, as it does at Google.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Site
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import Refusal, bad_request, google
from sandbox.cloud.store import Record

ACCOUNT = "gcp:serviceaccount/account:Account"
CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
IDENTITY_POOL = "identity-pool:"
"""Prefix of the store's counters that say a project has had a cluster with Workload Identity."""


class Account(Kind):
    token = ACCOUNT
    label = "service account"

    def already_exists(self, record: Record) -> Refusal:
        project = record.id.split("/")[1]
        name = self.name_of(record.inputs)
        return google(409, f"Service account {name} already exists within project projects/{project}.", "alreadyExists")

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        email = record.id.rpartition("/")[2]
        fill(
            record.properties,
            {
                "email": email,
                "member": f"serviceAccount:{email}",
                "name": record.id,
                "uniqueId": str(10**20 + record.serial),
            },
        )


class CustomRole(Kind):
    token = CUSTOM_ROLE
    label = "the custom project role"

    def already_exists(self, record: Record) -> Refusal:
        return google(
            409,
            f"A role named {self.name_of(record.inputs)} in {record.id.partition('/roles')[0]} already exists.",
            "alreadyExists",
        )

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(record.properties, {"name": record.id, "deleted": False})


class Member(Kind):
    """A grant; who gets it and, where it is a custom one, the role must exist."""

    merges = True
    label = "IAM Member"

    def name_of(self, inputs: Mapping[str, Any]) -> str:
        return str(inputs.get("member", ""))

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        self._refuse_unknown_member(site, str(record.inputs.get("member", "")))
        self._refuse_unknown_role(site, str(record.inputs.get("role", "")), place)

    def _refuse_unknown_member(self, site: Site, member: str) -> None:
        kind, _, who = member.partition(":")
        pool = re.fullmatch(r"(.+\.svc\.id\.goog)\[.+\]", who)
        if kind != "serviceAccount":
            return
        if pool:
            if f"{IDENTITY_POOL}{pool[1]}" not in site.store.counters:
                raise bad_request(
                    f"Identity Pool does not exist ({pool[1]}). Please check that you specified a valid resource name "
                    "as returned in the `name` attribute in the configuration API."
                )
            return
        own = re.fullmatch(r".+@(.+)\.iam\.gserviceaccount\.com", who)
        projects = {other.id.split("/")[1] for other in site.store.of_type(ACCOUNT)}
        account = f"projects/{own[1]}/serviceAccounts/{who}" if own else ""
        if own and own[1] in projects and site.store.get(ACCOUNT, account) is None:
            raise bad_request(f"Service account {who} does not exist.")

    def _refuse_unknown_role(self, site: Site, role: str, place: Place) -> None:
        if role.startswith(f"projects/{place.project}/roles/") and site.store.get(CUSTOM_ROLE, role) is None:
            raise bad_request(f"Role ({role}) does not exist in the resource's hierarchy.")


class ProjectMember(Member):
    token = "gcp:projects/iAMMember:IAMMember"


class AccountMember(Member):
    token = "gcp:serviceaccount/iAMMember:IAMMember"


class BucketMember(Member):
    token = "gcp:storage/bucketIAMMember:BucketIAMMember"


class CryptoKeyMember(Member):
    token = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"


class Service(Kind):
    """An API of the project; enabling one that is enabled succeeds."""

    token = "gcp:projects/service:Service"
    label = "project service"
    merges = True

    def name_of(self, inputs: Mapping[str, Any]) -> str:
        return str(inputs.get("service", ""))
