"""The program as a whole: names that last, providers, inputs that the provider knows, settings that are refused."""

from collections import Counter

import pulumi
import pytest

from components.recorder import record
from pathways.gcp import check_inputs, resource_type
from tests.components.recordings import SMALL, declare

DEV_NAMES = [
    "pathways",
    "pathways-cluster",
    "pathways-cluster-cluster",
    "pathways-gcp",
    "pathways-heads",
    "pathways-heads-account",
    "pathways-heads-account-account",
    "pathways-heads-account-role",
    "pathways-heads-pool",
    "pathways-job-hello",
    "pathways-job-hello-job",
    "pathways-jobs-namespace",
    "pathways-jobset",
    "pathways-jobset-chart",
    "pathways-jobset-namespace",
    "pathways-kubernetes",
    "pathways-kubernetes-jobs",
    "pathways-network",
    "pathways-network-nat",
    "pathways-network-router",
    "pathways-network-subnetwork",
    "pathways-network-vpc",
    "pathways-network-webhooks",
    "pathways-pathways-job",
    "pathways-pathways-job-manifest",
    "pathways-priorities",
    "pathways-priorities-high-prior-job",
    "pathways-scratch",
    "pathways-scratch-bucket",
    "pathways-scratch-heads",
    "pathways-scratch-role",
    "pathways-scratch-slices",
    "pathways-slices-account",
    "pathways-slices-account-account",
    "pathways-slices-account-role",
    "pathways-slices-v6e",
    "pathways-slices-v6e-0",
    "pathways-slices-v6e-1",
    "pathways-slices-v6e-2",
    "pathways-system",
    "pathways-system-account",
    "pathways-system-account-account",
    "pathways-system-account-role",
    "pathways-system-pool",
]
"""A name that changes is a resource that is deleted and made again: give it an alias."""

DEV_CHAINS = {
    "pathways": "pathways:index:Platform",
    "pathways-cluster-cluster": "pathways:index:Platform$pathways:gke:Cluster$gcp:container/cluster:Cluster",
    "pathways-heads-pool": "pathways:index:Platform$pathways:gke:HeadNodePool$gcp:container/nodePool:NodePool",
    "pathways-system-pool": "pathways:index:Platform$pathways:gke:SystemNodePool$gcp:container/nodePool:NodePool",
    "pathways-slices-v6e-0": "pathways:index:Platform$pathways:gke:MultisliceGroup$gcp:container/nodePool:NodePool",
    "pathways-scratch-bucket": "pathways:index:Platform$pathways:gcp:ScratchBucket$gcp:storage/bucket:Bucket",
}


def test_names_do_not_change(dev):
    assert sorted(resource.name for resource in dev.resources) == DEV_NAMES


def test_urns_do_not_change(dev):
    for name, chain in DEV_CHAINS.items():
        assert dev.named(name).urn == f"urn:pulumi:dev::pathways::{chain}::{name}"


def test_removing_a_group_leaves_the_names_of_others_alone():
    groups = [{"name": name, "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}} for name in ("one", "two")]
    both = {resource.urn for resource in declare(slices=groups).resources}
    second = {resource.urn for resource in declare(slices=groups[1:]).resources}
    assert second < both
    assert {urn.rpartition("::")[2] for urn in both - second} == {"pathways-slices-one", "pathways-slices-one-0"}


def test_children_are_named_after_their_parents(stack):
    names = {resource.urn: resource.name for resource in stack.resources}
    assert not [name for name, count in Counter(names.values()).items() if count > 1]
    for resource in stack.resources:
        if resource.parent:
            assert resource.name.startswith(f"{names[resource.parent]}-")


def test_the_google_cloud_provider_takes_all_inputs(stack):
    faults = {
        resource.name: check_inputs(resource_type(resource.type), resource.properties)
        for resource in stack.resources
        if resource.type.startswith("gcp:")
    }
    assert len(faults) > 10
    assert not {name: found for name, found in faults.items() if found}


def test_every_resource_has_the_platforms_own_provider(stack):
    names = {"gcp": ["pathways-gcp"], "kubernetes": ["pathways-kubernetes", "pathways-kubernetes-jobs"]}
    expected = {package: [stack.named(name).urn for name in own] for package, own in names.items()}
    for resource in stack.resources:
        package = resource.type.partition(":")[0]
        if package in expected:
            assert resource.provider in expected[package], resource.name


def test_the_cloud_provider_is_pinned_to_project_region_and_zone(dev):
    provider = dev.named("pathways-gcp").properties
    assert (provider["project"], provider["region"], provider["zone"]) == ("my-project-dev", "us-east5", "us-east5-b")


def test_a_replaced_resource_with_a_fixed_name_goes_before_its_successor(stack):
    bindings = (
        "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
        "gcp:projects/iAMMember:IAMMember",
        "gcp:storage/bucketIAMMember:BucketIAMMember",
    )
    for resource in stack.resources:
        if resource.custom and resource.type.startswith("gcp:") and resource.type not in bindings:
            assert resource.options.delete_before_replace, resource.name


def test_exports_tell_how_to_go_on(dev):
    assert dev.outputs["cluster"] == "pathways-dev"
    assert dev.outputs["getCredentials"] == (
        "gcloud container clusters get-credentials pathways-dev --dns-endpoint"
        " --location us-east5 --project my-project-dev"
    )
    assert dev.outputs["scratchLocation"] == "gs://my-project-dev-pathways-dev-scratch/pathways"
    assert dev.outputs["jobs"] == ["pathways/hello"]


def test_settings_that_are_wrong_end_the_program_with_the_whole_report():
    platform = {key: value for key, value in SMALL.items() if key != "zone"} | {"slizes": []}
    with pytest.raises(pulumi.RunError) as refusal:
        record({"gcp:project": "tpu-lab", "pathways:platform": platform}, "small")
    report = str(refusal.value)
    assert report.startswith("stacks/Pulumi.small.yaml: 2 errors\n")
    assert "zone: is missing" in report
    assert "slizes" in report


def test_a_stack_file_without_settings_is_refused():
    with pytest.raises(pulumi.RunError, match=r"stacks/Pulumi\.small\.yaml: .*errors"):
        record({"gcp:project": "tpu-lab"}, "small")


def test_a_stack_without_a_project_is_refused():
    with pytest.raises(pulumi.RunError, match="gcp:project"):
        record({"pathways:platform": SMALL}, "small")
