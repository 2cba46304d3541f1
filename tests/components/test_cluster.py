"""The cluster, its network and its accounts."""

import json

import pytest

from tests.components.recordings import NODE_POOL, declare

CLUSTER = "gcp:container/cluster:Cluster"


@pytest.fixture
def cluster(dev):
    (found,) = dev.of_type(CLUSTER)
    return found


def test_the_control_plane_is_regional_and_reached_by_name_only(cluster):
    assert cluster.properties["location"] == "us-east5"
    endpoints = cluster.properties["controlPlaneEndpointsConfig"]
    assert endpoints["dnsEndpointConfig"]["allowExternalTraffic"] is True
    assert endpoints["ipEndpointsConfig"] == {"enabled": False}
    assert "masterAuthorizedNetworksConfig" not in cluster.properties


def test_nodes_are_private_shielded_and_vpc_native(cluster):
    properties = cluster.properties
    assert properties["privateClusterConfig"]["enablePrivateNodes"] is True
    assert properties["enableShieldedNodes"] is True
    assert properties["networkingMode"] == "VPC_NATIVE"
    assert properties["datapathProvider"] == "ADVANCED_DATAPATH"
    assert properties["workloadIdentityConfig"] == {"workloadPool": "my-project-dev.svc.id.goog"}


def test_the_first_pool_goes_and_cannot_replace_the_cluster_later(cluster):  # pulumi-gcp#744
    assert cluster.properties["removeDefaultNodePool"] is True
    assert cluster.properties["initialNodeCount"] == 1
    assert {"initialNodeCount", "nodeConfig", "nodeVersion"} <= set(cluster.options.ignore_changes)
    assert not {"nodeConfig", "nodePools", "minMasterVersion"} & set(cluster.properties)


def test_upgrades_of_nodes_do_not_come_by_themselves(cluster):  # case pool-4
    policy = cluster.properties["maintenancePolicy"]
    (exclusion,) = policy["maintenanceExclusions"]
    assert exclusion["exclusionOptions"]["scope"] == "NO_MINOR_OR_NODE_UPGRADES"
    assert "endTime" not in exclusion
    assert policy["recurringWindow"]["recurrence"].startswith("FREQ=WEEKLY")


def test_deletion_is_refused_in_prod_only(dev, prod):
    for recording, expected in ((dev, False), (prod, True)):
        (cluster,) = recording.of_type(CLUSTER)
        assert cluster.properties["deletionProtection"] is expected
        assert cluster.options.protect is expected


def test_one_setting_lifts_the_protection_of_cluster_and_slices_but_not_of_the_bucket():
    recording = declare(environment="prod", cluster={"deletionProtection": False})
    protected = [resource.type for resource in recording.resources if resource.options.protect]
    assert protected == ["gcp:storage/bucket:Bucket"]
    (cluster,) = recording.of_type(CLUSTER)
    assert cluster.properties["deletionProtection"] is False


def test_kubernetes_objects_are_not_replaced_when_the_endpoint_changes(dev):
    for provider in dev.of_type("pulumi:providers:kubernetes"):
        assert (
            provider.properties["clusterIdentifier"]
            == "projects/my-project-dev/locations/us-east5/clusters/pathways-dev"
        )
        assert "deleteUnreachable" not in provider.properties


def test_only_what_is_replaced_under_its_name_is_applied_by_the_client(dev):
    applied = {p.name: p.properties["enableServerSideApply"] for p in dev.of_type("pulumi:providers:kubernetes")}
    assert applied == {"pathways-kubernetes": "true", "pathways-kubernetes-jobs": "false"}
    by_client = {r.type for r in dev.resources if r.provider == dev.named("pathways-kubernetes-jobs").urn}
    assert by_client == {
        "kubernetes:pathways-job.pathways.domain/v1:PathwaysJob",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",
    }


def test_the_kubeconfig_holds_no_credential(dev):
    provider = dev.named("pathways-kubernetes")
    config = json.loads(provider.properties["kubeconfig"])
    (context,) = config["contexts"]
    assert config["current-context"] == context["name"]
    (cluster,), (user,) = config["clusters"], config["users"]
    assert context["context"] == {"cluster": cluster["name"], "user": user["name"]}
    assert set(cluster["cluster"]) == {"server"}
    assert cluster["cluster"]["server"].startswith("https://")
    assert set(user["user"]) == {"exec"}
    assert user["user"]["exec"]["command"] == "gke-gcloud-auth-plugin"
    assert user["user"]["exec"]["apiVersion"] == "client.authentication.k8s.io/v1beta1"
    assert user["user"]["exec"]["provideClusterInfo"] is True


def test_the_network_takes_large_packets_and_lets_private_nodes_out(dev):  # case priv-1
    (network,) = dev.of_type("gcp:compute/network:Network")
    assert network.properties["mtu"] == 8896
    assert network.properties["autoCreateSubnetworks"] is False
    (subnetwork,) = dev.of_type("gcp:compute/subnetwork:Subnetwork")
    assert subnetwork.properties["privateIpGoogleAccess"] is True
    (nat,) = dev.of_type("gcp:compute/routerNat:RouterNat")
    assert nat.properties["subnetworks"] == [
        {
            "name": "projects/my-project-dev/regions/us-east5/subnetworks/pathways-dev-nodes",
            "sourceIpRangesToNats": ["ALL_IP_RANGES"],
        }
    ]


def test_pods_and_services_have_the_ranges_that_the_cluster_names(dev, cluster):
    (subnetwork,) = dev.of_type("gcp:compute/subnetwork:Subnetwork")
    names = {block["rangeName"] for block in subnetwork.properties["secondaryIpRanges"]}
    policy = cluster.properties["ipAllocationPolicy"]
    assert names == {policy["clusterSecondaryRangeName"], policy["servicesSecondaryRangeName"]}
    assert len(names) == 2


def test_the_control_plane_may_call_webhooks_on_every_node(dev, cluster):  # case priv-2
    (firewall,) = dev.of_type("gcp:compute/firewall:Firewall")
    assert firewall.properties["allows"] == [{"protocol": "tcp", "ports": ["9443"]}]
    assert firewall.properties["sourceRanges"] == [cluster.properties["privateClusterConfig"]["masterIpv4CidrBlock"]]
    for pool in dev.of_type(NODE_POOL):
        assert pool.properties["nodeConfig"]["tags"] == firewall.properties["targetTags"]


def test_long_names_of_clusters_give_legal_names_of_accounts():
    names = {}
    for cluster in ("research-cluster-of-the-north-1", "research-cluster-of-the-north-2"):
        for account in declare(cluster={"name": cluster}).of_type("gcp:serviceaccount/account:Account"):
            account_id = account.properties["accountId"]
            assert 6 <= len(account_id) <= 30
            assert names.setdefault(account_id, (cluster, account.name)) == (cluster, account.name)
    assert len(names) == 6
