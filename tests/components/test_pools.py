"""Node pools: shape, labels, placement, capacity, order."""

import math
from fractions import Fraction

import pytest

from tests.components.recordings import NODE_POOL, declare, declare_pool, slice_pools


def test_dev_has_a_pool_for_each_slice_and_spare(dev):
    assert [pool.properties["name"] for pool in slice_pools(dev)] == ["v6e-0", "v6e-1", "v6e-2"]


def test_a_v6e_16_slice_is_four_hosts_of_four_chips(dev):
    for pool in slice_pools(dev):
        assert pool.properties["nodeCount"] == 4
        assert pool.properties["nodeConfig"]["machineType"] == "ct6e-standard-4t"
        assert pool.properties["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}


def test_pools_of_a_group_carry_its_name_its_size_and_their_machine_type(dev):
    for pool in slice_pools(dev):
        labels = pool.properties["nodeConfig"]["labels"]
        assert labels["MultisliceGroup"] == "v6e"
        assert labels["MultisliceGroupSize"] == "3"
        assert "ct6e-standard-4t" in labels.values()


def test_what_gke_sets_itself_is_not_declared(stack):
    for pool in stack.of_type(NODE_POOL):
        config = pool.properties["nodeConfig"]
        assert "taints" not in config
        assert not [key for key in config["labels"] if key.startswith(("cloud.google.com/", "kubernetes.io/"))]


def test_all_nodes_are_in_the_one_zone_of_the_stack_and_the_clusters_region(stack):
    (cluster,) = stack.of_type("gcp:container/cluster:Cluster")
    for pool in stack.of_type(NODE_POOL):
        (zone,) = pool.properties["nodeLocations"]
        assert [zone] == cluster.properties["nodeLocations"]
        assert zone.startswith(f"{pool.properties['location']}-")
        assert pool.properties["location"] == cluster.properties["location"]


def test_every_node_is_hardened(stack):
    for pool in stack.of_type(NODE_POOL):
        config = pool.properties["nodeConfig"]
        assert config["imageType"] == "COS_CONTAINERD"
        assert config["oauthScopes"] == ["https://www.googleapis.com/auth/cloud-platform"]
        assert config["gvnic"] == {"enabled": True}
        assert config["shieldedInstanceConfig"] == {"enableSecureBoot": True, "enableIntegrityMonitoring": True}
        assert config["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}


def test_heads_slices_and_controllers_run_as_different_accounts_with_the_node_role_only(dev):
    accounts = {pool.name: pool.properties["nodeConfig"]["serviceAccount"] for pool in dev.of_type(NODE_POOL)}
    assert len(set(accounts.values())) == 3
    bindings = dev.of_type("gcp:projects/iAMMember:IAMMember")
    assert {binding.properties["role"] for binding in bindings} == {"roles/container.defaultNodeServiceAccount"}
    assert {binding.properties["member"] for binding in bindings} == {f"serviceAccount:{a}" for a in accounts.values()}


def test_the_head_pool_scales_between_its_bounds_and_takes_all_pods(dev):
    head = dev.named("pathways-heads-pool").properties
    assert head["autoscaling"]["minNodeCount"] == 1
    assert head["autoscaling"]["maxNodeCount"] == 2
    assert "nodeCount" not in head
    assert "initialNodeCount" in dev.named("pathways-heads-pool").options.ignore_changes
    assert head["nodeConfig"]["machineType"] == "n2-standard-64"


# case topo-3; the smallest single-host and multi-host slices of each generation
@pytest.mark.parametrize(
    ("machine_type", "topology", "zone", "hosts", "placement"),
    [
        ("ct4p-hightpu-4t", "2x2x1", "us-central2-b", 1, None),
        ("ct4p-hightpu-4t", "2x2x2", "us-central2-b", 2, "COMPACT"),
        ("ct5lp-hightpu-8t", "2x4", "us-central1-a", 1, None),
        ("ct5lp-hightpu-4t", "2x4", "us-central1-a", 2, "COMPACT"),
        ("ct5p-hightpu-4t", "2x2x1", "us-east5-a", 1, None),
        ("ct5p-hightpu-4t", "4x4x4", "us-east5-a", 16, "COMPACT"),
        ("ct6e-standard-8t", "2x4", "us-east5-b", 1, None),
        ("ct6e-standard-4t", "2x4", "us-east5-b", 2, "COMPACT"),
        ("tpu7x-standard-4t", "2x2x1", "us-central1-c", 1, None),
    ],
)
def test_placement_follows_from_generation_and_hosts(machine_type, topology, zone, hosts, placement):
    pool = declare_pool(machineType=machine_type, topology=topology, zone=zone)
    assert pool["nodeCount"] == hosts
    expected = {"type": placement, "tpuTopology": topology} if placement else None
    assert pool.get("placementPolicy") == expected


def test_multi_host_tpu7x_has_a_workload_policy_instead_of_compact_placement():  # case topo-2
    group = {"name": "ironwood", "machineType": "tpu7x-standard-4t", "topology": "2x2x2", "count": 2}
    recording = declare(zone="us-central1-c", slices=[{**group, "capacity": {"spot": {}}}])
    (policy,) = recording.of_type("gcp:compute/resourcePolicy:ResourcePolicy")
    assert policy.properties["workloadPolicy"] == {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}
    assert policy.properties["region"] == "us-central1"
    assert "2x2x2" in policy.properties["name"]
    for pool in slice_pools(recording):
        assert pool.properties["placementPolicy"] == {"type": "", "policyName": policy.properties["name"]}
        assert policy.urn in pool.options.dependencies


def test_a_policy_of_another_topology_stands_beside_the_old_one():  # case pool-2, xpk#751
    names = set()
    for topology in ("2x2x2", "2x2x4"):
        group = {"name": "ironwood", "machineType": "tpu7x-standard-4t", "topology": topology, "count": 1}
        recording = declare(zone="us-central1-c", slices=[{**group, "capacity": {"spot": {}}}])
        (policy,) = recording.of_type("gcp:compute/resourcePolicy:ResourcePolicy")
        assert not policy.options.delete_before_replace
        names.add(policy.properties["name"])
    assert len(names) == 2


SPECIFIC = {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name"}
NONE = {"consumeReservationType": "NO_RESERVATION"}


@pytest.mark.parametrize(
    ("capacity", "affinity"),
    [
        ({"spot": {}}, NONE),
        ({"onDemand": {}}, NONE),
        ({"flexStart": {}}, NONE),
        ({"queued": {}}, NONE),
        ({"reservation": {"name": "res"}}, {**SPECIFIC, "values": ["projects/tpu-lab/reservations/res"]}),
        (
            {"reservation": {"name": "res", "project": "owner"}},
            {**SPECIFIC, "values": ["projects/owner/reservations/res"]},
        ),
        (
            {"reservation": {"name": "res", "block": "b1", "subBlock": "s1"}},
            {
                **SPECIFIC,
                "values": ["projects/tpu-lab/reservations/res/reservationBlocks/b1/reservationSubBlocks/s1"],
            },
        ),
    ],
)
def test_each_capacity_says_which_reservation_it_takes(capacity, affinity):  # cases cap-2, cap-3
    pool = declare_pool(tpu="v6e-16", capacity=capacity)
    assert pool["nodeConfig"]["reservationAffinity"] == affinity


@pytest.mark.parametrize("capacity", ["spot", "onDemand", "flexStart", "queued"])
def test_capacities_exclude_each_other(capacity):  # case cap-1
    pool = declare_pool(tpu="v6e-16", capacity={capacity: {}})
    asked = {
        "spot": pool["nodeConfig"].get("spot", False),
        "flexStart": pool["nodeConfig"].get("flexStart", False),
        "queued": pool.get("queuedProvisioning", {}).get("enabled", False),
    }
    assert [kind for kind, on in asked.items() if on] == ([capacity] if capacity != "onDemand" else [])


@pytest.mark.parametrize("capacity", ["flexStart", "queued"])
def test_capacity_that_comes_and_goes_is_bounded_per_zone(capacity):  # cases topo-1, cap-6
    pool = declare_pool(
        machineType="tpu7x-standard-4t", topology="2x2x2", zone="us-central1-c", capacity={capacity: {}}
    )
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 2, "locationPolicy": "ANY"}
    assert "nodeCount" not in pool
    assert "initialNodeCount" not in pool
    assert pool["upgradeSettings"] == {"strategy": "SHORT_LIVED"}


@pytest.mark.parametrize(
    ("capacity", "repaired"), [("spot", True), ("onDemand", True), ("queued", True), ("flexStart", False)]
)
def test_only_flex_start_does_without_repair(capacity, repaired):  # case cap-6
    pool = declare_pool(tpu="v6e-16", capacity={capacity: {}})
    assert pool["management"] == {"autoRepair": repaired, "autoUpgrade": True}


def test_an_upgrade_of_a_standing_slice_does_not_surge(dev):  # case pool-4
    for pool in slice_pools(dev):
        assert pool.properties["upgradeSettings"] == {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}


def test_what_the_provider_would_not_send_replaces_the_slice_old_one_first(dev):  # case pool-2
    for pool in slice_pools(dev):
        assert pool.options.delete_before_replace
        assert set(pool.options.replace_on_changes) == {
            "placementPolicy.tpuTopology",
            "placementPolicy.type",
            "nodeCount",
            "nodeConfig.machineType",
            "nodeLocations",
            'nodeConfig.labels["pathways.dev/networking"]',
        }


def test_labels_of_living_nodes_may_change(dev):
    for pool in slice_pools(dev):
        replacing = [*pool.options.replace_on_changes, *pool.options.ignore_changes]
        assert not [path for path in replacing if path in ("nodeConfig", "nodeConfig.labels")]


def test_slices_are_protected_in_prod_and_not_in_dev(dev, prod):
    assert {pool.options.protect for pool in slice_pools(dev)} == {False}
    assert {pool.options.protect for pool in slice_pools(prod)} == {True}


def test_pools_wait_for_the_role_of_their_account_and_for_the_nat(dev):  # cases id-2, priv-1
    roles = {binding.urn for binding in dev.of_type("gcp:projects/iAMMember:IAMMember")}
    (nat,) = dev.of_type("gcp:compute/routerNat:RouterNat")
    for pool in dev.of_type(NODE_POOL):
        assert roles & set(pool.options.dependencies)
        assert nat.urn in pool.options.dependencies


@pytest.mark.parametrize(
    ("slices", "written", "width"),
    [(slices, None, 4) for slices in (1, 3, 4, 5, 63)] + [(5, 1, 1), (63, 1, 1), (63, 7, 7), (5, 32, 32)],
)
def test_no_more_pools_than_written_are_asked_for_at_once_and_none_waits_longer_than_it_must(
    slices, written, width
):  # case pool-5
    groups = [
        {"name": f"g{index}", "tpu": "v6e-16", "count": count, "capacity": {"spot": {}}}
        for index, count in enumerate((slices // 2, slices - slices // 2))
        if count
    ]
    cluster = {"concurrentOperations": written} if written else {}
    pools = declare(slices=groups, cluster=cluster).of_type(NODE_POOL)
    start: dict[str, int] = {}
    for pool in pools:
        start[pool.urn] = max((start[urn] + 1 for urn in pool.options.dependencies if urn in start), default=0)
    at_once = [list(start.values()).count(moment) for moment in range(max(start.values()) + 1)]
    assert max(at_once) <= width
    assert len(at_once) == math.ceil(Fraction(len(pools), width))


def test_time_outs_grow_with_the_queue():  # case pool-5: the provider's own is two hours
    def minutes(slices: int, width: int = 4) -> set[int]:
        group = {"name": "g", "tpu": "v6e-16", "count": slices, "capacity": {"spot": {}}}
        pools = declare(slices=[group], cluster={"concurrentOperations": width}).of_type(NODE_POOL)
        return {int(text.removesuffix("m")) for pool in pools for text in pool.options.custom_timeouts.values()}

    (few,), (many,), (narrow,) = minutes(2), minutes(64), minutes(64, width=1)
    assert few > 120
    assert many >= 120 + 16 * 15
    assert narrow >= 120 + 64 * 15
