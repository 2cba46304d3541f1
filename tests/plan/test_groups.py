"""The arithmetic of slice groups, and which quota or reservation they take from.

Figures: Google's tables. The number in v6e-16 counts chips, that in v5p-128 TensorCores, two a chip; hosts have four.
"""

import pytest

from pathways.plan.groups import needs_of, plan_groups
from pathways.plan.report import words
from tests.plan.stacks import V6E, pools, settings


def groups_of(*groups, zone="us-east5-b"):
    described = settings(zone=zone, slices=list(groups))
    return plan_groups(described, pools(described))


@pytest.mark.parametrize(
    ("tpu", "zone", "machine_type", "topology", "chips", "hosts"),
    [
        ("v6e-16", "us-east5-b", "ct6e-standard-4t", "4x4", 16, 4),
        ("v5p-128", "us-east5-a", "ct5p-hightpu-4t", "4x4x4", 64, 16),
        ("v5litepod-64", "us-west4-a", "ct5lp-hightpu-4t", "8x8", 64, 16),
        ("v4-32", "us-central2-b", "ct4p-hightpu-4t", "2x2x4", 16, 4),
    ],
)
def test_chips_and_hosts_of_a_group_count_its_spares(tpu, zone, machine_type, topology, chips, hosts):
    (group,) = groups_of({**V6E, "tpu": tpu, "count": 4, "spares": 1}, zone=zone)
    assert (group.slice.machine_type, group.slice.topology_text) == (machine_type, topology)
    assert (group.slice.chips, group.slice.hosts) == (chips, hosts)
    assert (group.chips, group.hosts) == (5 * chips, 5 * hosts)
    assert group.pools == ("v6e-0", "v6e-1", "v6e-2", "v6e-3", "v6e-4")


@pytest.mark.parametrize(
    ("capacity", "words"),
    [("spot", "Preemptible"), ("flexStart", "Preemptible"), ("queued", "Preemptible"), ("onDemand", "TPUs per TPU")],
)
def test_what_is_not_reserved_counts_against_a_regional_quota(capacity, words):  # case cap-5
    (group,) = groups_of({**V6E, "capacity": {capacity: {}}})
    assert group.source.kind == capacity
    assert group.source.reservation is None
    assert group.source.quota is not None
    assert group.source.quota.name.startswith(words)
    assert group.source.quota.region == "us-east5"


def test_a_reservation_is_named_by_its_path_and_needs_no_quota():  # case cap-5
    groups = groups_of({**V6E, "capacity": {"reservation": {"name": "training"}}})
    assert groups[0].source.quota is None
    (need,) = needs_of(groups, "us-east5")
    assert need.name == "projects/tpu-lab/reservations/training"
    assert not need.is_quota
    assert (need.chips, need.hosts, need.held) == (48, 12, None)


def test_how_much_of_a_reservation_is_taken_is_told_where_its_size_is_known():  # case cap-4
    reserved = {**V6E, "capacity": {"reservation": {"name": "training", "chips": 64}}}
    groups = groups_of({**reserved, "name": "a"}, {**reserved, "name": "b", "count": 1, "spares": 0})
    (need,) = needs_of(groups, "us-east5")
    assert (need.chips, need.held) == (64, 64)
    assert words.need(need).endswith("of the 64 chips of projects/tpu-lab/reservations/training; no quota")


def test_groups_that_share_a_quota_are_added_up():
    groups = groups_of(
        {**V6E, "name": "a"},
        {**V6E, "name": "b", "tpu": "v6e-32", "count": 1, "spares": 0},
        {**V6E, "name": "c", "capacity": {"onDemand": {}}, "count": 1, "spares": 0},
    )
    assert [(need.groups, need.chips) for need in needs_of(groups, "us-east5")] == [(("a", "b"), 48 + 32), (("c",), 16)]


def test_capacity_that_comes_with_a_job_is_not_standing():
    kinds = ("spot", "onDemand", "flexStart", "queued")
    found = {kind: groups_of({**V6E, "capacity": {kind: {}}})[0].source.standing for kind in kinds}
    assert found == {"spot": True, "onDemand": True, "flexStart": False, "queued": False}
