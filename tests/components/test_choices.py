"""What an operations team chooses: who reaches the cluster, when it is upgraded, whose key and whose network it has."""

import json

import pytest

from pathways.plan.state import declared_state
from pathways.plan.steps import Verb, steps_between
from tests.components.recordings import NODE_POOL, SMALL, declare, declare_pool, slice_pools

CLUSTER = "gcp:container/cluster:Cluster"
BUCKET = "gcp:storage/bucket:Bucket"
FIREWALL = "gcp:compute/firewall:Firewall"
KEY = "projects/keys/locations/us-east5/keyRings/ring/cryptoKeys/key"
SHARED = {"network": "shared", "subnetwork": "team", "podRange": "team-pods", "serviceRange": "team-services"}


def cluster_of(recording):
    (found,) = recording.of_type(CLUSTER)
    return found.properties


def with_networking(networking, **changes):
    return declare(slices=[{**SMALL["slices"][0], "networking": networking}], **changes)


def test_authorised_networks_open_the_address_to_them_alone():
    told = cluster_of(declare(cluster={"authorizedNetworks": {"office": "203.0.113.0/24", "vpn": "10.9.0.0/16"}}))
    assert told["controlPlaneEndpointsConfig"]["ipEndpointsConfig"] == {"enabled": True}
    blocks = told["masterAuthorizedNetworksConfig"]["cidrBlocks"]
    assert [(each["displayName"], each["cidrBlock"]) for each in blocks] == [
        ("office", "203.0.113.0/24"),
        ("vpn", "10.9.0.0/16"),
    ]
    assert told["masterAuthorizedNetworksConfig"]["gcpPublicCidrsAccessEnabled"] is False
    assert told["privateClusterConfig"]["enablePrivateEndpoint"] is False


def test_private_networks_alone_need_no_public_address():
    told = cluster_of(declare(cluster={"authorizedNetworks": {"vpn": "10.9.0.0/16"}}))
    assert told["privateClusterConfig"]["enablePrivateEndpoint"] is True


def test_without_the_dns_endpoint_clients_go_to_the_address_and_trust_the_clusters_authority():
    recording = declare(cluster={"dnsEndpoint": False, "authorizedNetworks": {"vpn": "10.9.0.0/16"}})
    told = cluster_of(recording)["controlPlaneEndpointsConfig"]
    assert told["dnsEndpointConfig"] == {"allowExternalTraffic": False}
    (reached,) = json.loads(recording.named("pathways-kubernetes").properties["kubeconfig"])["clusters"]
    assert set(reached["cluster"]) == {"server", "certificate-authority-data"}
    assert "--dns-endpoint" not in recording.outputs["getCredentials"]


def test_the_window_and_what_is_left_alone_are_settings():
    freezes = [{"name": "launch", "first": "2026-12-20", "last": "2027-01-05"}]
    maintenance = {"days": ["TU", "MO"], "start": "03:30", "hours": 6, "upgrades": "patches", "freezes": freezes}
    policy = cluster_of(declare(cluster={"maintenance": maintenance}))["maintenancePolicy"]
    assert policy["recurringWindow"] == {  # 5 January 2026 is the first Monday of that year
        "startTime": "2026-01-05T03:30:00Z",
        "endTime": "2026-01-05T09:30:00Z",
        "recurrence": "FREQ=WEEKLY;BYDAY=MO,TU",
    }
    standing, launch = policy["maintenanceExclusions"]
    assert standing["exclusionOptions"]["scope"] == "NO_MINOR_UPGRADES"
    assert (launch["startTime"], launch["endTime"]) == ("2026-12-20T00:00:00Z", "2027-01-06T00:00:00Z")
    assert launch["exclusionOptions"] == {"scope": "NO_UPGRADES"}
    everything = cluster_of(declare(cluster={"maintenance": {"upgrades": "all"}}))["maintenancePolicy"]
    assert everything["maintenanceExclusions"] == []


def test_hardening_that_needs_something_of_an_organisation_is_off_until_asked_for():
    plain, hardened = (
        cluster_of(declare()),
        cluster_of(
            declare(
                cluster={
                    "binaryAuthorization": True,
                    "securityPosture": "enterprise",
                    "rbacGroup": "gke-security-groups@example.com",
                }
            )
        ),
    )
    assert not {"binaryAuthorization", "authenticatorGroupsConfig", "databaseEncryption"} & set(plain)
    assert plain["securityPostureConfig"] == {"mode": "BASIC"}
    assert hardened["binaryAuthorization"] == {"evaluationMode": "PROJECT_SINGLETON_POLICY_ENFORCE"}
    assert hardened["securityPostureConfig"] == {"mode": "ENTERPRISE"}
    assert hardened["authenticatorGroupsConfig"] == {"securityGroup": "gke-security-groups@example.com"}


