"""What a job's own container is made of, and where its pods may run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict, StringConstraints

from pathways.quantities import binary_quantity
from pathways.settings.base import (
    LABEL_KEY,
    LABEL_VALUE,
    NAME,
    VARIABLE,
    Fault,
    Name,
    Positive,
    Settings,
    Text,
    must_hold,
    refused,
)

GIB = 1024**3


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise refused("is no absolute path; it begins with a slash")
    if ":" in path or not {"", ".", ".."}.isdisjoint(path.rstrip("/").split("/")[1:] or [""]):
        raise refused("is no plain path of a folder, such as /data/train: no dots, no colons, no double slashes")
    return path


Texts = Annotated[tuple[Annotated[str, Strict(), StringConstraints(max_length=65_536)], ...], Strict(False)]
Variable = Annotated[str, StringConstraints(pattern=VARIABLE, max_length=256)]
AbsolutePath = Annotated[Text, AfterValidator(_absolute)]
LabelKey = Annotated[str, StringConstraints(pattern=LABEL_KEY)]
LabelValue = Annotated[str, StringConstraints(pattern=LABEL_VALUE)]
ExitCode = Annotated[int, Field(ge=1, le=255)]


SHARED_MEMORY_FOLDER = "/dev/shm"


class Secret(Settings):
    """An encrypted value: `pulumi config set --secret` writes it. Commands that work offline do not look inside."""

    secure: Text
    """The value, encrypted."""


class Resources(Settings):
    """What the job's own container may use of the head's node, besides resource manager and proxy."""

    cpus: Positive = 8
    """CPUs."""
    memory_gib: Positive = 32
    """Memory, in GiB; the shared memory is a part of it."""
    shared_memory_gib: Positive | None = None
    """Size of /dev/shm, in GiB, through which the processes of a data loader pass batches; absent: half the memory."""

    @must_hold
    def _shared_memory_is_a_part(self) -> Iterator[Fault]:
        if self.shared_memory_gib and self.shared_memory_gib >= self.memory_gib:
            yield Fault(
                ("sharedMemoryGib",),
                f"{self.shared_memory_gib} is not less than memoryGib, {self.memory_gib}, of which it is a part",
            )

    @property
    def memory_bytes(self) -> int:
        return self.memory_gib * GIB

    @property
    def shared_memory(self) -> str:
        """Size of /dev/shm, as Kubernetes writes it."""
        gib = self.shared_memory_gib
        return binary_quantity(gib * 1024 if gib else self.memory_gib * 512)


class Mount(Settings):
    """A folder of the job's own container that comes from elsewhere: exactly one of claim, secret and configMap."""

    path: AbsolutePath
    """Where the container sees it."""
    claim: Name | None = None
    """PersistentVolumeClaim of the jobs' namespace."""
    secret: Name | None = None
    """Secret of the jobs' namespace."""
    config_map: Name | None = None
    """ConfigMap of the jobs' namespace."""
    read_only: bool = False
    """The container cannot write there."""

    @must_hold
    def _has_one_source(self) -> Iterator[Fault]:
        if self.path.rstrip("/") == SHARED_MEMORY_FOLDER:
            yield Fault(("path",), "is the shared memory; resources.sharedMemoryGib is its size")
        count = sum(source is not None for source in (self.claim, self.secret, self.config_map))
        if count != 1:
            yield Fault((), f"has {count} of claim, secret and configMap; exactly one is wanted")


class Toleration(Settings):
    """A taint of nodes that pods put up with."""

    key: LabelKey
    """Key of the taint."""
    operator: Literal["Exists", "Equal"] = "Exists"
    """Exists: whatever the taint's value is."""
    value: LabelValue | None = None
    """Value of the taint, with Equal."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Absent: every effect."""

    @must_hold
    def _value_is_of_equal(self) -> Iterator[Fault]:
        if (self.operator == "Equal") != (self.value is not None):
            verb = "is missing; Equal compares with it" if self.value is None else "is of operator: Equal"
            yield Fault(("value",), verb)


class Pods(Settings):
    """Where pods may run, and as whom."""

    node_selector: dict[LabelKey, LabelValue] = {}  # noqa: RUF012
    """Labels that their nodes have, besides those that follow from the group."""
    tolerations: list[Toleration] = []  # noqa: RUF012
    """Taints that they put up with, besides that of TPU nodes."""
    service_account: Annotated[str, StringConstraints(pattern=NAME, max_length=63)] | None = None
    """Kubernetes service account; the stack makes it. Absent: the namespace's default. On the host network, where
    Pathways runs, rights in Google Cloud are those of the node's account all the same."""
