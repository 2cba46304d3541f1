"""Node pools: what they become, what changes on living nodes, what GKE refuses, what it reads back."""

from types import SimpleNamespace

import pytest

from sandbox.cloud import read_records
from tests.sandbox.cloud.engine_side import CallError
from tests.sandbox.cloud.inputs import (
    ACCOUNT,
    EVERY_TYPE,
    HEAD_INPUTS,
    NETWORK,
    POOL,
    RESERVATION,
    RESOURCE_POLICY,
    SLICE_INPUTS,
    SUBNETWORK,
    with_change,
)

pytestmark = pytest.mark.usefixtures("cluster")

TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
WORKLOAD_SLICE = {
    **SLICE_INPUTS,
    "name": "tpu7x-0",
    "nodeCount": 2,
    "nodeLocations": ["us-central1-c"],
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x2"},
    "nodeConfig": {"machineType": "tpu7x-standard-4t"},
}
V5P_SLICE = {
    **SLICE_INPUTS,
    "nodeLocations": ["us-east5-a"],
    "nodeCount": 2,
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x2"},
}


def reserved(value, **more):
    return {
        **V5P_SLICE,
        "nodeConfig": {
            "machineType": "ct5p-hightpu-4t",
            "reservationAffinity": {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": [value],
            },
            **more,
        },
    }


def refused(engine, inputs):
    with pytest.raises(CallError) as caught:
        engine.create(POOL, inputs)
    assert caught.value.made is None
    return caught.value.text


def test_a_slice_becomes_its_hosts(engine, host):  # labels and taints that GKE sets
    engine.create(POOL, SLICE_INPUTS)
    nodes = host.of_pool("v6e-0")
    assert len(nodes) == 4
    for node in nodes:
        name, labels = node["metadata"]["name"], node["metadata"]["labels"]
        assert name.startswith("gke-main-v6e-0-")
        assert labels == labels | {
            "MultisliceGroup": "v6e",
            "cloud.google.com/gke-nodepool": "v6e-0",
            "cloud.google.com/gke-provisioning": "spot",
            "cloud.google.com/gke-spot": "true",
            "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
            "cloud.google.com/gke-tpu-topology": "4x4",
            "cloud.google.com/gke-accelerator-count": "4",
            "kubernetes.io/hostname": name,
            "node.kubernetes.io/instance-type": "ct6e-standard-4t",
            "topology.kubernetes.io/region": "us-east5",
            "topology.kubernetes.io/zone": "us-east5-b",
        }
        assert node["spec"]["taints"] == [TPU_TAINT]
        assert node["status"]["capacity"]["google.com/tpu"] == "4"
    addresses = {node["status"]["addresses"][0]["address"] for node in nodes}
    assert len(addresses) == 4
    assert all(address.startswith("10.0.0.") for address in addresses)


def test_a_head_pool_starts_with_the_least_that_autoscaling_keeps(engine, host):
    engine.create(POOL, HEAD_INPUTS)
    (node,) = host.of_pool("head")
    assert node["spec"]["taints"] == []
    assert node["status"]["capacity"]["cpu"] == "64"
    assert "cloud.google.com/gke-tpu-topology" not in node["metadata"]["labels"]


def test_a_slice_of_one_host_carries_its_topology_though_none_is_asked_for(engine, host):
    pool = with_change(SLICE_INPUTS, "nodeConfig.machineType", "ct6e-standard-8t")
    engine.create(POOL, {**with_change(pool, "placementPolicy", None), "nodeCount": 1})
    (node,) = host.of_pool("v6e-0")
    assert node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] == "2x4"


def test_labels_and_taints_change_on_living_nodes(engine, host):
    pool = engine.create(POOL, SLICE_INPUTS)
    before = {node["metadata"]["name"] for node in host.of_pool("v6e-0")}
    edited = with_change(SLICE_INPUTS, "nodeConfig.labels", {"MultisliceGroupSize": "3"})
    edited = with_change(edited, "nodeConfig.taints", [{"key": "held", "value": "yes", "effect": "NO_EXECUTE"}])
    assert engine.diff(pool, edited).kinds == {
        "nodeConfig.labels.MultisliceGroup": "DELETE",
        "nodeConfig.labels.MultisliceGroupSize": "ADD",
        "nodeConfig.taints[0]": "ADD",
    }
    pool = engine.update(pool, edited)
    nodes = host.of_pool("v6e-0")
    assert {node["metadata"]["name"] for node in nodes} == before
    for node in nodes:
        assert "MultisliceGroup" not in node["metadata"]["labels"]
        assert node["metadata"]["labels"]["MultisliceGroupSize"] == "3"
        assert node["metadata"]["labels"]["kubernetes.io/hostname"] == node["metadata"]["name"]
        assert node["spec"]["taints"] == [{"key": "held", "value": "yes", "effect": "NoExecute"}, TPU_TAINT]
    assert not engine.diff(engine.refresh(pool), edited).some


