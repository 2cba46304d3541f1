"""TPU VMs outside GKE: what the provider is asked for, and what people are told."""

import pytest

from pathways.gcp import check_inputs, resource_type
from tests.components.recordings import declare

QUEUED_RESOURCE = "gcp:tpu/v2QueuedResource:V2QueuedResource"
FIREWALL = "gcp:compute/firewall:Firewall"
VM = {"name": "debug", "tpu": "v6e-8"}


@pytest.fixture(scope="module")
def recording():
    return declare(tpuVms=[VM, {"name": "big", "tpu": "v6e-16", "externalIps": True, "runtimeVersion": "mine"}])


def node_of(recording, name):
    (spec,) = recording.named(f"pathways-tpu-vms-{name}").properties["tpu"]["nodeSpecs"]
    return spec


def test_a_queued_resource_for_each(recording):
    assert [vm.properties["name"] for vm in recording.of_type(QUEUED_RESOURCE)] == ["big", "debug"]
    assert node_of(recording, "debug") == {
        "parent": "projects/tpu-lab/locations/us-east5-b",
        "nodeId": "debug",
        "node": {
            "acceleratorType": "v6e-8",
            "runtimeVersion": "v2-alpha-tpuv6e",
            "networkConfig": {
                "network": "projects/tpu-lab/global/networks/pathways-small",
                "subnetwork": "projects/tpu-lab/regions/us-east5/subnetworks/pathways-small-nodes",
                "enableExternalIps": False,
            },
        },
    }
    node = node_of(recording, "big")["node"]
    assert (node["runtimeVersion"], node["networkConfig"]["enableExternalIps"]) == ("mine", True)


def test_the_provider_knows_all_that_is_asked_for(recording):
    for resource in (*recording.of_type(QUEUED_RESOURCE), *recording.of_type(FIREWALL)):
        assert check_inputs(resource_type(resource.type), resource.properties) == [], resource.name


def test_hosts_reach_each_other_and_people_the_hosts(recording):
    hosts = recording.named("pathways-tpu-vms-hosts").properties
    subnetwork = recording.named("pathways-network-subnetwork").properties
    assert hosts["sourceRanges"] == [subnetwork["ipCidrRange"]]
    ssh = recording.named("pathways-tpu-vms-ssh").properties
    assert (ssh["sourceRanges"], ssh["allows"]) == (["35.235.240.0/20"], [{"protocol": "tcp", "ports": ["22"]}])


def test_it_comes_after_the_way_out_and_the_ways_in(recording):
    urns = {resource.name: resource.urn for resource in recording.resources}
    after = set(recording.named("pathways-tpu-vms-debug").options.dependencies)
    assert {urns["pathways-network-nat"], urns["pathways-tpu-vms-hosts"]} <= after


def test_its_name_is_taken_until_it_is_gone_and_prod_protects_it(recording):
    options = recording.named("pathways-tpu-vms-debug").options
    assert (options.delete_before_replace, options.protect) == (True, False)
    (vm,) = declare(environment="prod", tpuVms=[VM]).of_type(QUEUED_RESOURCE)
    assert vm.options.protect


def test_people_are_told_how_to_log_in_and_how_to_let_go(recording):
    told = recording.outputs["tpuVms"]
    place = "--zone us-east5-b --project tpu-lab"
    assert told["debug"] == {
        "ssh": f"gcloud compute tpus queued-resources ssh debug {place} --tunnel-through-iap --worker 0",
        "delete": f"gcloud compute tpus queued-resources delete debug {place} --force",
    }
    assert "iap" not in told["big"]["ssh"]


def test_without_any_nothing_is_made():
    recording = declare()
    assert recording.outputs["tpuVms"] == {}
    assert not any("tpu-vms" in resource.name for resource in recording.resources)
