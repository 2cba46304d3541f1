"""Clusters: the control plane behind them, what they report, when they can be deleted."""

import base64
import re

import pytest

from sandbox.cloud import read_records
from tests.sandbox.cloud.engine_side import CallError
from tests.sandbox.cloud.inputs import (
    CLUSTER,
    CLUSTER_INPUTS,
    EVERY_TYPE,
    NETWORK,
    POOL,
    PROJECT_MEMBER,
    SLICE_INPUTS,
    SUBNETWORK,
    with_change,
)


@pytest.fixture
def network(engine):
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    return engine.create(SUBNETWORK, EVERY_TYPE[SUBNETWORK])


def test_endpoint_and_authority_are_the_control_planes(engine, cluster, host):
    properties = cluster.properties
    assert properties["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"] == "localhost:6443"
    assert properties["endpoint"] == "127.0.0.1:6443"
    authority = base64.b64decode(properties["masterAuth"]["clusterCaCertificate"]).decode()
    assert authority == host.endpoint().ca_certificate
    assert host.nodes == {}  # the default pool is gone


def test_without_being_told_otherwise_a_cluster_has_a_default_pool(engine, network, host):
    engine.create(CLUSTER, {**CLUSTER_INPUTS, "removeDefaultNodePool": False, "nodeLocations": ["us-east5-b"]})
    (node,) = host.nodes.values()
    assert node["metadata"]["labels"]["cloud.google.com/gke-nodepool"] == "default-pool"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("network", "other", "Error 404: The resource 'projects/my-project/global/networks/other' was not found"),
        ("subnetwork", "other", "regions/us-east5/subnetworks/other' was not found"),
        ("initialNodeCount", None, "Cluster.initial_node_count must be greater than zero"),
        (
            "ipAllocationPolicy",
            {"clusterSecondaryRangeName": "pods"},
            'Pod secondary range "pods" not found in network',
        ),
    ],
)
def test_what_gke_refuses(engine, network, host, path, value, words):
    with pytest.raises(CallError, match=re.escape(words)):
        engine.create(CLUSTER, with_change(CLUSTER_INPUTS, path, value))
    assert not host.there


def test_a_sandbox_has_one_cluster(engine, cluster):
    with pytest.raises(CallError, match="a sandbox has one cluster"):
        engine.create(CLUSTER, {**CLUSTER_INPUTS, "name": "other"})


def test_a_protected_cluster_is_kept(engine, network):
    inputs = with_change(CLUSTER_INPUTS, "deletionProtection", None)  # the provider's default is true
    cluster = engine.create(CLUSTER, inputs)
    with pytest.raises(CallError, match="Cannot destroy cluster because deletion_protection is set to true"):
        engine.delete(cluster)
    cluster = engine.update(cluster, {**inputs, "deletionProtection": False})
    engine.delete(cluster)
    assert engine.read(CLUSTER, cluster.id) is None


def test_pools_go_with_their_cluster(engine, cluster, host, folder):
    pool = engine.create(POOL, SLICE_INPUTS)
    engine.delete(cluster)
    assert not host.there
    assert {record.type for record in read_records(folder)} == {NETWORK, SUBNETWORK}
    engine.delete(pool)


def test_a_network_is_kept_while_something_is_in_it(engine, cluster):
    subnetwork = engine.read(SUBNETWORK, "projects/my-project/regions/us-east5/subnetworks/sub")
    network = engine.read(NETWORK, "projects/my-project/global/networks/net")
    with pytest.raises(CallError, match="resourceInUseByAnotherResource"):
        engine.delete(network)
    with pytest.raises(CallError, match=r"subnetwork resource .* is already being used by 'projects/.*/clusters/main'"):
        engine.delete(subnetwork)


def test_inline_node_settings_beside_a_removed_pool_replace_the_cluster_for_ever(engine, network):  # pulumi-gcp#744
    inputs = {**CLUSTER_INPUTS, "nodeConfig": {"machineType": "e2-standard-4"}}
    cluster = engine.create(CLUSTER, inputs)
    assert engine.diff(cluster, inputs).replaces == ["nodeConfig"]


def test_after_a_refresh_a_cluster_tells_of_its_pools_and_nothing_is_to_do(engine, cluster):
    engine.create(POOL, SLICE_INPUTS)
    refreshed = engine.refresh(cluster)
    assert [pool["name"] for pool in refreshed.properties["nodePools"]] == ["v6e-0"]
    assert not engine.diff(refreshed, CLUSTER_INPUTS).some


def test_workload_identities_exist_from_the_first_cluster_that_has_them(engine, network):
    grant = {
        "project": "my-project",
        "role": "roles/viewer",
        "member": "serviceAccount:my-project.svc.id.goog[pathways/default]",
    }
    with pytest.raises(CallError, match=r"Identity Pool does not exist \(my-project.svc.id.goog\)"):
        engine.create(PROJECT_MEMBER, grant)
    engine.create(CLUSTER, {**CLUSTER_INPUTS, "workloadIdentityConfig": {"workloadPool": "my-project.svc.id.goog"}})
    engine.create(PROJECT_MEMBER, grant)


def test_named_ranges_are_the_clusters_addresses(engine):
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    ranges = [
        {"rangeName": "pods", "ipCidrRange": "10.64.0.0/14"},
        {"rangeName": "services", "ipCidrRange": "10.1.0.0/20"},
    ]
    engine.create(SUBNETWORK, {**EVERY_TYPE[SUBNETWORK], "secondaryIpRanges": ranges})
    policy = {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"}
    cluster = engine.create(CLUSTER, {**CLUSTER_INPUTS, "ipAllocationPolicy": policy})
    assert cluster.properties["clusterIpv4Cidr"] == "10.64.0.0/14"
    assert cluster.properties["servicesIpv4Cidr"] == "10.1.0.0/20"