def test_a_topology_edit_sends_nothing_and_the_old_one_is_read_back(engine):  # pool-2
    pool = engine.create(POOL, SLICE_INPUTS)
    edited = with_change(SLICE_INPUTS, "placementPolicy.tpuTopology", "2x8")
    assert engine.diff(pool, edited).kinds == {"placementPolicy.tpuTopology": "UPDATE"}
    pool = engine.update(pool, edited)
    assert pool.properties["placementPolicy"]["tpuTopology"] == "4x4"
    assert engine.diff(pool, edited).some
    refreshed = engine.refresh(pool)
    assert refreshed.inputs["placementPolicy"]["tpuTopology"] == "4x4"


def test_another_disk_makes_gke_create_the_nodes_anew(engine, host):
    pool = engine.create(POOL, SLICE_INPUTS)
    engine.update(pool, with_change(SLICE_INPUTS, "nodeConfig.diskSizeGb", 200))
    assert {node["status"]["capacity"]["ephemeral-storage"] for node in host.of_pool("v6e-0")} == {"200Gi"}
    assert len(host.of_pool("v6e-0")) == 4


def test_a_pool_of_cpu_machines_grows_and_shrinks(engine, host):
    inputs = {**with_change(HEAD_INPUTS, "autoscaling", None), "nodeCount": 2}
    pool = engine.create(POOL, inputs)
    before = set(host.nodes)
    pool = engine.update(pool, {**inputs, "nodeCount": 3})
    assert before < set(host.nodes)
    engine.update(pool, {**inputs, "nodeCount": 1})
    assert len(host.nodes) == 1
    assert set(host.nodes) < before


def test_a_pool_made_anew_has_other_nodes(engine, host):
    pool = engine.create(POOL, SLICE_INPUTS)
    before = set(host.nodes)
    engine.delete(pool)
    assert host.nodes == {}
    engine.create(POOL, SLICE_INPUTS)
    assert not before & set(host.nodes)


def test_the_long_form_of_an_id_is_understood(engine):
    engine.create(POOL, SLICE_INPUTS)
    long = "projects/my-project/locations/us-east5/clusters/main/nodePools/v6e-0"
    assert engine.read(POOL, long).id == "my-project/us-east5/main/v6e-0"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("cluster", "other", "Error 404: Not found: projects/my-project/locations/us-east5/clusters/other"),
        ("placementPolicy.tpuTopology", "4x3", 'TPU topology "4x3" is not valid for machine type ct6e-standard-4t'),
        ("placementPolicy.tpuTopology", "2x2", "TPU topology can't be specified with single-host TPU slice pool"),
        ("nodeCount", 16, "Requested invalid target size '16' for a MIG in the gang mode of size '4'"),
        (
            "nodeLocations",
            ["us-east5-c"],
            'Invalid machine type "ct6e-standard-4t" in zone "us-east5-c": GCE_NOT_FOUND',
        ),
        ("nodeConfig.machineType", "n2-standard-63", "Invalid machine type"),
        ("nodeConfig.machineType", "n2-standard-64", "TPU topology cannot be specified"),
        ("nodeConfig.serviceAccount", "gone@my-project.iam.gserviceaccount.com", "does not exist"),
        ("initialNodeCount", 4, "Cannot set both initial_node_count and node_count"),
        ("nodeConfig.flexStart", True, "Flex start node pools require autoscaling enabled"),
    ],
)
def test_what_gke_refuses(engine, host, folder, path, value, words):
    assert words in refused(engine, with_change(SLICE_INPUTS, path, value))
    assert [record for record in read_records(folder) if record.type == POOL] == []
    assert host.nodes == {}


def test_a_slice_with_a_total_maximum_is_refused(engine):  # topo-1
    scaled = with_change(SLICE_INPUTS, "nodeCount", None)
    per_zone = {**scaled, "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}}
    in_total = {**scaled, "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"}}
    assert "Maximum node count 0 is not a valid size of TPU pod slice" in refused(engine, in_total)
    assert engine.create(POOL, per_zone).properties["nodeCount"] == 0