def test_one_key_encrypts_secrets_disks_and_buckets_once_its_users_may_use_it():
    recording = declare(encryption={"key": KEY, "projectNumber": "1234"}, checkpoints={})
    assert cluster_of(recording)["databaseEncryption"] == {"state": "ENCRYPTED", "keyName": KEY}
    assert {pool.properties["nodeConfig"]["bootDiskKmsKey"] for pool in recording.of_type(NODE_POOL)} == {KEY}
    assert {bucket.properties["encryption"]["defaultKmsKeyName"] for bucket in recording.of_type(BUCKET)} == {KEY}
    grants = recording.of_type("gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember")
    assert {grant.properties["member"] for grant in grants} == {  # service agents, Google Cloud documentation
        "serviceAccount:service-1234@container-engine-robot.iam.gserviceaccount.com",
        "serviceAccount:service-1234@compute-system.iam.gserviceaccount.com",
        "serviceAccount:service-1234@gs-project-accounts.iam.gserviceaccount.com",
    }
    for encrypted in (*recording.of_type(CLUSTER), *recording.of_type(BUCKET)):
        assert {grant.urn for grant in grants} <= set(encrypted.options.dependencies)


def test_a_second_nic_is_in_a_network_of_its_own_where_hosts_let_each_other_in():
    recording = with_networking("secondNic")
    (nic,) = slice_pools(recording)[0].properties["networkConfig"]["additionalNodeNetworkConfigs"]
    assert nic["network"].endswith("/pathways-small-second")
    assert nic["subnetwork"].endswith("/pathways-small-second")
    assert cluster_of(recording)["enableMultiNetworking"] is True
    (rule,) = [each for each in recording.of_type(FIREWALL) if each.name.endswith("-hosts")]
    assert (rule.properties["network"], rule.properties["sourceRanges"]) == (nic["network"], ["10.128.0.0/18"])
    assert {each.properties["mtu"] for each in recording.of_type("gcp:compute/network:Network")} == {8896}


@pytest.mark.parametrize("networking", ["secondNic", "dra"])
def test_hosts_that_get_other_nics_are_made_anew(networking):
    """Nodes keep theirs, and the provider sees no difference where a network is not asked for any more."""
    before, after = with_networking(networking), with_networking("singleNic")
    for one, other in ((before, after), (after, before)):
        steps = steps_between(declared_state(one.resources), other.resources)
        verbs = {step.resource.name: step.verb for step in steps}
        assert {verbs[pool.name] for pool in slice_pools(other)} == {Verb.REPLACE}


def test_gkes_networking_driver_needs_its_profile_and_its_label():  # XPK, nodepool.py
    pool = slice_pools(with_networking("dra"))[0].properties
    assert pool["networkConfig"] == {"acceleratorNetworkProfile": "auto"}
    assert pool["nodeConfig"]["labels"]["cloud.google.com/gke-networking-dra-driver"] == "true"


def test_one_nic_is_declared_by_nothing(dev):
    assert all("networkConfig" not in pool.properties for pool in slice_pools(dev))
    assert "enableMultiNetworking" not in cluster_of(dev)


def test_autoscaled_slices_come_and_go_whole_by_bounds_per_zone():  # vllm-project/ci-infra#545
    pool = declare_pool(tpu="v6e-16", autoscaled=True)
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}
    assert "nodeCount" not in pool
    assert pool["upgradeSettings"] == {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}


def test_a_shared_network_gets_the_webhooks_rule_in_its_own_project_and_nothing_else():
    recording = declare(network={"existing": {**SHARED, "project": "host"}})
    told = cluster_of(recording)
    assert told["network"] == "projects/host/global/networks/shared"
    assert told["subnetwork"] == "projects/host/regions/us-east5/subnetworks/team"
    assert told["ipAllocationPolicy"]["clusterSecondaryRangeName"] == "team-pods"
    assert {each.type for each in recording.resources if each.type.startswith("gcp:compute")} == {FIREWALL}
    (rule,) = recording.of_type(FIREWALL)
    assert (rule.properties["project"], rule.properties["network"]) == ("host", told["network"])


def test_a_cluster_of_others_is_not_made_and_its_objects_are_deleted_one_by_one():
    recording = declare(cluster={"name": "theirs", "existing": {"location": "us-east5-b"}})
    made = {each.type for each in recording.resources}
    assert not {CLUSTER, FIREWALL, "gcp:compute/network:Network"} & made
    for pool in recording.of_type(NODE_POOL):
        assert (pool.properties["cluster"], pool.properties["location"]) == ("theirs", "us-east5-b")
    assert not any(each.options.deleted_with for each in recording.resources)
    assert "pathways-system-pool" not in {each.name for each in recording.resources}


def test_jobset_may_be_there_already():
    recording = declare(cluster={"name": "theirs", "existing": {}}, install={"jobset": {"enabled": False}})
    assert not recording.of_type("kubernetes:helm.sh/v4:Chart")


def test_what_protects_is_named_step_by_step_in_prod_and_one_step_suffices_in_dev(dev, prod):
    assert dev.outputs["destroy"] == ["pulumi destroy -s dev"]
    assert prod.outputs["destroy"] == [
        "write cluster: {deletionProtection: false} and replaceable: [pretrain, evaluate] in the stack file",
        "pulumi up -s prod",
        "pulumi destroy -s prod --exclude-protected",
    ]
