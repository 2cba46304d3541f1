"""The catalogue of TPU generations and machine types: catalog.yaml, typed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from pathways.tpu.topology import Topology, cuboids, parse_topology, spell


class Placement(StrEnum):
    """How GKE keeps the hosts of a slice together."""

    NONE = "none"
    """One host: GKE refuses a placement policy with a topology."""
    COMPACT = "compact"
    """A placement policy of the node pool, of type COMPACT, with the topology."""
    WORKLOAD = "workload"
    """A resource policy of type HIGH_THROUGHPUT with the topology, which the node pool names."""


COMPLETE_ZONES = "us-"
"""How the names of zones begin for which Google's lists are complete; others can have more than the catalogue says."""


@dataclass(frozen=True)
class Quota:
    """Display names of the regional Compute Engine quotas for a generation's chips. A reservation needs neither."""

    standard: str
    preemptible: str


@dataclass(frozen=True)
class TpuVmTerms:
    """How the Cloud TPU API speaks of a generation. name: in accelerator types. runtime: software version for JAX."""

    name: str
    runtime: str


@dataclass(frozen=True, eq=False, repr=False)
class Generation:
    """A TPU generation. catalog.yaml says what each figure means and where it is from.

    topologies: the published ones. longest_side: of unpublished cuboids; None where there are none.
    networking: what hosts can have besides one NIC: "secondNic", "dra".
    documented_chips: the largest slice in Google's documents. notes: where sources contradict each other.
    tpu_vm: None where the Cloud TPU API does not support the generation.
    """

    name: str
    names: tuple[str, ...]
    tensor_cores: int
    hbm_gb: int
    pod_chips: int
    accelerator: str
    placement: Placement
    boot_disk: str
    gke_version: str
    zones: tuple[str, ...]
    quota: Quota
    topologies: tuple[Topology, ...]
    longest_side: int | None
    documented_chips: int
    notes: tuple[str, ...]
    networking: tuple[str, ...] = ()
    tpu_vm: TpuVmTerms | None = None
    machines: list[Machine] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Generation({self.name})"

    def is_offered_in(self, zone: str) -> bool | None:
        """Whether a zone has the generation; None where the catalogue's list does not settle it."""
        if zone in self.zones:
            return True
        return False if zone.startswith(COMPLETE_ZONES) else None

    @cached_property
    def published(self) -> frozenset[Topology]:
        return frozenset(self.topologies)

    @cached_property
    def legal_topologies(self) -> tuple[Topology, ...]:
        """The published topologies, then the cuboids that no published list has, each part by size."""
        if self.longest_side is None:
            return self.topologies
        others = set(cuboids(self.pod_chips, self.longest_side)) - self.published
        return (*self.topologies, *sorted(others, key=lambda t: (math.prod(t), t)))


@dataclass(frozen=True, eq=False, repr=False)
class Machine:
    """A TPU machine type.

    chips: of one VM. vcpus, memory_gb: of one VM (GiB); None where no source tells.
    pathways_type: what the PathwaysJob controller calls it; None where it does not know the machine.
    unconfirmed: only tools list it, Google's GKE documents do not.
    """

    name: str
    generation: Generation
    chips: int
    vcpus: int | None
    memory_gb: int | None
    pathways_type: str | None
    unconfirmed: bool
    only_topologies: tuple[Topology, ...]
    controller_also: tuple[Topology, ...]

    def __repr__(self) -> str:
        return f"Machine({self.name})"

    @cached_property
    def topologies(self) -> dict[str, Topology]:
        """Topologies that a node pool of this machine can have, by their spelling."""
        legal = self.only_topologies or [t for t in self.generation.legal_topologies if math.prod(t) >= self.chips]
        return {spell(topology): topology for topology in legal}

    @cached_property
    def controller_topologies(self) -> dict[str, Topology]:
        """Topologies that the PathwaysJob controller v0.1.4 takes for this machine type, by their spelling.

        The machine's published ones, and those that it accepts though no node pool can have them.
        """
        if self.pathways_type is None:
            return {}
        published = [t for t in self.topologies.values() if t in self.generation.published]
        return {spell(topology): topology for topology in (*self.controller_also, *published)}


@dataclass(frozen=True)
class Catalog:
    """Every generation and every machine type, by name."""

    generations: Mapping[str, Generation]
    machines: Mapping[str, Machine]


@cache
def catalog() -> Catalog:
    """Return the catalogue, read once."""
    return catalog_of(read_data("catalog.yaml"))


def catalog_of(data: dict[str, Any]) -> Catalog:
    """Return the catalogue that a data file's content makes."""
    generations = {name: _generation(name, entry) for name, entry in data["generations"].items()}
    machines = {machine.name: machine for generation in generations.values() for machine in generation.machines}
    return Catalog(generations, machines)


def read_data(name: str) -> Any:
    """Return the content of a data file of this package."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _generation(name: str, entry: dict[str, Any]) -> Generation:
    topologies = _topologies(entry["topologies"])
    cuboid = entry.get("cuboids", {})
    generation = Generation(
        name=name,
        names=tuple(entry["names"]),
        tensor_cores=entry["tensor_cores"],
        hbm_gb=entry["hbm_gb"],
        pod_chips=entry["pod_chips"],
        accelerator=entry["accelerator"],
        placement=Placement(entry["placement"]),
        boot_disk=entry["boot_disk"],
        gke_version=entry["gke_version"],
        zones=tuple(entry["zones"]),
        quota=Quota(**entry["quota"]),
        topologies=topologies,
        longest_side=cuboid.get("longest_side"),
        documented_chips=cuboid.get("documented_chips", entry["pod_chips"]),
        notes=tuple(entry["notes"]),
        networking=tuple(entry.get("networking", ())),
        tpu_vm=TpuVmTerms(**entry["tpu_vm"]) if "tpu_vm" in entry else None,
    )
    for machine_name, machine in entry["machines"].items():
        generation.machines.append(_machine(machine_name, generation, machine))
    return generation


def _machine(name: str, generation: Generation, entry: dict[str, Any]) -> Machine:
    return Machine(
        name=name,
        generation=generation,
        chips=entry["chips"],
        vcpus=entry.get("vcpus"),
        memory_gb=entry.get("memory_gb"),
        pathways_type=entry.get("pathways_type"),
        unconfirmed=entry.get("unconfirmed", False),
        only_topologies=_topologies(entry.get("topologies", [])),
        controller_also=_topologies(entry.get("controller_also", [])),
    )


def _topologies(entries: list[Any]) -> tuple[Topology, ...]:
    """Return the topologies of a list whose items are spellings or, by way of YAML aliases, such lists."""
    found: list[Topology] = []
    for entry in entries:
        if isinstance(entry, list):
            found.extend(_topologies(entry))
        else:
            topology = parse_topology(entry)
            if topology is None:
                raise ValueError(f"{entry!r} in the catalogue is no topology")
            found.append(topology)
    return tuple(found)