def test_a_flex_start_slice(engine, host):
    flex = {
        **with_change(SLICE_INPUTS, "nodeCount", None),
        "nodeConfig": {"machineType": "ct6e-standard-4t", "flexStart": True},
        "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4},
    }
    assert "auto repair" in refused(engine, flex)
    flex["management"] = {"autoRepair": False}
    queued = {**flex, "queuedProvisioning": {"enabled": True}}
    assert "don't support TPUs with queued provisioning" in refused(engine, queued)
    engine.create(POOL, flex)
    assert host.nodes == {}


def test_a_slice_cannot_be_resized(engine, host):
    pool = engine.create(POOL, SLICE_INPUTS)
    edited = {**SLICE_INPUTS, "nodeCount": 8}
    assert engine.diff(pool, edited).kinds == {"nodeCount": "UPDATE"}
    with pytest.raises(CallError, match=r"Error 501: Unimplemented: Multi-host TPU pool \(v6e-0\) manual resize"):
        engine.update(pool, edited)
    assert len(host.nodes) == 4


def test_a_slice_cannot_be_moved_to_another_zone(engine, host):
    pool = engine.create(POOL, SLICE_INPUTS)
    before = dict(host.nodes)
    moved = {**SLICE_INPUTS, "nodeLocations": ["us-east5-a"]}
    assert set(engine.diff(pool, moved).kinds.values()) == {"UPDATE"}
    with pytest.raises(CallError, match=r"Error 501: Unimplemented: Multi-host TPU pool \(v6e-0\)"):
        engine.update(pool, moved)
    assert host.nodes == before
    assert engine.refresh(pool).inputs["nodeLocations"] == ["us-east5-b"]


def test_heads_can_be_moved_to_another_zone(engine, host):
    pool = engine.create(POOL, HEAD_INPUTS)
    engine.update(pool, {**HEAD_INPUTS, "nodeLocations": ["us-east5-a"]})
    assert {node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in host.nodes.values()} == {"us-east5-a"}


def test_tpu7x_with_compact_placement_is_made_and_goes_to_error(engine, host, folder):  # topo-2
    with pytest.raises(CallError, match="Use workload policy instead") as caught:
        engine.create(POOL, WORKLOAD_SLICE)
    assert caught.value.made.id == "my-project/us-east5/main/tpu7x-0"
    assert host.nodes == {}
    (record,) = [record for record in read_records(folder) if record.type == POOL]
    assert record.status == "ERROR"
    made = SimpleNamespace(type=POOL, name="it", id=record.id, properties=caught.value.made.properties)
    engine.delete(made)
    assert engine.read(POOL, record.id) is None


def test_tpu7x_with_a_workload_policy_runs_and_its_type_never_converges(engine, host):  # pool-3
    engine.create(RESOURCE_POLICY, EVERY_TYPE[RESOURCE_POLICY])
    placed = {**WORKLOAD_SLICE, "placementPolicy": {"type": "", "policyName": "workload"}}
    pool = engine.create(POOL, placed)
    assert {node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] for node in host.nodes.values()} == {
        "2x2x2"
    }
    assert not engine.diff(pool, placed).some
    typed = with_change(placed, "placementPolicy.type", "COMPACT")
    for _ in range(2):
        assert engine.diff(pool, typed).kinds == {"placementPolicy.type": "UPDATE"}
        pool = engine.update(pool, typed)
    policy = engine.read(RESOURCE_POLICY, "projects/my-project/regions/us-east5/resourcePolicies/workload")
    with pytest.raises(CallError, match=r"resource_policy resource .* is already being used by"):
        engine.delete(policy)


def test_a_policy_that_does_not_exist(engine):
    placed = {**WORKLOAD_SLICE, "placementPolicy": {"type": "", "policyName": "gone"}}
    assert "Error 404" in refused(engine, placed)


def test_metadata_without_what_gke_adds_differs_for_ever(engine):  # documented in google_container_node_pool
    inputs = with_change(SLICE_INPUTS, "nodeConfig.metadata", {"mine": "1"})
    pool = engine.create(POOL, inputs)
    assert engine.diff(pool, inputs).kinds == {'nodeConfig.metadata["disable-legacy-endpoints"]': "DELETE_REPLACE"}
    named = with_change(inputs, "nodeConfig.metadata", {"mine": "1", "disable-legacy-endpoints": "true"})
    assert not engine.diff(pool, named).some


def test_labels_that_gke_adds_to_the_machines_make_no_difference(engine):
    inputs = with_change(SLICE_INPUTS, "nodeConfig.resourceLabels", {"team": "a"})
    pool = engine.create(POOL, inputs)
    assert pool.properties["nodeConfig"]["resourceLabels"]["goog-gke-node-pool-provisioning-model"] == "spot"
    refreshed = engine.refresh(pool)
    assert refreshed.inputs["nodeConfig"]["resourceLabels"] == {"team": "a"}
    assert not engine.diff(refreshed, inputs).some


