"""Node objects, by GKE's published arithmetic and naming."""

from itertools import islice

import pytest

from pathways.tpu import catalog
from sandbox.cloud.gke.machines import find_machine
from sandbox.cloud.gke.nodes import NodeSpot, PoolShape, free_addresses, new_spots, node_manifest

GIB_IN_KI = 1024 * 1024


def shape(machine="n2-standard-64", pool="head", cluster="main", topology=None, **more):
    values = {
        "project": "p",
        "cluster": cluster,
        "pool": pool,
        "machine": find_machine(machine),
        "node_config": {"diskType": "pd-balanced", "diskSizeGb": 100},
        "topology": topology,
        "reservation": None,
        "version": "1.34.3-gke.1318000",
        "max_pods": 110,
    }
    return PoolShape(**{**values, **more})


def test_what_gke_leaves_of_a_head_machine():  # GKE, "Plan node sizes": capacity - reserve - 100 MiB
    node = node_manifest(shape(), NodeSpot("n", "us-east5-b", "10.0.0.2"))
    assert node["status"]["capacity"]["memory"] == f"{256 * GIB_IN_KI}Ki"
    reserve = 0.25 * 4 + 0.20 * 4 + 0.10 * 8 + 0.06 * 112 + 0.02 * (256 - 128)  # GiB
    wanted = (256 - reserve) * GIB_IN_KI - 100 * 1024
    assert int(node["status"]["allocatable"]["memory"].removesuffix("Ki")) == pytest.approx(wanted, abs=1)
    assert node["status"]["allocatable"]["cpu"] == "63770m"  # 64 - 0.06 - 0.01 - 2 x 0.005 - 60 x 0.0025


@pytest.mark.parametrize("machine", catalog().machines)
def test_every_tpu_machine_offers_its_chips(machine):
    node = node_manifest(shape(machine, topology="any"), NodeSpot("n", "us-east5-b", "10.0.0.2"))
    chips = machine.rpartition("-")[2].removesuffix("t")
    assert node["status"]["capacity"]["google.com/tpu"] == chips
    assert node["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] == chips
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}


def test_capacity_labels_and_taints():
    queued = node_manifest(shape("ct6e-standard-4t", queued=True, flex=True), NodeSpot("n", "z-a", "10.0.0.2"))
    assert queued["metadata"]["labels"]["cloud.google.com/gke-flex-start"] == "true"
    assert {taint["key"] for taint in queued["spec"]["taints"]} == {"google.com/tpu", "cloud.google.com/gke-queued"}
    held = node_manifest(shape("ct6e-standard-4t", reservation="r"), NodeSpot("n", "z-a", "10.0.0.2"))
    assert held["metadata"]["labels"]["cloud.google.com/reservation-name"] == "r"
    assert held["metadata"]["labels"]["cloud.google.com/gke-provisioning"] == "standard"


def test_names_are_short_enough_unlike_and_never_used_twice():
    long = shape(cluster="c" * 40, pool="p" * 40)
    addresses = free_addresses("10.0.0.0/16", set())
    first = new_spots(long, "us-east5-b", 5000, 1, set(), addresses)
    names = {spot.name for spot in first}
    assert len(names) == 5000
    assert max(map(len, names)) <= 63
    more = new_spots(long, "us-east5-b", 100, 1, names, addresses)
    assert not names & {spot.name for spot in more}
    assert len({spot.ip for spot in (*first, *more)}) == 5100


def test_google_keeps_four_addresses_of_a_range():
    assert list(free_addresses("10.0.0.0/29", {"10.0.0.3"})) == ["10.0.0.2", "10.0.0.4", "10.0.0.5"]
    assert next(islice(free_addresses("10.0.0.0/8", set()), 1)) == "10.0.0.2"


@pytest.mark.parametrize(
    ("name", "vcpus", "memory"),
    [("e2-medium", 2, 4), ("n2-standard-8", 8, 32), ("n2-highmem-16", 16, 128), ("n1-standard-8", 8, 30)],
)
def test_machines_that_compute_engine_has(name, vcpus, memory):
    machine = find_machine(name)
    assert (machine.vcpus, machine.memory_gb) == (vcpus, memory)


@pytest.mark.parametrize("name", ["n2-standard-63", "n2-huge-8", "ct6e-standard-16t", ""])
def test_machines_that_there_are_none_of(name):
    assert find_machine(name) is None
