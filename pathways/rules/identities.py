"""Rules about who may do what: accounts of nodes, and rights on the scratch bucket."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pathways.buckets import CHECKPOINT_PERMISSIONS, SCRATCH_PERMISSIONS
from pathways.gke import NODE_ROLE
from pathways.rules.buckets import scratch_buckets
from pathways.rules.checkpoints import holds_checkpoints
from pathways.rules.kinds import BUCKET, BUCKET_MEMBER, CUSTOM_ROLE, PROJECT_MEMBER, SERVICE_ACCOUNT
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.nodes import DEFAULT_ACCOUNT
from pathways.rules.pools import NodePool, pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value

WANTED = frozenset(SCRATCH_PERMISSIONS)

_READ = {"storage.objects.get", "storage.objects.list"}
_WRITE = {*_READ, "storage.objects.create", "storage.objects.delete"}
_ADMIN = {*_WRITE, "storage.buckets.get", "storage.buckets.update", "storage.buckets.delete"}
PREDEFINED: Mapping[str, frozenset[str]] = {
    "roles/storage.objectViewer": frozenset(_READ),
    "roles/storage.objectCreator": frozenset({"storage.objects.create"}),
    "roles/storage.objectUser": frozenset(_WRITE),
    "roles/storage.objectAdmin": frozenset(_WRITE),
    "roles/storage.legacyBucketReader": frozenset({"storage.buckets.get", "storage.objects.list"}),
    "roles/storage.legacyBucketWriter": frozenset({"storage.buckets.get", *_WRITE} - {"storage.objects.get"}),
    "roles/storage.legacyBucketOwner": frozenset(_ADMIN - {"storage.objects.get", "storage.buckets.delete"}),
    "roles/storage.admin": frozenset(_ADMIN),
}
"""Of the predefined roles on a bucket, the permissions that matter here.

