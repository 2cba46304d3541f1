"""Rules about checkpoints: where programs write them, and the bucket that holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pathways.rules.jobs import Pod, arguments, is_pathways, job_name, pods_of
from pathways.rules.kinds import BUCKET, CHECKPOINT_BUCKET, JOBS
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.scratch import SCHEME, Location, scratch_locations
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.wording import counted

NAME = re.compile(r"(?<![a-z])(checkpoints?|ckpts?)(?![a-z])")
"""What tells, in the lower-case name of a bucket, folder, variable or flag, that it is about checkpoints."""


def checkpoint_locations(job: Value) -> list[Location]:
    """Return the places in Cloud Storage that programs of a job are told by variables or flags about checkpoints."""
    told = (each for pod in pods_of(job) for each in _told(pod))
    return [Location(text, at) for name, text, at in told if text.startswith(SCHEME) and NAME.search(name.lower())]


def _told(pod: Pod) -> Iterator[tuple[str, str, Value]]:
    """Yield name, text and place of the variables and flags of a pod's own containers."""
    for container in pod.main:
        if not is_pathways(container):
            yield from arguments(container)
            for variable in container["env"].items():
                yield variable["name"].text or "", variable["value"].text or "", variable["value"]


def holds_checkpoints(bucket: Value) -> bool:
    """Whether a bucket is for checkpoints: by its component, or as its name says."""
    return CHECKPOINT_BUCKET in bucket.resource.component_types or bool(
        NAME.search(bucket["name"].text or bucket.resource.name)
    )


@stack_rule(
    "checkpoints-outlive-scratch",
    Severity.ERROR,
    [*JOBS],
    remedy="Write checkpoints to a bucket apart, or at least to a folder that no rule deletes.",
    source="Google, Port JAX workloads to Pathways: Pathways sets a rule that deletes in its scratch location",
)
def checkpoints_outlive_scratch(stack: Stack, _: Context) -> Iterator[Problem]:
    """Checkpoints are where nothing deletes with age: not in the place for compiled programs, for which Pathways sets
    such a rule itself, and not where a rule of their bucket does.
    """
    scratch = [location for job in stack.each(*JOBS) for location in scratch_locations(job)]
    for job in stack.each(*JOBS):
        for place in checkpoint_locations(job):
            what = f"{job_name(job)} writes checkpoints to {place.text}"
            deletion = min(_deletions(stack, place), default=None)
            if deletion:
                days, prefix = deletion
                yield Problem(place.at, f"{what}, where a rule for {prefix} deletes after {counted(days, 'day')}.")
            elif taken := next((each for each in scratch if place.lies_in(each)), None):
                yield Problem(place.at, f"{what}, in the place for compiled programs, {taken.text}.")


def _deletions(stack: Stack, place: Location) -> Iterator[tuple[int, str]]:
    """Yield age in days and prefix of the rules of the stack's buckets that take what stands at a place."""
    for bucket in stack.each(BUCKET):
        if bucket["name"].text == place.bucket:
            for condition in live_deletions(bucket["lifecycleRules"]):
                days, prefixes = condition["age"].number, condition["matchesPrefixes"].texts()
                if days:
                    yield from ((days, prefix) for prefix in prefixes if _takes(prefix, place.prefix))


def live_deletions(rules: Value) -> list[Value]:
    """Return the conditions of rules that delete objects that stand, and not former versions of them."""
    deletions = [rule["condition"] for rule in rules.items() if rule.at("action", "type").text == "Delete"]
    return [condition for condition in deletions if condition["withState"].text != "ARCHIVED"]


def _takes(prefix: str, folder: str) -> bool:
    """Whether a rule about a prefix is about all of a folder, or about a part of it."""
    inside = f"{folder}/"
    return inside.startswith(prefix) or prefix.startswith(inside)


@resource_rule(
    "checkpoints-versioned",
    Severity.ERROR,
    [BUCKET],
    remedy="Write versioning.enabled.",
    source="Checkov CKV_GCP_78; GoogleCloudPlatform/cluster-toolkit, cloud-storage-bucket: no versions beside HNS",
    uses=OF_STACKS,
)
def checkpoints_have_versions(bucket: Value, _: Context) -> Iterator[Problem]:
    """A bucket for checkpoints, as its name says, keeps versions, unless it has a hierarchical namespace, which
    excludes them.
    """
    versioning = bucket.at("versioning", "enabled")
    hierarchical = bucket.at("hierarchicalNamespace", "enabled").is_true
    if holds_checkpoints(bucket) and not hierarchical and not versioning.unknown and not versioning.is_true:
        name = bucket["name"].text or bucket.resource.name
        yield Problem(versioning, f"The bucket {name} keeps no versions of checkpoints.")


@resource_rule(
    "checkpoints-versions-bounded",
    Severity.WARNING,
    [BUCKET],
    remedy="Write a Delete rule with daysSinceNoncurrentTime or numNewerVersions, and withState ARCHIVED.",
    source="Cloud Storage documentation, Object Versioning: noncurrent versions are billed until a rule deletes them",
    uses=OF_STACKS,
)
def versions_are_bounded(bucket: Value, _: Context) -> Iterator[Problem]:
    """A bucket for checkpoints deletes former versions in the end: a program that keeps its three newest checkpoints
    would have all that it ever wrote billed.
    """
    rules = bucket["lifecycleRules"]
    deletions = [rule["condition"] for rule in rules.items() if rule.at("action", "type").text == "Delete"]
    bounded = any(rule[key].number for rule in deletions for key in ("daysSinceNoncurrentTime", "numNewerVersions"))
    if holds_checkpoints(bucket) and bucket.at("versioning", "enabled").is_true and rules.certain and not bounded:
        yield Problem(rules, "No lifecycle rule deletes former versions of checkpoints.")
