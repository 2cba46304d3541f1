"""What every job has, with Pathways or without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from pathways.runtime import AUTOCHECKPOINT_GRACE_SECONDS, QUEUE_LABEL, QUEUE_PRIORITY_LABEL
from pathways.settings.base import (
    NAME,
    VERSION,
    Fault,
    NotNegative,
    Positive,
    Settings,
    Text,
    defaults,
    must_hold,
    repeated,
)
from pathways.settings.containers import ExitCode, LabelKey, LabelValue, Mount, Secret, Texts, Variable


class Overrides(Settings):
    """The way out: merged last into the object that the job becomes. Mappings are merged, lists of named items by name,
    null takes away, all else replaces. The plan shows what it changes."""

    metadata: dict[Text, Any] = {}  # noqa: RUF012
    """Labels and annotations of the PathwaysJob or JobSet."""
    spec: dict[Text, Any] = {}  # noqa: RUF012
    """Of the PathwaysJob or JobSet."""

    @must_hold
    def _keeps_its_identity(self) -> Iterator[Fault]:
        for key in self.metadata:
            if key not in ("labels", "annotations"):
                yield Fault(("metadata", key), "is not the settings' to change; legal: labels annotations")

    @property
    def patch(self) -> dict[str, Any]:
        """What is merged; empty where nothing is."""
        return {key: value for key, value in (("metadata", self.metadata), ("spec", self.spec)) if value}


class SliceRequest(Settings):
    """Slices that a job runs on."""

    group: Text
    """Name of a group of `slices`."""
    count: Positive
    """Slices of it."""


class Job(Settings):
    """A job on slices of one group."""

    slices: SliceRequest
    image: Text | None = None
    """Image of the job's own container."""
    command: Texts = ()
    """Its command; absent: the image's."""
    args: Texts = ()
    """Arguments of the command."""
    env: dict[Variable, str | Secret] = {}  # noqa: RUF012
    """Environment variables of the job's own container."""
    mounts: list[Mount] = []  # noqa: RUF012
    """Folders of the job's own container that come from elsewhere."""
    jax: Annotated[str, StringConstraints(pattern=VERSION)] | None = None
    """JAX version of this job, in quotes; absent: the stack's."""
    priority: Text | None = None
    """One of `priorities`, for all pods of the job; the head of a headless PathwaysJob can have none."""
    queue: Text | None = None
    """One of `queues`, in which the job waits until all its slices are free; needed where there are any."""
    job_restarts: NotNegative = 1
    """How often the whole job may start again after a failure."""
    maintenance_counts: bool | None = None
    """Whether a restart because nodes were taken away (maintenance, preemption, failed hardware) is one of jobRestarts.
    Absent: not where that can be told apart, in a JobSet with recovery job or slice."""
    no_restart_on_exit_codes: list[ExitCode] = []  # noqa: RUF012
    """Exit codes of the job's own container after which it does not start again, such as that of a wrong flag."""
    autocheckpoint: bool = False
    """Tell the program to save a checkpoint when its end is announced, and give it five minutes for that."""
    termination_grace_seconds: Annotated[int, Field(ge=0, le=86_400)] | None = None
    """Seconds between the wish that a pod ends and its end. Absent: 60; with autocheckpoint 300."""
    time_to_live_seconds: NotNegative | None = None
    """Seconds after its end at which the job and its pods are deleted; absent: never."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When images are pulled, for all containers; absent: Pathways' own always, others as Kubernetes decides."""
    image_pull_secrets: list[Annotated[str, StringConstraints(pattern=NAME, max_length=63)]] = []  # noqa: RUF012
    """Secrets of the jobs' namespace with which images are pulled."""
    labels: dict[LabelKey, LabelValue] = {}  # noqa: RUF012
    """Labels of the job."""
    annotations: dict[LabelKey, str] = {}  # noqa: RUF012
    """Annotations of the job; with the PathwaysJob controller also of its head."""
    overrides: Overrides = defaults(Overrides)

    @must_hold
    def _has_time_for_its_checkpoint(self) -> Iterator[Fault]:
        seconds = self.termination_grace_seconds
        if self.autocheckpoint and seconds is not None and seconds < AUTOCHECKPOINT_GRACE_SECONDS:
            message = f"{seconds} is too short for autocheckpoint; {AUTOCHECKPOINT_GRACE_SECONDS} at least"
            yield Fault(("terminationGraceSeconds",), message)

    @must_hold
    def _is_labelled_by_its_queue(self) -> Iterator[Fault]:
        for key in (QUEUE_LABEL, QUEUE_PRIORITY_LABEL):
            if self.queue is not None and key in self.labels:
                yield Fault(("labels", key), "follows from queue and priority; take it away")

    @must_hold
    def _mounts_each_folder_once(self) -> Iterator[Fault]:
        yield from repeated("mounts", [mount.path.rstrip("/") or "/" for mount in self.mounts], "path")

    @must_hold
    def _names_each_pull_secret_once(self) -> Iterator[Fault]:
        yield from repeated("imagePullSecrets", self.image_pull_secrets)

    @property
    def grace_seconds(self) -> int:
        """Seconds between the wish that a pod ends and its end."""
        if self.termination_grace_seconds is not None:
            return self.termination_grace_seconds
        return AUTOCHECKPOINT_GRACE_SECONDS if self.autocheckpoint else 60
