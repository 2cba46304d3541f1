"""Rules about buckets: all of them, and the one that Pathways keeps compiled programs in."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.buckets import MAX_LIFECYCLE_RULES
from pathways.rules.checkpoints import NAME, live_deletions
from pathways.rules.kinds import BUCKET, JOBS, SCRATCH_BUCKET
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import region_of, tpu_pools
from pathways.rules.scratch import scratch_locations
from pathways.rules.stack import Stack
from pathways.rules.values import Value


def scratch_buckets(stack: Stack) -> list[Value]:
    """Return the buckets of the stack that Pathways keeps compiled programs in: by their component, or by the jobs."""
    named = {location.bucket for job in stack.each(*JOBS) for location in scratch_locations(job)}
    return [
        bucket
        for bucket in stack.each(BUCKET)
        if SCRATCH_BUCKET in bucket.resource.component_types or bucket["name"].text in named
    ]


@resource_rule(
    "bucket-uniform-access",
    Severity.ERROR,
    [BUCKET],
    remedy="Write uniformBucketLevelAccess.",
    source="CIS GCP 5.2; Checkov CKV_GCP_29",
    uses=OF_STACKS,
)
def uniform_access(bucket: Value, _: Context) -> Iterator[Problem]:
    """Rights on a bucket are IAM's alone, not those of lists on single objects."""
    access = bucket["uniformBucketLevelAccess"]
    if not access.unknown and not access.is_true:
        yield Problem(access, "Uniform bucket-level access is off.")


@resource_rule(
    "bucket-not-public",
    Severity.ERROR,
    [BUCKET],
    remedy="Write publicAccessPrevention enforced.",
    source="CIS GCP 5.1; Checkov CKV_GCP_28, CKV_GCP_114",
    uses=OF_STACKS,
)
def not_public(bucket: Value, _: Context) -> Iterator[Problem]:
    """No bucket can be made public."""
    prevention = bucket["publicAccessPrevention"]
    if not prevention.unknown and prevention.text != "enforced":
        yield Problem(prevention, f"The public access prevention is {prevention}.")


@resource_rule(
    "bucket-kept-in-prod",
    Severity.ERROR,
    [BUCKET],
    remedy="Leave forceDestroy off in prod, and set the option protect.",
    source="google_storage_bucket: force_destroy deletes all objects of the bucket first",
    uses=OF_STACKS,
)
def kept_in_prod(bucket: Value, context: Context) -> Iterator[Problem]:
    """`destroy` deletes no bucket of a prod environment, and none that has objects in it."""
    if context.prod and bucket["forceDestroy"].is_true:
        yield Problem(bucket["forceDestroy"], "The bucket is emptied when it is destroyed, and this is prod.")
    if context.prod and not bucket.resource.options.protect:
        yield Problem(bucket, "The bucket is not protected, and this is prod.")


@stack_rule(
    "bucket-hardening-advice",
    Severity.WARNING,
    [BUCKET],
    remedy="Write logging and encryption.defaultKmsKeyName where your organisation asks for them.",
    source="Checkov CKV_GCP_62; Trivy GCP-0066, GCP-0077",
    uses=OF_STACKS,
)
def bucket_hardening(stack: Stack, context: Context) -> Iterator[Problem]:
    """Buckets of a prod environment whose content is worth it log access and are encrypted with a key of one's own;
    compiled programs are not.
    """
    scratch = {bucket.resource.urn for bucket in scratch_buckets(stack)}
    for bucket in stack.each(BUCKET):
        advice = {"access logs": bucket["logging"], "a key of one's own": bucket.at("encryption", "defaultKmsKeyName")}
        missing = [what for what, value in advice.items() if value.absent]
        if context.prod and missing and bucket.resource.urn not in scratch:
            yield Problem(bucket, f"The bucket goes without {' and '.join(missing)}.")


@stack_rule(
    "scratch-bucket-region",
    Severity.ERROR,
    [BUCKET],
    remedy="Write the region of the slices as the bucket's location.",
    source="Google, Port JAX workloads to Pathways: the bucket is in the region of the slices",
    uses=OF_STACKS,
)
def scratch_is_near(stack: Stack, _: Context) -> Iterator[Problem]:
    """The scratch bucket is in the region of the slices, neither multi-region nor dual-region: every worker reads
    compiled programs from it.
    """
    regions = {region_of(pool.zone) for pool in tpu_pools(stack) if pool.zone}
    for bucket in scratch_buckets(stack):
        location = bucket["location"]
        if regions and location.text and location.text.lower() not in regions:
            yield Problem(location, f"The bucket is in {location}, the slices are in {', '.join(sorted(regions))}.")
        if bucket["customPlacementConfig"].present:
            yield Problem(bucket["customPlacementConfig"], "The bucket is in two regions.")


@stack_rule(
    "scratch-lifecycle",
    Severity.ERROR,
    [BUCKET],
    remedy="Write a Delete rule with an age of a day or more and the prefix of the jobs, and one that aborts uploads.",
    source="Google, Port JAX workloads to Pathways; Cloud Storage documentation, Object lifecycle management",
    uses=OF_STACKS,
)
def scratch_expires(stack: Stack, _: Context) -> Iterator[Problem]:
    """Compiled programs are deleted with age, and what else has a place beside them, but no checkpoints; abandoned
    uploads are aborted; nothing is kept: no versions, no soft-deleted objects, no retention. A bucket has 50 rules at
    most, since Pathways adds its own.
    """
    for bucket in scratch_buckets(stack):
        rules = bucket["lifecycleRules"]
        if rules.certain:
            yield from _lifecycle(rules)
        yield from _kept_for_nothing(bucket)


def _lifecycle(rules: Value) -> Iterator[Problem]:
    deletions = live_deletions(rules)
    aborting = [rule for rule in rules.items() if rule.at("action", "type").text == "AbortIncompleteMultipartUpload"]
    if len(rules.items()) > MAX_LIFECYCLE_RULES:
        yield Problem(rules, f"{len(rules.items())} lifecycle rules; {MAX_LIFECYCLE_RULES} are possible.")
    if not any(condition["age"].number for condition in deletions):
        yield Problem(rules, "No lifecycle rule deletes compiled programs with age.")
    if not aborting:
        yield Problem(rules, "No lifecycle rule aborts unfinished uploads.")
    for condition in deletions:
        matched = condition["matchesPrefixes"].texts()
        if not condition["age"].number:
            yield Problem(condition, "A Delete rule without an age, or with age 0, takes objects at once.")
        if not matched and condition["matchesSuffixes"].absent:
            yield Problem(condition, "A Delete rule without a prefix takes every object of the bucket.")
        for prefix in matched:
            if NAME.search(prefix.lower()):
                yield Problem(condition, f"A Delete rule takes {prefix}, where checkpoints are.")


def _kept_for_nothing(bucket: Value) -> Iterator[Problem]:
    soft, versions = bucket.at("softDeletePolicy", "retentionDurationSeconds"), bucket.at("versioning", "enabled")
    if versions.is_true:
        yield Problem(
            versions, "Versions of compiled programs are kept, and billed.", "Write versioning.enabled false."
        )
    if not soft.unknown and soft.number != 0:
        kept = "seven days" if soft.absent else f"{soft} seconds"
        message = f"Deleted programs are kept and billed for {kept}."
        yield Problem(soft, message, "Write softDeletePolicy.retentionDurationSeconds 0.")
    for key in ("retentionPolicy", "enableObjectRetention"):
        if bucket[key].present and not bucket[key].is_false:
            yield Problem(bucket[key], "Objects cannot be deleted while they are retained.", f"Take {key} away.")
