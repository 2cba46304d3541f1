"""What Pathways does to the bucket for compiled programs when a head starts: it sets a lifecycle rule of its own.

Source: Google, "Port JAX workloads to Pathways", Compilation cache. The rule's age is not told there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from pathways.buckets import MAX_LIFECYCLE_RULES
from pathways.rules.identities import PREDEFINED
from pathways.rules.scratch import FLAG, SCHEME
from sandbox.cloud.journal import Journal
from sandbox.cloud.kinds import Site
from sandbox.cloud.kinds.bucket import BUCKET
from sandbox.cloud.kinds.iam import CUSTOM_ROLE, BucketMember
from sandbox.cloud.references import NODE_POOL
from sandbox.cloud.refusal import google, not_found
from sandbox.cloud.rounds import Act, Rounds
from sandbox.cloud.store import Record

CALL = "pathways"
"""Name of these calls in the journal."""

DAYS = 14
RIGHT = "storage.buckets.update"


class ScratchUsers:
    """Plays the heads of Pathways jobs. site: the cloud as it is when it is called."""

    def __init__(self, site: Callable[[], Site], journal: Journal) -> None:
        self._site = site
        self._journal = journal
        self._rounds = Rounds("pathways", self._look)

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        self._rounds.stop()

    def _look(self) -> list[Act]:
        site = self._site()
        heads = site.host.ready_heads() if site.host.endpoint() else []
        return [partial(self._started, site, head) for head in heads if _counter(head) not in site.store.counters]

    def _started(self, site: Site, head: Mapping[str, Any]) -> None:
        """Does what a head does once, when it starts. Raises Refusal, after which Pathways does not try again."""
        with site.store.transaction():
            site.store.count(_counter(head))
            place = _scratch_place(head)
            if place is None:
                return
            name, prefix = place
            bucket, rule = site.store.get(BUCKET, name), _rule(prefix)
            if bucket is not None and rule in _rules(bucket):
                return
            pod = f"{head['metadata']['namespace']}/{head['metadata']['name']}"
            with self._journal.entry(CALL, BUCKET, bucket.name if bucket else "", name, {"pod": pod, "rule": rule}):
                _add_rule(site, head, name, rule)


def _counter(head: Mapping[str, Any]) -> str:
    """Name of the store's counter that says a head has started: it has, too, when the daemon is another one."""
    return f"started:{head['metadata']['uid']}"


def _scratch_place(head: Mapping[str, Any]) -> tuple[str, str] | None:
    """Bucket and folder that a head keeps compiled programs in; None where it keeps them in memory."""
    spec, flag = head["spec"], f"--{FLAG}={SCHEME}"
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        for argument in container.get("args") or ():
            if argument.startswith(flag):
                bucket, _, folder = argument.removeprefix(flag).partition("/")
                return bucket, folder.strip("/")
    return None


def _rule(prefix: str) -> dict[str, Any]:
    condition = {"age": DAYS, "withState": "ANY", **({"matchesPrefixes": [f"{prefix}/"]} if prefix else {})}
    return {"action": {"type": "Delete"}, "condition": condition}


def _rules(bucket: Record) -> list[dict[str, Any]]:
    return bucket.properties.get("lifecycleRules") or []


def _add_rule(site: Site, head: Mapping[str, Any], name: str, rule: dict[str, Any]) -> None:
    """Raises Refusal where Cloud Storage would."""
    bucket = site.store.get(BUCKET, name)
    if bucket is None:
        raise not_found("The specified bucket does not exist.")
    account = _account_of(site, head["spec"]["nodeName"])
    if account is not None and RIGHT not in set(_rights(site, bucket, f"serviceAccount:{account}")):
        message = f"{account} does not have {RIGHT} access to the Google Cloud Storage bucket."
        raise google(403, f"{message} Permission '{RIGHT}' denied on resource (or it may not exist).", "forbidden")
    rules = _rules(bucket)
    if len(rules) >= MAX_LIFECYCLE_RULES:
        raise google(400, f"A bucket can have at most {MAX_LIFECYCLE_RULES} lifecycle rules.", "invalid")
    bucket.properties["lifecycleRules"] = [*rules, rule]
    site.store.put(bucket)


def _account_of(site: Site, node: str) -> str | None:
    """The account that a node runs as, which pods on the host network have; None where it is the project's default."""
    for pool in site.store.of_type(NODE_POOL):
        if any(each["name"] == node for each in pool.nodes):
            account: str | None = pool.properties["nodeConfig"].get("serviceAccount")
            return None if account == "default" else account
    return None


def _rights(site: Site, bucket: Record, member: str) -> Iterator[str]:
    """What a member may do with a bucket, by grants on it."""
    for grant in site.store.of_type(BucketMember.token):
        if grant.properties["bucket"] == bucket.id and grant.properties["member"] == member:
            role = site.store.get(CUSTOM_ROLE, grant.properties["role"])
            yield from role.properties["permissions"] if role else PREDEFINED.get(grant.properties["role"], ())