Source: Cloud Storage documentation, IAM roles for Cloud Storage.
"""

NODE_ROLES = frozenset({NODE_ROLE, "roles/container.nodeServiceAccount", "roles/editor", "roles/owner"})
POWERFUL_ROLES = frozenset(
    {
        "roles/owner",
        "roles/editor",
        "roles/viewer",
        "roles/storage.admin",
        "roles/storage.objectAdmin",
        "roles/container.admin",
        "roles/container.clusterAdmin",
        "roles/compute.admin",
        "roles/iam.serviceAccountAdmin",
        "roles/iam.serviceAccountUser",
        "roles/iam.serviceAccountTokenCreator",
        "roles/resourcemanager.projectIamAdmin",
    }
)


@stack_rule(
    "scratch-iam-minimal",
    Severity.ERROR,
    [BUCKET],
    remedy=f"Grant the accounts of the nodes a custom role on that bucket with {', '.join(SCRATCH_PERMISSIONS)}.",
    source="Google, Port JAX workloads to Pathways; GKE documentation: pods on the host network use the node's account",
    uses=OF_STACKS,
)
def scratch_rights(stack: Stack, _: Context) -> Iterator[Problem]:
    """The accounts of the nodes, which pods on the host network use, have the five permissions that Pathways needs on
    the scratch bucket, and no one there has more: rights of a Kubernetes account do not reach such pods,
    objectAdmin cannot set the bucket's lifecycle rule.
    """
    roles = _custom_roles(stack)
    for bucket in scratch_buckets(stack):
        name = bucket["name"].text
        grants = _grants_on(stack, bucket)
        certain = all(
            not grant[key].unknown for grant in stack.each(BUCKET_MEMBER) for key in ("bucket", "member", "role")
        )
        for grant in grants:
            yield from _too_much(grant, roles, WANTED, "scratch")
        if certain and name:
            yield from _too_little(stack, name, grants, roles)


@stack_rule(
    "checkpoints-iam-minimal",
    Severity.ERROR,
    [BUCKET],
    remedy=f"Grant a custom role on that bucket with {', '.join(CHECKPOINT_PERMISSIONS)}, or roles/storage.objectUser.",
    source="Cloud Storage documentation, IAM roles for Cloud Storage; Orbax deletes old checkpoints and no bucket",
    uses=OF_STACKS,
)
def checkpoint_rights(stack: Stack, _: Context) -> Iterator[Problem]:
    """On the bucket for checkpoints, programs have rights on objects alone: who may change the bucket may switch off
    the versions that bring a deleted checkpoint back.
    """
    roles = _custom_roles(stack)
    for bucket in filter(holds_checkpoints, stack.each(BUCKET)):
        for grant in _grants_on(stack, bucket):
            yield from _too_much(grant, roles, frozenset(CHECKPOINT_PERMISSIONS), "checkpoint")


def _grants_on(stack: Stack, bucket: Value) -> list[Value]:
    name = bucket["name"].text
    return [grant for grant in stack.each(BUCKET_MEMBER) if name and grant["bucket"].text == name]


def _too_much(
    grant: Value, roles: Mapping[str, frozenset[str]], wanted: frozenset[str], bucket: str
) -> Iterator[Problem]:
    role = grant["role"]
    excess = sorted(roles.get(role.text or "", frozenset()) - wanted)
    if excess:
        yield Problem(role, f"The role {role} on the {bucket} bucket has {', '.join(excess)} besides.")
    if grant["member"].text in ("allUsers", "allAuthenticatedUsers"):
        yield Problem(grant["member"], f"The {bucket} bucket is open to {grant['member']}.")


def _too_little(
    stack: Stack, bucket: str, grants: list[Value], roles: Mapping[str, frozenset[str]]
) -> Iterator[Problem]:
    held: dict[str, frozenset[str]] = {}
    for grant in grants:
        member = grant["member"].text or ""
        held[member] = held.get(member, frozenset()) | roles.get(grant["role"].text or "", WANTED)
    lacking_heads: list[tuple[NodePool, list[str]]] = []
    told: set[str] = set()
    for pool in pools(stack):
        account = pool.node["serviceAccount"].text
        missing = sorted(WANTED - held.get(f"serviceAccount:{account}", frozenset()))
        if account is None or account in told:
            continue
        if pool.is_tpu and missing:
            told.add(account)
            yield _lacks(pool, missing, bucket, held)
        elif not pool.is_tpu and not pool.tainted:
            lacking_heads.append((pool, missing))
    if lacking_heads and all(missing for _, missing in lacking_heads):
        pool, missing = lacking_heads[0]
        if pool.node["serviceAccount"].text not in told:
            yield _lacks(pool, missing, bucket, held)


def _lacks(pool: NodePool, missing: list[str], bucket: str, held: Mapping[str, object]) -> Problem:
    account = pool.node["serviceAccount"]
    message = f"The account of the nodes, {account}, lacks {', '.join(missing)} on the bucket {bucket}."
    if any(".svc.id.goog" in member for member in held):
        message += " The rights of a Kubernetes account do not reach pods on the host network."
    return Problem(account, message)


def _custom_roles(stack: Stack) -> dict[str, frozenset[str]]:
    found = dict(PREDEFINED)
    for role in stack.each(CUSTOM_ROLE):
        project, role_id = role["project"].text, role["roleId"].text
        if project and role_id and role["permissions"].certain:
            found[f"projects/{project}/roles/{role_id}"] = frozenset(role["permissions"].texts())
    return found


@stack_rule(
    "node-account-role",
    Severity.ERROR,
    [SERVICE_ACCOUNT],
    remedy=f"Bind {NODE_ROLE} to the account.",
    source="GKE documentation, Use least privilege IAM service accounts",
    uses=OF_STACKS,
)
def node_accounts_have_the_role(stack: Stack, _: Context) -> Iterator[Problem]:
    """An account that nodes run as has roles/container.defaultNodeServiceAccount: without it nodes stay degraded."""
    members = list(stack.each(PROJECT_MEMBER))
    if any(member["member"].unknown or member["role"].unknown for member in members):
        return
    able = {member["member"].text for member in members if member["role"].text in NODE_ROLES}
    used = {email for pool in pools(stack) if (email := pool.node["serviceAccount"].text)}
    for account in stack.each(SERVICE_ACCOUNT):
        short_name = account["accountId"]
        for email in sorted(used):
            if email.startswith(f"{short_name.text}@") and f"serviceAccount:{email}" not in able:
                yield Problem(short_name, f"Nodes run as {email}, which lacks the role of node accounts.")


@resource_rule(
    "project-roles-minimal",
    Severity.ERROR,
    [PROJECT_MEMBER],
    remedy="Grant a narrow role on the one resource that is needed.",
    source="CIS GKE 1.4: 5.1; Checkov CKV_GCP_41, 46, 49; Trivy GCP-0006, 0007",
    uses=OF_STACKS,
)
def no_powerful_roles(grant: Value, _: Context) -> Iterator[Problem]:
    """No service account has a basic or an administrator's role on the whole project, and a default account none at
    all.
    """
    role, member = grant["role"], grant["member"].text or ""
    account = re.sub(r"^serviceAccount:", "", member)
    if not member.startswith("serviceAccount:"):
        return
    if role.text in POWERFUL_ROLES:
        yield Problem(role, f"{account} has {role} on the whole project.")
    elif DEFAULT_ACCOUNT.fullmatch(account) or account.endswith("@appspot.gserviceaccount.com"):
        yield Problem(grant["member"], f"{account} is a default account, and is given {role}.")
