"""The whole of a stack's settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, StringConstraints, ValidationInfo, model_validator

from pathways.runtime import RESERVED_PRIORITIES
from pathways.settings.addresses import shortages, uses
from pathways.settings.base import VERSION, ZONE, Fault, Name, Positive, Settings, defaults, must_hold
from pathways.settings.checkpoints import CheckpointSettings
from pathways.settings.cluster import ClusterSettings
from pathways.settings.encryption import EncryptionSettings
from pathways.settings.head import MAX_NODES, HeadSettings
from pathways.settings.install import InstallSettings
from pathways.settings.monitoring import MonitoringSettings
from pathways.settings.network import NetworkSettings
from pathways.settings.pathways_workload import derive_recovery, has_head_in_pool
from pathways.settings.queues import Queue
from pathways.settings.rates import Rates
from pathways.settings.scratch import ScratchSettings
from pathways.settings.slices import SliceGroup
from pathways.settings.system import SystemSettings
from pathways.settings.tpu_vms import TpuVm
from pathways.settings.workloads import Workload
from pathways.wording import counted, quoted

Zone = Annotated[str, StringConstraints(pattern=ZONE)]
Version = Annotated[str, StringConstraints(pattern=VERSION)]
PriorityValue = Annotated[int, Field(ge=0, lt=RESERVED_PRIORITIES)]
"""Kubernetes keeps values from a billion on for itself. A negative one makes a label that is illegal (jobset#1291)."""


class StackSettings(Settings):
    """Slices, and the Pathways jobs that run on them, as one environment has them."""

    environment: Literal["dev", "prod"] = "prod"
    """prod protects what is dear; dev can be torn down."""
    zone: Zone
    """The one zone of all nodes, such as us-east5-b."""
    jax: Version
    """JAX version of the jobs, such as "0.8.3", in quotes. Pathways' images are those of the same version."""
    namespace: Name = "pathways"
    """Kubernetes namespace of the jobs."""
    cluster: ClusterSettings = defaults(ClusterSettings)
    network: NetworkSettings = defaults(NetworkSettings)
    system: SystemSettings = defaults(SystemSettings)
    head: HeadSettings = defaults(HeadSettings)
    slices: Annotated[list[SliceGroup], Field(min_length=1)]
    """Groups of equal slices."""
    scratch: ScratchSettings = defaults(ScratchSettings)
    checkpoints: CheckpointSettings | None = None
    """Absent: jobs bring a place for checkpoints of their own."""
    encryption: EncryptionSettings | None = None
    """A key of your own for disks, buckets and the cluster's secrets; absent: Google's."""
    priorities: dict[Name, PriorityValue] = {}  # noqa: RUF012
    """PriorityClasses: name and value; jobs with a higher one push out others."""
    queues: list[Queue] = []  # noqa: RUF012
    """Queues in which jobs wait for slices, one for each team. What a team leaves idle, others use, until it wants
    it."""
    workloads: list[Workload] = []  # noqa: RUF012
    """Jobs."""
    replaceable: list[Name] = []  # noqa: RUF012
    """Jobs that the next update may replace in prod, though they run: a changed job is replaced. To take a job away,
    name it here, deploy, and take it out then."""
    install: InstallSettings = defaults(InstallSettings)
    monitoring: MonitoringSettings = defaults(MonitoringSettings)
    tpu_vms: list[TpuVm] = []  # noqa: RUF012
    """TPU slices outside GKE, as virtual machines in the stack's network."""
    budget: Positive | None = None
    """Chips that all slices together may have, spares and TPU VMs included."""
    rates: Rates = {}  # noqa: RUF012
    """USD for a chip-hour, by TPU generation (v6e: 2.7). The plan tells costs with them."""

    _origin: Any = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _derive(cls, written: Any, info: ValidationInfo) -> Any:
        """Fill in what is absent and follows from something else."""
        if not isinstance(written, dict):
            return written
        origin = info.context
        assert isinstance(origin, Origin), "settings are made by load_stack_file and parse_settings"
        cluster = _copy(written.get("cluster"))
        cluster.setdefault("name", f"pathways-{origin.stack}")
        cluster.setdefault("deletionProtection", written.get("environment") != "dev")
        scratch = _copy(written.get("scratch"))
        scratch.setdefault("bucket", f"{origin.project}-{cluster['name']}-scratch")
        head = _copy(written.get("head"))
        each = (head.get("minNodes"), _with_heads(written.get("workloads")), written.get("queues"))
        wanted = max(map(_count, each))
        head.setdefault("maxNodes", min(wanted, MAX_NODES))
        monitoring = _copy(written.get("monitoring"))
        monitoring.setdefault("enabled", written.get("environment") != "dev")
        derived: dict[str, Any] = {"cluster": cluster, "scratch": scratch, "head": head, "monitoring": monitoring}
        if isinstance(written.get("checkpoints"), dict):
            bucket = f"{origin.project}-{cluster['name']}-checkpoints"
            derived["checkpoints"] = {"bucket": bucket, **written["checkpoints"]}
        derived = {key: value for key, value in derived.items() if _is_mapping_or_absent(written, key)}
        if isinstance(written.get("workloads"), list):
            derived["workloads"] = [derive_recovery(job, written.get("install")) for job in written["workloads"]]
        return {**written, **derived}

    @must_hold
    def _has_addresses(self) -> Iterator[Fault]:
        if not self.network.existing and not self.cluster.existing:
            yield from shortages(uses(self.network, self.slices, self.head, self.system))

    @must_hold
    def _leaves_alone_what_others_made(self) -> Iterator[Fault]:
        """What is of the stack's own network and cluster is not written beside those of others."""
        if self.cluster.existing:
            for key in ("network", "system"):
                if key in self.model_fields_set:
                    yield Fault((key,), "is that of the existing cluster, which cluster.existing names")
            for index, group in enumerate(self.slices):
                if group.networking == "secondNic":
                    yield Fault(("slices", index, "networking"), "needs a network beside the existing cluster's")
        if self.tpu_vms and (self.cluster.existing or self.network.existing):
            yield Fault(("tpuVms",), "are in the stack's own network, and it has none")

    @must_hold
    def _has_its_key_at_hand(self) -> Iterator[Fault]:
        if self.encryption and self.encryption.location != self.region:
            message = (
                f"is in {self.encryption.location}, disks and buckets are in {self.region}; take a key in that region"
            )
            yield Fault(("encryption", "key"), message)

    def model_post_init(self, context: Any, /) -> None:
        self._origin = context

    @must_hold
    def _keeps_checkpoints_apart(self) -> Iterator[Fault]:
        checkpoints, scratch = self.checkpoints, self.scratch
        if checkpoints and scratch.enabled and checkpoints.bucket == scratch.bucket:
            ages = ", ".join(f"{place.prefix}/ after {counted(place.expire_days, 'day')}" for place in scratch.places)
            message = (
                f"{quoted(checkpoints.bucket)} is the scratch bucket, which keeps nothing that is deleted and deletes"
                f" {ages}; name another one"
            )
            yield Fault(("checkpoints", "bucket"), message)

    @property
    def stack(self) -> str:
        """Name of the stack."""
        return str(self._origin.stack)

    @property
    def project(self) -> str:
        """Google Cloud project that owns all of it."""
        return str(self._origin.project)

    @property
    def region(self) -> str:
        return self.zone.rpartition("-")[0]

    @property
    def cluster_location(self) -> str:
        """Region, or zone of an existing cluster, of the control plane."""
        existing = self.cluster.existing
        return existing.location if existing and existing.location else self.region

    @property
    def jobset_feature_gates(self) -> tuple[str, ...]:
        """Features of JobSet that jobs need and that are off by default, being alpha."""
        wanted = any(getattr(workload, "recovery", None) == "slice" for workload in self.workloads)
        return ("RestartJob",) if wanted else ()

    def jax_of(self, workload: Workload) -> str:
        """Return the JAX version of a job."""
        return workload.jax or self.jax

    def priority_value(self, workload: Workload) -> int:
        """Return the value of a job's PriorityClass; 0 without one, as Kubernetes has it."""
        return self.priorities[workload.priority] if workload.priority else 0

    def group(self, name: str) -> SliceGroup:
        """Return the group of that name."""
        return next(group for group in self.slices if group.name == name)


@dataclass(frozen=True)
class Origin:
    """What settings take from outside the mapping that they are read from: the stack's name and its project."""

    stack: str
    project: str


def _copy(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _is_mapping_or_absent(written: dict[str, Any], key: str) -> bool:
    return key not in written or isinstance(written[key], dict)


def _with_heads(workloads: Any) -> Any:
    """Return the jobs that have a head in the head pool."""
    if not isinstance(workloads, list):
        return workloads
    return [job for job in workloads if not isinstance(job, dict) or has_head_in_pool(job)]


def _count(value: Any) -> int:
    """Return a number, or the length of a list, 1 at least; 1 for what is neither: its own validator complains."""
    number = len(value) if isinstance(value, list) else value
    return max(number, 1) if type(number) is int else 1
