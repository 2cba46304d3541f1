"""How edits act, held to the lists of ForceNew, in-place and silently ignored properties of the provider."""

import pytest

from pathways.gcp import UNKNOWN, Action, Kind, changes_between, format_path, resource_type, with_defaults

POOL = resource_type("gcp:container/nodePool:NodePool")
CLUSTER = resource_type("gcp:container/cluster:Cluster")
BUCKET = resource_type("gcp:storage/bucket:Bucket")
SUBNETWORK = resource_type("gcp:compute/subnetwork:Subnetwork")

SLICE = {
    "name": "v6e-0",
    "cluster": "main",
    "location": "us-east5",
    "nodeCount": 4,
    "nodeLocations": ["us-east5-b"],
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    "nodeConfig": {
        "machineType": "ct6e-standard-4t",
        "spot": True,
        "labels": {"MultisliceGroup": "v6e", "MultisliceGroupSize": "2"},
        "taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}],
        "serviceAccount": "nodes@p.iam.gserviceaccount.com",
        "diskSizeGb": 100,
    },
}


def edited(base, path, value):
    *parents, last = path.split(".")
    result = dict(base)
    level = result
    for step in parents:
        level[step] = dict(level.get(step) or {})
        level = level[step]
    if value is None:
        level.pop(last)
    else:
        level[last] = value
    return result


def acts(resource, old, new, **options):
    return {format_path(c.path): (c.kind, c.action) for c in changes_between(resource, old, new, **options)}


def test_the_same_again_is_no_change():
    assert acts(POOL, SLICE, SLICE) == {}


@pytest.mark.parametrize("path", ["placementPolicy.type", "placementPolicy.tpuTopology"])
def test_topology_and_type_plan_as_an_update_that_is_never_sent(path):  # pool-2; neither ForceNew nor in nodePoolUpdate
    assert acts(POOL, SLICE, edited(SLICE, path, "2x4")) == {path: (Kind.UPDATE, Action.IGNORED)}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "other"),
        ("cluster", "other"),
        ("location", "us-east1"),
        ("initialNodeCount", 1),
        ("maxPodsPerNode", 15),
        ("placementPolicy.policyName", "policy"),
        ("queuedProvisioning", {"enabled": True}),
        ("networkConfig", {"podRange": "pods"}),
        ("nodeConfig.spot", False),
        ("nodeConfig.serviceAccount", "others@p.iam.gserviceaccount.com"),
        ("nodeConfig.oauthScopes", ["https://www.googleapis.com/auth/cloud-platform"]),
        ("nodeConfig.metadata", {"a": "b"}),
        ("nodeConfig.flexStart", True),
        ("nodeConfig.maxRunDuration", "3600s"),
        (
            "nodeConfig.reservationAffinity",
            {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "k", "values": ["r"]},
        ),
        ("nodeConfig.hostMaintenancePolicy", {"maintenanceInterval": "PERIODIC"}),
        ("nodeConfig.shieldedInstanceConfig", {"enableSecureBoot": True}),
    ],
)
def test_a_node_pool_is_replaced(path, value):  # ForceNew in the provider; pool-1
    assert {action for _, action in acts(POOL, SLICE, edited(SLICE, path, value)).values()} == {Action.REPLACE}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("autoscaling", {"minNodeCount": 0, "maxNodeCount": 4}),
        ("nodeCount", 8),
        ("management", {"autoUpgrade": False}),
        ("version", "1.35"),
        ("nodeLocations", ["us-east5-a"]),
        ("upgradeSettings", {"maxSurge": 0, "maxUnavailable": 1}),
        ("nodeConfig.machineType", "ct6e-standard-8t"),
        ("nodeConfig.diskType", "hyperdisk-balanced"),
        ("nodeConfig.diskSizeGb", 200),
        ("nodeConfig.labels", {"MultisliceGroup": "other"}),
        ("nodeConfig.taints", []),
        ("nodeConfig.tags", ["a"]),
        ("nodeConfig.resourceLabels", {"team": "x"}),
        ("nodeConfig.imageType", "UBUNTU_CONTAINERD"),
        ("nodeConfig.gvnic", {"enabled": True}),
        ("nodeConfig.workloadMetadataConfig", {"mode": "GKE_METADATA"}),
        ("nodeConfig.kubeletConfig", {"cpuManagerPolicy": "static"}),
        ("nodeConfig.loggingVariant", "MAX_THROUGHPUT"),
        ("networkConfig", {"enablePrivateNodes": True}),
    ],
)
def test_a_node_pool_is_changed_in_place(path, value):  # branches of nodePoolUpdate in the provider
    assert {action for _, action in acts(POOL, SLICE, edited(SLICE, path, value)).values()} == {Action.IN_PLACE}


def test_adding_or_removing_the_placement_block_replaces():  # ForceNew as a block
    bare = edited(SLICE, "placementPolicy", None)
    assert acts(POOL, SLICE, bare) == {"placementPolicy": (Kind.DELETE, Action.REPLACE)}
    assert acts(POOL, bare, SLICE) == {"placementPolicy": (Kind.ADD, Action.REPLACE)}


