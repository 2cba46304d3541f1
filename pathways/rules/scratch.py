"""Rules about the place that a job names for Pathways' compiled programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pathways.buckets import MAX_LIFECYCLE_RULES, bucket_name_fault
from pathways.rules.jobs import JobSet, PathwaysJob, arguments, is_resource_manager, job_name
from pathways.rules.kinds import BUCKET, JOBS, PATHWAYS_JOB, SCRATCH_BUCKET
from pathways.rules.model import Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.stack import Stack
from pathways.rules.values import Value

SCHEME = "gs://"
FLAG = "gcs_scratch_location"


@dataclass(frozen=True)
class Location:
    """A place in Cloud Storage that a job names. text: as it is written, "" for nowhere. at: where that is written."""

    text: str
    at: Value

    @property
    def bucket(self) -> str:
        return self.text.removeprefix(SCHEME).partition("/")[0]

    @property
    def prefix(self) -> str:
        """The folder in the bucket, without slashes at its ends."""
        return self.text.removeprefix(SCHEME).partition("/")[2].strip("/")

    def lies_in(self, other: Location) -> bool:
        """Whether this is the same folder as another, or one below it."""
        inside = f"{self.prefix}/".startswith(f"{other.prefix}/" if other.prefix else "")
        return self.bucket == other.bucket and bool(self.bucket) and inside


def scratch_locations(job: Value) -> list[Location]:
    """Return where a job keeps compiled programs: a PathwaysJob names one place, a JobSet one for each of Pathways'
    containers with the flag.
    """
    if job.resource.kind == PATHWAYS_JOB:
        place = PathwaysJob(job).spec["pathwaysDir"]
        written = "" if place.absent else place.text
        return [] if written is None else [Location(written, place)]
    return [
        Location(text, place)
        for replicated in JobSet(job).jobs
        for container in replicated.pod.containers
        for name, text, place in arguments(container)
        if name == FLAG
    ]


@resource_rule(
    "scratch-location",
    Severity.ERROR,
    [*JOBS],
    remedy="Write gs://BUCKET/PREFIX with a bucket of yours, in the region of the slices.",
    source="Cloud Storage documentation, About buckets; Google, Port JAX workloads to Pathways",
    mild_when="no place is named: compiled programs are then kept in memory alone",
)
def scratch_is_possible(job: Value, _: Context) -> Iterator[Problem]:
    """The place for compiled programs is a folder of a bucket that can exist and that one may write to: not a
    placeholder, not Google's own staging bucket (403 at the first compilation), not the root.
    """
    if job.resource.kind != PATHWAYS_JOB and not JobSet(job).tpu_jobs:
        return
    locations = scratch_locations(job)
    nowhere = [location.at for location in locations if not location.text] if locations else _without_the_flag(job)
    if nowhere:
        message = "No place for compiled programs: they are kept in memory, and compiled again at every start."
        yield Problem(nowhere[0], message, severity=Severity.WARNING)
    for location in locations:
        if location.text and (fault := location_fault(location)):
            yield Problem(location.at, fault)


def _without_the_flag(job: Value) -> list[Value]:
    """Return the arguments of resource managers, in a JobSet none of whose containers has the flag."""
    if job.resource.kind == PATHWAYS_JOB or not job["spec"].certain:
        return []
    containers = [container for replicated in JobSet(job).jobs for container in replicated.pod.containers]
    known = all(container["args"].certain for container in containers)
    return [container["args"] for container in containers if known and is_resource_manager(container)]


def location_fault(location: Location) -> str | None:
    """Return what is wrong with a place that is named, in a sentence, or None."""
    shown = str(Value(location.at.resource, (), location.text))
    if not location.text.startswith(SCHEME):
        return f"{shown} does not begin with {SCHEME}."
    if fault := bucket_name_fault(location.bucket):
        return f"{shown}: {Value(location.at.resource, (), location.bucket)} {fault}."
    if not location.prefix:
        return f"{shown} is the root of the bucket; rules that delete with age would take all of it."
    return None


@stack_rule(
    "scratch-shared",
    Severity.ERROR,
    [*JOBS],
    remedy="Give all jobs the same prefix.",
    source="Google, Port JAX workloads to Pathways: at most 50 prefixes with rules for each bucket",
    mild_when=f"there are no more than {MAX_LIFECYCLE_RULES} prefixes",
)
def one_prefix_for_all(stack: Stack, _: Context) -> Iterator[Problem]:
    """All jobs keep compiled programs in one place: for every prefix Pathways adds a lifecycle rule to the bucket,
    which takes 50.
    """
    prefixes: dict[str, dict[str, Location]] = {}
    for job in stack.each(*JOBS):
        for location in scratch_locations(job):
            if location.text and not location_fault(location):
                prefixes.setdefault(location.bucket, {}).setdefault(location.prefix, location)
    for bucket, found in prefixes.items():
        if len(found) > 1:
            last = list(found.values())[-1]
            in_use = f"{len(found)} prefixes of the bucket {bucket} are in use"
            too_many = len(found) > MAX_LIFECYCLE_RULES
            message = f"{in_use}; with more than {MAX_LIFECYCLE_RULES}, jobs fail."
            yield Problem(last.at, message, severity=None if too_many else Severity.WARNING)


@stack_rule(
    "scratch-in-the-stacks-bucket",
    Severity.ERROR,
    [*JOBS],
    remedy="Name the bucket of the stack: its accounts have the rights on it.",
    source="Google, Port JAX workloads to Pathways",
)
def in_the_stacks_bucket(stack: Stack, _: Context) -> Iterator[Problem]:
    """Where the stack has a scratch bucket, jobs use it: no other one is known to be near and to admit them."""
    own = [bucket for bucket in stack.each(BUCKET) if SCRATCH_BUCKET in bucket.resource.component_types]
    names = {bucket["name"].text for bucket in own}
    if not own or None in names:
        return
    for job in stack.each(*JOBS):
        for location in scratch_locations(job):
            if location.text.startswith(SCHEME) and location.bucket not in names:
                known = ", ".join(sorted(str(name) for name in names))
                yield Problem(location.at, f"{job_name(job)} uses the bucket {location.bucket}, the stack has {known}.")
