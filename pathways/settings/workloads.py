"""Jobs that run on the slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict, StringConstraints

from pathways.runtime import MAIN_ENVIRONMENT, MAX_LABEL_LENGTH, MAX_NAME_LENGTH, coordinator_label
from pathways.settings.base import (
    NAME,
    VARIABLE,
    Fault,
    NotNegative,
    Positive,
    Settings,
    Text,
    defaults,
    must_hold,
    refused,
)
from pathways.wording import quoted

GIB = 1024**3

OF_BATCH_JOBS = ("image", "command", "args", "env", "resources")
"""Settings of a job's own container."""


def _job_name(name: str) -> str:
    if len(name) > MAX_NAME_LENGTH:
        label = coordinator_label(name)
        raise refused(
            f"{quoted(name)} has {len(name)} characters, {MAX_NAME_LENGTH} are possible: JobSet puts the label"
            f" {quoted(label, 200)} on its pods, {len(label)} characters where {MAX_LABEL_LENGTH} fit"
        )
    return name


def _free_variable(name: str) -> str:
    if name in MAIN_ENVIRONMENT:
        raise refused("is set by Pathways as well, and Kubernetes refuses a variable that comes twice; take it away")
    return name


JobName = Annotated[str, StringConstraints(pattern=NAME), AfterValidator(_job_name)]
Texts = Annotated[tuple[Annotated[str, Strict(), StringConstraints(max_length=65_536)], ...], Strict(False)]
VariableName = Annotated[str, StringConstraints(pattern=VARIABLE, max_length=256), AfterValidator(_free_variable)]


class Secret(Settings):
    """An encrypted value: `pulumi config set --secret` writes it. Commands that work offline do not look inside."""

    secure: Text
    """The value, encrypted."""


class SliceRequest(Settings):
    """Slices that a job runs on."""

    group: Text
    """Name of a group of `slices`."""
    count: Positive
    """Slices of it."""


class Resources(Settings):
    """What the job's own container may use of the head's node, besides resource manager and proxy."""

    cpus: Positive = 8
    """CPUs."""
    memory_gib: Positive = 32
    """Memory, in GiB."""

    @property
    def memory_bytes(self) -> int:
        return self.memory_gib * GIB


class Elastic(Settings):
    """The job goes on while some of its slices are away."""

    slices: Positive
    """Slices that may be away at once."""
    slice_restarts: Positive = 4
    """How often each host of a slice may fail. 4 is what jobs that are not elastic have; upstream's default is 1."""


class PathwaysWorkload(Settings):
    """A Pathways job: one head, and workers on every slice."""

    name: JobName
    """Name of the job."""
    kind: Literal["pathways"]
    slices: SliceRequest
    mode: Literal["batch", "headless"] = "batch"
    """batch: runs `image` and ends with it. headless: waits for programs that connect to its proxy."""
    image: Text | None = None
    """Image of the job's container."""
    command: Texts = ()
    """Its command; absent: the image's."""
    args: Texts = ()
    """Arguments of the command."""
    env: dict[VariableName, str | Secret] = {}  # noqa: RUF012
    """Environment variables of the job's container."""
    resources: Resources = defaults(Resources)
    priority: Text | None = None
    """One of `priorities`, for head and workers."""
    max_restarts: NotNegative = 1
    """How often the whole job may start again after a failure."""
    termination_grace_seconds: Annotated[int, Field(ge=0, le=86_400)] = 60
    """Seconds between the wish that a pod ends and its end."""
    elastic: Elastic | None = None
    """Absent: the job waits until all its slices are there again."""

    @must_hold
    def _has_what_its_mode_needs(self) -> Iterator[Fault]:
        if self.mode == "batch" and self.image is None:
            yield Fault(("image",), "is missing: a batch job runs one; or write mode: headless")
        for key in OF_BATCH_JOBS if self.mode == "headless" else ():
            if key in self.model_fields_set:
                yield Fault((key,), "is of a batch job; a headless one has no container of its own; take it away")

    @must_hold
    def _has_the_slices_that_may_be_away(self) -> Iterator[Fault]:
        if self.elastic and self.elastic.slices > self.slices.count:
            yield Fault(
                ("elastic", "slices"),
                f"{self.elastic.slices} slices may be away, the job has {self.slices.count}; lower it to"
                f" {self.slices.count} at most",
            )
