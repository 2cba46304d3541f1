"""slice NAME | MACHINE TOPOLOGY | --all: the arithmetic of slices."""

from __future__ import annotations

import json
from typing import Any

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.tpu import IllegalSlice, Placement, Slice, every_slice, other_slices_of_count, parse_slice

PLACEMENTS = {
    Placement.NONE: "none: a single host",
    Placement.COMPACT: "compact, with the topology",
    Placement.WORKLOAD: "a workload policy with the topology",
}


def run(name: str | None, topology: str | None, *, every: bool, as_json: bool) -> None:
    if every and name is not None:
        raise CouldNotLook("name a slice or give --all, not both")
    if not every and name is None:
        raise CouldNotLook("name a slice, such as v5p-128 or ct6e-standard-4t 4x4, or give --all")
    if every:
        _print_all(as_json)
    else:
        assert name is not None
        _print_one(name, topology, as_json)


def described(slice_: Slice) -> dict[str, Any]:
    """Return what is known of a slice, as JSON has it."""
    machine, generation = slice_.machine, slice_.generation
    return {
        "generation": generation.name,
        "machine_type": slice_.machine_type,
        "topology": slice_.topology_text,
        "chips": slice_.chips,
        "tensor_cores": slice_.chips * generation.tensor_cores,
        "hbm_gb": slice_.chips * generation.hbm_gb,
        "hosts": slice_.hosts,
        "chips_per_host": slice_.chips_per_host,
        "vcpus_per_host": machine.vcpus,
        "memory_gb_per_host": machine.memory_gb,
        "multi_host": slice_.multi_host,
        "placement": slice_.placement.value,
        "accelerator": slice_.accelerator,
        "pathways_instance_type": slice_.pathways_instance_type,
        "names": list(slice_.names),
        "quota": {"standard": generation.quota.standard, "preemptible": generation.quota.preemptible},
        "gke_version": generation.gke_version,
        "zones": list(generation.zones),
        "warnings": list(slice_.warnings),
    }


def _print_one(name: str, topology: str | None, as_json: bool) -> None:
    try:
        slice_ = parse_slice(name, topology)
    except IllegalSlice as error:
        raise FoundWanting(str(error)) from None
    others = other_slices_of_count(slice_) if topology is None else []
    if as_json:
        print(json.dumps(described(slice_), indent=2))
        return
    for label, value in _facts(slice_):
        print(f"{label:<21}{value}")
    if others:
        print(f"{name} could be {' or '.join(map(str, others))} as well; {slice_} is meant")
    for warning in slice_.warnings:
        print(f"warning: {warning}")


def _facts(slice_: Slice) -> list[tuple[str, str]]:
    machine, generation = slice_.machine, slice_.generation
    size = f", {machine.vcpus} vCPUs and {machine.memory_gb} GB each" if machine.vcpus else ""
    return [
        ("slice", f"{slice_} ({generation.name})"),
        ("chips", f"{slice_.chips} ({slice_.chips * generation.tensor_cores} TensorCores)"),
        ("HBM", f"{slice_.chips * generation.hbm_gb} GB"),
        ("hosts", f"{slice_.hosts} of {slice_.chips_per_host} chips{size}"),
        ("placement", PLACEMENTS[slice_.placement]),
        ("accelerator", slice_.accelerator),
        ("names", ", ".join(slice_.names) or "none means this slice: write machine type and topology"),
        ("Pathways", slice_.pathways_instance_type or "the PathwaysJob controller does not take it"),
        ("quota", f"{slice_.chips} of {generation.quota.standard}"),
        ("quota of spot", f"{slice_.chips} of {generation.quota.preemptible}"),
        ("GKE", f"{generation.gke_version} or later"),
        ("zones", ", ".join(generation.zones)),
    ]


def _print_all(as_json: bool) -> None:
    slices = every_slice()
    if as_json:
        print(json.dumps([described(slice_) for slice_ in slices], indent=1))
        return
    print(f"{'MACHINE TYPE':<19}{'TOPOLOGY':<10}{'CHIPS':>6}{'HOSTS':>6}  {'PATHWAYS':<18}NAMES")
    for slice_ in slices:
        print(
            f"{slice_.machine_type:<19}{slice_.topology_text:<10}{slice_.chips:>6}{slice_.hosts:>6}"
            f"  {slice_.pathways_instance_type or '-':<18}{' '.join(slice_.names)}"
        )
