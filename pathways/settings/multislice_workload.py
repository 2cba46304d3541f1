"""Jobs whose program runs on every host, without Pathways."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from pathways.quantities import binary_quantity
from pathways.runtime import GKE_ENVIRONMENT
from pathways.settings.base import NAME, Positive, Settings, Text, defaults, refused
from pathways.settings.containers import Pods, Secret, Variable
from pathways.settings.job import Job
from pathways.wording import quoted

MAX_NAME_LENGTH = 40
"""Room for the longest name of a pod, NAME-slice-SLICE-WORKER-xxxxx, in the 63 characters of a label."""


def _job_name(name: str) -> str:
    if len(name) > MAX_NAME_LENGTH:
        raise refused(
            f"{quoted(name)} has {len(name)} characters, {MAX_NAME_LENGTH} are possible: pods are called"
            f" {quoted(f'{name}-slice-SLICE-WORKER-xxxxx', 200)}, and 63 characters fit"
        )
    return name


def _not_of_gke(name: str) -> str:
    if name in GKE_ENVIRONMENT:
        raise refused("is what GKE tells each host, each in its own way; take it away")
    return name


HostVariable = Annotated[Variable, AfterValidator(_not_of_gke)]


class HostResources(Settings):
    """What the program may use of each host, besides all its chips."""

    cpus: Positive | None = None
    """CPUs; absent: as many as are free."""
    memory_gib: Positive | None = None
    """Memory, in GiB; absent: as much as is free."""
    shared_memory_gib: Positive | None = None
    """Size of /dev/shm, in GiB, which is a part of the memory; absent: half of that, or of the host's."""

    def shared_memory(self, host_gib: int | None) -> str | None:
        """Return the size of /dev/shm, as Kubernetes writes it. host_gib: the host's memory; None where unknown."""
        if self.shared_memory_gib:
            return binary_quantity(self.shared_memory_gib * 1024)
        memory = self.memory_gib or host_gib
        return binary_quantity(memory * 512) if memory else None


class MultisliceWorkload(Job):
    """One program on every host of every slice; GKE tells each which of them it is. It has its group to itself, unless
    it is in a queue."""

    name: Annotated[str, StringConstraints(pattern=NAME), AfterValidator(_job_name)]
    """Name of the job."""
    kind: Literal["multislice"]
    image: Text
    """Image of the program."""
    env: dict[HostVariable, str | Secret] = {}  # noqa: RUF012
    resources: HostResources = defaults(HostResources)
    host_network: bool = True
    """Use the hosts' network directly, which is faster between slices."""
    privileged: bool = False
    """Give the program all rights on its host, as programs that read the host's devices want."""
    shares_group: bool = False
    """Let pods of other jobs into the group, as jobs in a queue do anyway. Without a queue, two jobs that need most of
    it can then wait for each other for ever."""
    workers: Pods = defaults(Pods)

    @property
    def has_group_to_itself(self) -> bool:
        """Whether pods of other jobs are kept out of its group. In a queue it starts with all its slices or not at all,
        so that no two jobs wait for each other."""
        return not self.shares_group and self.queue is None
