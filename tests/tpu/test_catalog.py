"""The catalogue against the tables of the real PathwaysJob controller, and against its own promises."""

import json
import math
from pathlib import Path

import pytest
import yaml

from pathways.tpu import Placement, catalog, cpu_machines, parse_slice
from pathways.tpu.generations import catalog_of, read_data

CONTROLLER = json.loads((Path(__file__).parent / "data" / "machine_types.json").read_text())
"""What the controller v0.1.4 has in its tables, machine type by machine type, as it printed them."""

GENERATIONS = read_data("catalog.yaml")["generations"]
SOURCES = read_data("catalog.yaml")["sources"]


@pytest.mark.parametrize("name", CONTROLLER)
def test_the_controller_knows_a_machine_as_the_catalogue_says(name):
    machine, known = catalog().machines[name], CONTROLLER[name]
    assert machine.pathways_type == known["instance_type_prefix"]
    assert machine.generation.accelerator == known["gke_accelerator"]
    assert machine.chips == known["chips_per_vm"]
    assert set(machine.controller_topologies) == set(known["topologies"])


@pytest.mark.parametrize("name", sorted(set(catalog().machines) - set(CONTROLLER)))
def test_machines_that_the_controller_does_not_know_take_no_topology_from_it(name):
    assert catalog().machines[name].controller_topologies == {}


@pytest.mark.parametrize(
    ("name", "topology"),
    [
        (name, topology)
        for name, known in CONTROLLER.items()
        for topology in known["topologies"]
        if (name, topology) != ("ct6e-standard-4t", "1x1")
    ],
)
def test_every_topology_of_the_controller_is_a_slice_with_its_figures(name, topology):
    slice_, known = parse_slice(name, topology), CONTROLLER[name]["topologies"][topology]
    assert (slice_.chips, slice_.hosts) == (known["chips"], known["vms"])
    assert slice_.pathways_instance_type == f"{CONTROLLER[name]['instance_type_prefix']}:{topology}"


def test_the_one_topology_that_the_controller_takes_and_no_pool_can_have_is_explained():
    assert any("1x1 for ct6e-standard-4t" in note for note in catalog().generations["v6e"].notes)


@pytest.mark.parametrize("name", GENERATIONS)
def test_every_figure_has_a_source(name):
    entry = GENERATIONS[name]
    figures = set(entry) - {"sources", "notes", "machines"}
    figures |= {key for machine in entry["machines"].values() for key in machine if key != "topologies"}
    assert set(entry["sources"]) == figures
    assert set(entry["sources"].values()) <= set(SOURCES)


def test_what_no_source_settles_is_noted():
    for name, entry in GENERATIONS.items():
        if "unsettled" in entry["sources"].values():
            assert any("could not be read again" in note for note in entry["notes"]), name


@pytest.mark.parametrize(
    ("name", "pod", "cores"),  # facts of Google's pages on each generation
    [("v4", 4096, 2), ("v5e", 256, 1), ("v5p", 8960, 2), ("v6e", 256, 1), ("tpu7x", 9216, 2)],
)
def test_pods_and_cores(name, pod, cores):
    generation = catalog().generations[name]
    assert (generation.pod_chips, generation.tensor_cores) == (pod, cores)
    assert max(math.prod(topology) for topology in generation.legal_topologies) == pod


@pytest.mark.parametrize(
    ("name", "disk"),  # Cluster Toolkit's blueprints
    [("v5e", "pd-balanced"), ("v5p", "pd-balanced"), ("v6e", "hyperdisk-balanced"), ("tpu7x", "hyperdisk-balanced")],
)
def test_boot_disks(name, disk):
    assert catalog().generations[name].boot_disk == disk


@pytest.mark.parametrize(
    ("zone", "offered"),
    [("us-east5-b", True), ("us-east5-c", False), ("europe-west4-a", True), ("europe-west4-b", None)],
)
def test_a_list_that_is_not_complete_settles_no_absence(zone, offered):
    assert catalog().generations["v6e"].is_offered_in(zone) is offered


@pytest.mark.parametrize(
    ("machine", "chips"),
    [
        ("ct5lp-hightpu-1t", 1),
        ("ct5lp-hightpu-4t", 4),
        ("ct5lp-hightpu-8t", 8),
        ("ct6e-standard-1t", 1),
        ("ct6e-standard-4t", 4),
        ("ct6e-standard-8t", 8),
        ("ct5p-hightpu-1t", 1),
        ("tpu7x-standard-1t", 1),
    ],
)
def test_the_end_of_a_machine_types_name_is_its_chips(machine, chips):
    assert catalog().machines[machine].chips == chips


def test_a_generation_is_one_entry_of_data(monkeypatch):
    data = yaml.safe_load(
        """
        generations:
          v9:
            names: [v9]
            tensor_cores: 2
            hbm_gb: 512
            pod_chips: 64
            accelerator: tpu-v9-slice
            placement: workload
            boot_disk: hyperdisk-balanced
            gke_version: 1.40.0-gke.1
            zones: [us-central1-a]
            quota: {standard: TPU v9 chips, preemptible: Preemptible TPU v9 chips}
            topologies: [2x2x1, 4x4x4]
            machines: {ct9-standard-4t: {chips: 4, pathways_type: tpuv9}}
            notes: []
        """
    )
    extended = catalog_of(data)
    for module in ("names", "parsing"):
        monkeypatch.setattr(f"pathways.tpu.{module}.catalog", lambda: extended)
    slice_ = parse_slice("v9-128")
    assert (str(slice_), slice_.hosts, slice_.placement) == ("ct9-standard-4t 4x4x4", 16, Placement.WORKLOAD)
    assert slice_.pathways_instance_type == "tpuv9:4x4x4"


def test_what_gke_leaves_of_a_head_machine_to_pods():
    """n2-standard-32: about 118 GiB by GKE's formula; the recommended n2-standard-64 has 64 vCPUs and 256 GB."""
    assert cpu_machines()["n2-standard-32"].allocatable_bytes / 2**30 == pytest.approx(118.6, abs=0.1)
    recommended = cpu_machines()["n2-standard-64"]
    assert (recommended.vcpus, recommended.memory_gb) == (64, 256)
    # 60 + 10 + 2 * 5 + 60 * 2.5 millicores, and 1 + 0.8 + 0.8 + 6.72 + 2.56 GiB and 100 MiB, stay with GKE
    assert recommended.allocatable_millicores == 64_000 - 230
    assert recommended.allocatable_bytes == int((256 - 11.88) * 2**30) - 100 * 2**20
