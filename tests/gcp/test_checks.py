"""Inputs are held to the provider's declarations, and every fault is told at once."""

import pytest

from pathways.gcp import UNKNOWN, UnknownType, check_inputs, format_path, resource_type

POOL = resource_type("gcp:container/nodePool:NodePool")
FIREWALL = resource_type("gcp:compute/firewall:Firewall")
BUCKET = resource_type("gcp:storage/bucket:Bucket")
CLUSTER = resource_type("gcp:container/cluster:Cluster")


def failures(resource, inputs):
    return {format_path(failure.path): failure.reason for failure in check_inputs(resource, inputs)}


def test_sound_inputs_have_no_failures():
    pool = {
        "cluster": "main",
        "nodeCount": 4.0,  # numbers arrive as doubles
        "nodeConfig": {"machineType": "ct6e-standard-4t", "labels": {"MultisliceGroup": "v6e"}, "spot": True},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    }
    assert failures(POOL, pool) == {}


def test_all_faults_come_at_once_with_their_paths():
    pool = {
        "nodeCount": "four",
        "nodeConfig": {"machine_type": "ct6e-standard-4t", "taints": [{"key": "a", "value": "b"}]},
        "placementPolicy": {"tpuTopology": "4x4"},
    }
    found = failures(POOL, pool)
    assert set(found) == {
        "cluster",
        "nodeCount",
        "nodeConfig.machine_type",
        "nodeConfig.taints[0].effect",
        "placementPolicy.type",
    }
    assert 'The argument "cluster" is required' in found["cluster"]
    assert "expected number type, got string type" in found["nodeCount"]
    assert 'Did you mean "machineType"?' in found["nodeConfig.machine_type"]


def test_a_computed_property_cannot_be_given():
    assert (
        "unconfigurable attribute"
        in failures(POOL, {"cluster": "main", "instanceGroupUrls": ["x"]})["instanceGroupUrls"]
    )


def test_half_a_node_is_no_number_of_nodes():
    assert "whole number" in failures(POOL, {"cluster": "main", "nodeCount": 1.5})["nodeCount"]


@pytest.mark.parametrize(
    ("rules", "faulty"),
    [
        ({"allows": [{"protocol": "tcp"}]}, False),
        ({"denies": UNKNOWN}, False),
        ({}, True),
        ({"allows": [{"protocol": "tcp"}], "denies": [{"protocol": "udp"}]}, True),
    ],
)
def test_a_firewall_either_allows_or_denies(rules, faulty):  # exactlyOneOf of the provider
    found = failures(FIREWALL, {"name": "rule", "network": "main", **rules})
    assert ("allows" in found) is faulty


def test_properties_that_conflict_are_both_named():  # conflictsWith of the provider
    found = failures(CLUSTER, {"name": "main", "clusterIpv4Cidr": "10.0.0.0/14", "ipAllocationPolicy": {}})
    assert "conflicts with ipAllocationPolicy" in found["clusterIpv4Cidr"]
    assert "conflicts with clusterIpv4Cidr" in found["ipAllocationPolicy"]


def test_the_provider_stops_at_a_hundred_lifecycle_rules():  # scratch-3; MaxItems of lifecycle_rule
    rule = {"action": {"type": "Delete"}, "condition": {"age": 7}}
    bucket = {"name": "scratch", "location": "us-east5"}
    assert failures(BUCKET, {**bucket, "lifecycleRules": [rule] * 100}) == {}
    assert "supports 100 item maximum" in failures(BUCKET, {**bucket, "lifecycleRules": [rule] * 101})["lifecycleRules"]


def test_values_that_are_not_known_yet_are_tolerated_at_any_depth():
    pool = {
        "cluster": UNKNOWN,
        "nodeCount": UNKNOWN,
        "nodeConfig": {"labels": {"a": UNKNOWN}, "taints": [UNKNOWN], "tags": UNKNOWN, "serviceAccount": UNKNOWN},
        "nodeLocations": [UNKNOWN],
        "networkConfig": UNKNOWN,
    }
    assert failures(POOL, pool) == {}


@pytest.mark.parametrize(
    ("token", "inputs", "named"),
    [
        ("gcp:container/nodePool:NodePool", {"cluster": "c", "name": "p" * 41}, "name"),  # API: 40 characters
        ("gcp:container/nodePool:NodePool", {"cluster": "c", "name": "Pool"}, "name"),
        ("gcp:compute/network:Network", {"name": "n" * 64}, "name"),
        ("gcp:serviceaccount/account:Account", {"accountId": "short"}, "accountId"),  # 6 to 30 characters
        ("gcp:storage/bucket:Bucket", {"name": "<bucket>", "location": "us-east5"}, "name"),  # scratch-6
        ("gcp:storage/bucket:Bucket", {"name": "BUCKET_NAME", "location": "us-east5"}, "name"),  # scratch-6
    ],
)
def test_names_that_google_refuses(token, inputs, named):
    assert named in failures(resource_type(token), inputs)


def test_a_misspelt_type_is_answered_with_the_nearest():
    with pytest.raises(UnknownType, match="did you mean gcp:container/nodePool:NodePool"):
        resource_type("gcp:container/nodepool:NodePool")