def test_spot_excludes_a_reservation(engine):  # cap-1
    assert "Spot" in refused(engine, reserved("any", spot=True))


def test_without_a_list_every_reservation_exists(engine, host):
    engine.create(POOL, reserved("projects/my-project/reservations/any"))
    labels = [node["metadata"]["labels"] for node in host.nodes.values()]
    assert {there["cloud.google.com/reservation-name"] for there in labels} == {"any"}


def test_reservations_that_are_listed(engine, options):  # cap-3, cap-4; cluster-toolkit#5043, gsutil#1000
    known = {"name": "r", "zone": "us-east5-a", "machineType": "ct5p-hightpu-4t", "count": 3}
    options(timeScale=0.001, reservations=[known, {**known, "name": "theirs", "project": "other"}])
    gone = 'Error 404: Google Compute Engine: reservation "{}" not found for node pool "v6e-0" at zone "us-east5-a"'
    assert gone.format("gone") in refused(engine, reserved("gone"))
    assert gone.format("r/reservationBlocks/b") in refused(engine, reserved("r/reservationBlocks/b"))
    assert gone.format("theirs") in refused(engine, reserved("theirs"))
    engine.create(POOL, {**reserved("projects/other/reservations/theirs/reservationBlocks/b"), "name": "a"})
    engine.create(POOL, {**reserved("r"), "name": "b"})
    with pytest.raises(CallError, match="required 2 and short of 1 VM count of machine type ct5p-hightpu-4t"):
        engine.create(POOL, {**reserved("r"), "name": "c"}, timeout=1)


def test_a_reservation_of_the_stack_itself(engine, options):
    options(timeScale=0.001)
    engine.create(RESERVATION, EVERY_TYPE[RESERVATION])
    affinity = reserved("reserved")["nodeConfig"]["reservationAffinity"]
    inputs = {**SLICE_INPUTS, "nodeConfig": {"machineType": "ct6e-standard-4t", "reservationAffinity": affinity}}
    engine.create(POOL, {**inputs, "name": "a"})
    engine.create(POOL, {**inputs, "name": "b"})
    with pytest.raises(CallError, match="required 4 and short of 4"):
        engine.create(POOL, {**inputs, "name": "c"}, timeout=1)


def test_quota_counts_the_chips_of_a_region(engine, options):
    options(quota={"v6e": 24})
    engine.create(POOL, SLICE_INPUTS)
    text = refused(engine, {**SLICE_INPUTS, "name": "v6e-1"})
    assert "Error 403: Insufficient regional quota" in text
    assert "request requires '16.0' and is short '8.0'" in text


def test_a_subnetwork_that_is_full(engine):
    inputs = {**with_change(HEAD_INPUTS, "autoscaling", None), "nodeCount": 5000}  # a /20 has 4,096 addresses
    assert "IP_SPACE_EXHAUSTED" in refused(engine, inputs)


def test_an_account_of_its_own(engine):
    engine.create(ACCOUNT, EVERY_TYPE[ACCOUNT])
    email = "nodes-of-slices@my-project.iam.gserviceaccount.com"
    engine.create(POOL, with_change(SLICE_INPUTS, "nodeConfig.serviceAccount", email))


def test_deletion_policies(engine):
    pool = engine.create(POOL, {**SLICE_INPUTS, "deletionPolicy": "PREVENT"})
    with pytest.raises(CallError, match='deletion_policy is set to "PREVENT"'):
        engine.delete(pool)
    pool = engine.update(pool, {**SLICE_INPUTS, "deletionPolicy": "ABANDON"})
    engine.delete(pool)
    assert engine.read(POOL, pool.id) is not None


def test_a_network_of_second_nics_stays_as_long_as_hosts_are_in_it(engine):
    inputs = {"name": "second", "autoCreateSubnetworks": False}
    network = engine.create(NETWORK, inputs, name="second")
    link = {"network": network.id, "ipCidrRange": "10.128.0.0/18", "region": "us-east5", "name": "second"}
    subnetwork = engine.create(SUBNETWORK, link, name="second")
    nics = {"additionalNodeNetworkConfigs": [{"network": network.id, "subnetwork": subnetwork.id}]}
    pool = engine.create(POOL, {**SLICE_INPUTS, "networkConfig": nics})
    with pytest.raises(CallError, match="is already being used by"):
        engine.delete(subnetwork)
    engine.delete(pool)
    engine.delete(subnetwork)
    engine.delete(network)
