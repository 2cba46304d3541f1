"""Jobs that one program drives through Pathways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from pathways.runtime import (
    HEAD_PORTS,
    MAIN_ENVIRONMENT,
    MAX_LABEL_LENGTH,
    MAX_NAME_LENGTH,
    SIDECAR_PORT,
    WORKER_PORTS,
    coordinator_label,
)
from pathways.settings.base import (
    LOCATION,
    NAME,
    XLA_FLAG,
    Fault,
    Name,
    Positive,
    Settings,
    Text,
    defaults,
    must_hold,
    refused,
)
from pathways.settings.containers import Pods, Resources, Secret, Texts, Variable
from pathways.settings.install import can_restart_slices, has_controller
from pathways.settings.job import Job
from pathways.wording import listed, quoted

Recovery = Literal["inJob", "slice", "job"]

OF_BATCH_JOBS = (
    "image",
    "command",
    "args",
    "env",
    "mounts",
    "resources",
    "port",
    "autocheckpoint",
    "noRestartOnExitCodes",
    "persistence",
    "profiling",
    "proxyTimeoutSeconds",
)
"""Settings of a job's own container."""


def _job_name(name: str) -> str:
    if len(name) > MAX_NAME_LENGTH:
        label = coordinator_label(name)
        raise refused(
            f"{quoted(name)} has {len(name)} characters, {MAX_NAME_LENGTH} are possible: JobSet puts the label"
            f" {quoted(label, 200)} on its pods, {len(label)} characters where {MAX_LABEL_LENGTH} fit"
        )
    return name


Location = Annotated[str, StringConstraints(pattern=LOCATION)]


def _free_variable(name: str) -> str:
    if name in MAIN_ENVIRONMENT:
        raise refused("is set by Pathways as well, and Kubernetes refuses a variable that comes twice; take it away")
    return name


OwnVariable = Annotated[Variable, AfterValidator(_free_variable)]


class Elastic(Settings):
    """The job goes on while some of its slices are away."""

    slices: Positive
    """Slices that may be away at once."""
    mode: Literal["replicaResize", "pauseResume"] = "replicaResize"
    """replicaResize: the program goes on with the slices that are left. pauseResume: it waits for all of them."""


class Head(Pods):
    """The head's pod: resource manager, proxy and the job's own container."""

    colocated: bool = False
    """Run the head on a node of the first slices and not in the head pool. It gets a priority of its own then, without
    which one slice would never start."""


class WorkerPods(Pods):
    """The workers' pods, one on each host of a slice."""

    shared_memory_gib: Positive | None = None
    """Size of the workers' /dev/shm, in GiB; absent: 64 MiB."""


class Component(Settings):
    """One of Pathways' own containers."""

    image: Text | None = None
    """Image; absent: Pathways' own of the job's JAX version."""
    flags: Texts = ()
    """Flags besides those that Pathways needs."""
    env: dict[Variable, str | Secret] = {}  # noqa: RUF012
    """Environment variables besides."""


class Sidecar(Component):
    """The server beside each worker that runs Python of the program: colocated Python. A job with it cannot be resumed
    from what Pathways has saved of it."""

    image: Text
    """Image with the sidecar and the program's packages, of the job's JAX version."""


class Components(Settings):
    """Pathways' own containers."""

    resource_manager: Component = defaults(Component)
    proxy: Component = defaults(Component)
    workers: Component = defaults(Component)
    sidecar: Sidecar | None = None
    """Absent: no colocated Python."""


class Xla(Settings):
    """The compiler, which runs in the proxy."""

    flags: list[Annotated[str, StringConstraints(pattern=XLA_FLAG)]] = []  # noqa: RUF012
    """Flags, such as --xla_tpu_scoped_vmem_limit_kib=65536."""
    dump: bool = False
    """Write the compiler's inputs to `scratch.dumps`, in a folder of the job's name."""
    dump_to: Location | None = None
    """Where the compiler's inputs are written instead, such as gs://my-bucket/hlo/."""

    @must_hold
    def _dumps_to_one_place(self) -> Iterator[Fault]:
        if self.dump and self.dump_to:
            yield Fault(("dumpTo",), "is instead of `dump`; take one of them away")


class Token(Settings):
    """A key of a Kubernetes Secret."""

    secret: Name
    """Name of the Secret, in the jobs' namespace."""
    key: Text = "token"
    """Key in it."""


class Profiling(Settings):
    """What guards the profiler that the program starts."""

    token: Token | None = None
    """What callers must present; absent: the profiler listens on loopback alone, for kubectl port-forward."""
    locations: Annotated[list[Location], Field(min_length=1)] | None = None
    """Where profiles may be written, as gs://BUCKET/PREFIX; absent: `scratch.profiles`, or below the place of compiled
    programs."""