@pytest.mark.parametrize(
    ("path", "value", "action"),
    [  # ForceNew and in-place lists of google_container_cluster
        ("network", "other", Action.REPLACE),
        ("datapathProvider", "ADVANCED_DATAPATH", Action.REPLACE),
        ("description", "words", Action.REPLACE),
        ("enableL4IlbSubsetting", False, Action.REPLACE),
        ("enableFqdnNetworkPolicy", False, Action.REPLACE),
        ("releaseChannel", {"channel": "RAPID"}, Action.IN_PLACE),
        ("minMasterVersion", "1.35", Action.IN_PLACE),
        ("deletionProtection", False, Action.IN_PLACE),
        ("workloadIdentityConfig", {"workloadPool": "p.svc.id.goog"}, Action.IN_PLACE),
    ],
)
def test_a_cluster(path, value, action):
    cluster = {
        "name": "main",
        "location": "us-east5",
        "network": "net",
        "enableL4IlbSubsetting": True,
        "enableFqdnNetworkPolicy": True,
        "deletionProtection": True,
    }
    assert {act for _, act in acts(CLUSTER, cluster, edited(cluster, path, value)).values()} == {action}


def test_turning_subsetting_on_is_in_place():
    assert acts(CLUSTER, {"name": "c"}, {"name": "c", "enableL4IlbSubsetting": True}) == {
        "enableL4IlbSubsetting": (Kind.ADD, Action.IN_PLACE)
    }


def test_a_subnetwork_grows_in_place_and_is_replaced_to_shrink():
    old = {"name": "s", "network": "n", "ipCidrRange": "10.0.0.0/20"}
    assert acts(SUBNETWORK, old, {**old, "ipCidrRange": "10.0.0.0/16"})["ipCidrRange"][1] is Action.IN_PLACE
    assert acts(SUBNETWORK, old, {**old, "ipCidrRange": "10.0.0.0/24"})["ipCidrRange"][1] is Action.REPLACE


def test_what_google_cloud_filled_in_is_no_change_when_the_program_is_silent():
    reported = {
        **SLICE,
        "version": "1.34.3-gke.1318000",
        "management": {"autoRepair": True, "autoUpgrade": True},
        "instanceGroupUrls": ["https://..."],
        "nodeConfig": {**SLICE["nodeConfig"], "oauthScopes": ["a"], "metadata": {"disable-legacy-endpoints": "true"}},
    }
    assert acts(POOL, reported, SLICE) == {}


def test_what_the_program_no_longer_asks_for_is_taken_away():
    assert acts(POOL, SLICE, edited(SLICE, "nodeConfig.taints", None)) == {
        "nodeConfig.taints[0]": (Kind.DELETE, Action.IN_PLACE)
    }


def test_labels_change_key_by_key_with_paths_that_pulumi_reads():
    new = edited(SLICE, "nodeConfig.labels", {"MultisliceGroup": "other", "pathways.dev/kind": "slice"})
    assert acts(POOL, SLICE, new) == {
        "nodeConfig.labels.MultisliceGroup": (Kind.UPDATE, Action.IN_PLACE),
        "nodeConfig.labels.MultisliceGroupSize": (Kind.DELETE, Action.IN_PLACE),
        'nodeConfig.labels["pathways.dev/kind"]': (Kind.ADD, Action.IN_PLACE),
    }


def test_the_order_of_a_set_does_not_matter_and_that_of_a_list_does():
    zones = {**SLICE, "nodeLocations": ["a", "b"]}
    assert acts(POOL, zones, {**SLICE, "nodeLocations": ["b", "a"]}) == {}
    rules = [{"action": {"type": "Delete"}, "condition": {"age": age}} for age in (1, 2)]
    bucket = {"name": "b", "location": "us-east5"}
    swapped = acts(BUCKET, {**bucket, "lifecycleRules": rules}, {**bucket, "lifecycleRules": rules[::-1]})
    assert set(swapped) == {"lifecycleRules[0].condition.age", "lifecycleRules[1].condition.age"}


def test_a_bucket_is_where_it_is_in_capitals_too():
    reported = {"name": "b", "location": "US-EAST5"}
    assert acts(BUCKET, reported, {"name": "b", "location": "us-east5"}) == {}
    assert acts(BUCKET, reported, {"name": "b", "location": "us-east1"})["location"][1] is Action.REPLACE


def test_a_link_is_the_same_in_full_and_in_part():
    reported = {"name": "c", "network": "projects/p/global/networks/main"}
    link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/main"
    assert acts(CLUSTER, reported, {"name": "c", "network": link}) == {}
    assert acts(CLUSTER, reported, {"name": "c", "network": "main"}) == {}
    assert acts(CLUSTER, reported, {"name": "c", "network": "projects/p/global/networks/other"}) != {}


def test_a_value_that_is_not_known_yet_may_replace():
    assert acts(POOL, SLICE, {**SLICE, "cluster": UNKNOWN}) == {"cluster": (Kind.UPDATE, Action.REPLACE)}


def test_ignored_paths_make_no_change():
    new = edited(edited(SLICE, "nodeConfig.labels", {"MultisliceGroup": "x"}), "nodeCount", 8)
    assert set(acts(POOL, SLICE, new, ignore=["nodeConfig.labels"])) == {"nodeCount"}
    assert acts(POOL, SLICE, new, ignore=["nodeConfig.*", "nodeCount"]) == {}


def test_defaults_are_the_providers_and_say_that_they_are():
    filled = with_defaults(BUCKET, {"location": "us-east5", "softDeletePolicy": {}}, generated_name="scratch-1a2b3c4")
    assert filled["forceDestroy"] is False
    assert filled["storageClass"] == "STANDARD"
    assert filled["name"] == "scratch-1a2b3c4"
    assert filled["__defaults"] == ["forceDestroy", "name", "storageClass"]
    assert filled["softDeletePolicy"] == {
        "retentionDurationSeconds": 604800,
        "__defaults": ["retentionDurationSeconds"],
    }