class PathwaysWorkload(Job):
    """A Pathways job: one head, and workers on every slice."""

    name: Annotated[str, StringConstraints(pattern=NAME), AfterValidator(_job_name)]
    """Name of the job."""
    kind: Literal["pathways"]
    mode: Literal["batch", "headless"] = "batch"
    """batch: runs `image` and ends with it. headless: waits for programs that connect to its proxy."""
    env: dict[OwnVariable, str | Secret] = {}  # noqa: RUF012
    resources: Resources = defaults(Resources)
    port: Annotated[int, Field(ge=1024, le=65_535)] | None = None
    """Port that the program serves on, as inference does; a Service of the job's name and -server leads there."""
    recovery: Recovery = "inJob"
    """What starts again when a slice fails. inJob: its failed pods, the PathwaysJob controller's way, after a minute or
    never. slice: all of that slice, and nothing else; needs an alpha feature of JobSet 0.12. job: all of the job.
    Absent: inJob with the PathwaysJob controller; without it slice for elastic jobs, else job."""
    slice_restarts: Positive | None = None
    """With recovery inJob: how often each host of a slice may fail; absent: 4. With slice: there is no limit. With job
    none starts again alone."""
    elastic: Elastic | None = None
    """Absent: the job waits until all its slices are there again."""
    head: Head = defaults(Head)
    workers: WorkerPods = defaults(WorkerPods)
    components: Components = defaults(Components)
    metrics: bool = False
    """Let Pathways' own containers collect metrics."""
    persistence: bool = False
    """Let workers write and read checkpoints themselves, by Pathways' handlers for Orbax."""
    proxy_timeout_seconds: Positive | None = None
    """How long the program waits for the proxy, for pools that grow when they are wanted."""
    xla: Xla = defaults(Xla)
    profiling: Profiling | None = None
    """Absent: the program starts no profiler server, or guards it itself."""

    @must_hold
    def _has_what_its_mode_needs(self) -> Iterator[Fault]:
        if self.mode == "batch" and self.image is None:
            yield Fault(("image",), "is missing: a batch job runs one; or write mode: headless")
        written = {type(self).model_fields[name].alias for name in self.model_fields_set}
        for key in OF_BATCH_JOBS if self.mode == "headless" else ():
            if key in written:
                yield Fault((key,), "is of a batch job; a headless one has no container of its own; take it away")

    @must_hold
    def _serves_on_a_port_of_its_own(self) -> Iterator[Fault]:
        taken = (*HEAD_PORTS, *((*WORKER_PORTS, SIDECAR_PORT) if self.head.colocated else ()))
        if self.port in taken:
            yield Fault(("port",), f"{self.port} is Pathways' own there, as are {listed([*map(str, taken)])}")

    @must_hold
    def _has_the_slices_that_may_be_away(self) -> Iterator[Fault]:
        if self.elastic and self.elastic.slices > self.slices.count:
            yield Fault(
                ("elastic", "slices"),
                f"{self.elastic.slices} slices may be away, the job has {self.slices.count}; lower it to"
                f" {self.slices.count} at most",
            )

    @must_hold
    def _counts_what_its_recovery_counts(self) -> Iterator[Fault]:
        if self.slice_restarts is not None and self.recovery != "inJob":
            why = {"slice": "a slice starts again as often as it fails", "job": "no slice starts again alone"}
            yield Fault(("sliceRestarts",), f"means nothing with recovery {self.recovery}: {why[self.recovery]}")
        for key, value in (
            ("maintenanceCounts", self.maintenance_counts),
            ("noRestartOnExitCodes", self.no_restart_on_exit_codes or None),
        ):
            if value is not None and self.recovery == "inJob":
                yield Fault((key,), "means nothing with recovery inJob, whose retries count whatever fails")

    @property
    def retries_per_host(self) -> int:
        """How often each host of a slice may fail with recovery inJob."""
        return self.slice_restarts or 4

    @property
    def minimum_slices(self) -> int:
        """Slices with which an elastic job's program goes on."""
        if self.elastic and self.elastic.mode == "replicaResize":
            return max(self.slices.count - self.elastic.slices, 1)
        return self.slices.count


def has_head_in_pool(written: Mapping[str, Any]) -> bool:
    """Return whether a workload, as it is written, has a head that runs in the head pool."""
    head = written.get("head")
    colocated = isinstance(head, Mapping) and head.get("colocated") is True
    return written.get("kind") != "multislice" and not colocated


def derive_recovery(written: Any, install: Any) -> Any:
    """Return a workload as it is written, with its recovery, where that follows from the rest and from `install`."""
    if not isinstance(written, dict) or written.get("kind") != "pathways" or "recovery" in written:
        return written
    if has_controller(install):
        return {**written, "recovery": "inJob"}
    return {**written, "recovery": "slice" if written.get("elastic") and can_restart_slices(install) else "job"}
