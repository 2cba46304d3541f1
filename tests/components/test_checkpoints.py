"""The checkpoint bucket and the rights on it (B5)."""

import pytest

from tests.components.recordings import declare, job_pools

BUCKET, GRANT = "gcp:storage/bucket:Bucket", "gcp:storage/bucketIAMMember:BucketIAMMember"
CHECKPOINTS = "pathways-checkpoints"
MULTISLICE = {"name": "train", "kind": "multislice", "slices": {"group": "v6e", "count": 2}, "image": "a:1"}


@pytest.fixture(scope="module")
def recording():
    return declare(checkpoints={"recoverableDays": 3})


def test_there_is_none_where_none_is_asked_for():
    assert {bucket.name for bucket in declare().of_type(BUCKET)} == {"pathways-scratch-bucket"}


def test_it_is_near_closed_and_apart_from_what_goes_with_age(recording):
    properties = recording.named(f"{CHECKPOINTS}-bucket").properties
    assert properties["name"] == "tpu-lab-pathways-small-checkpoints"
    assert properties["location"] == "us-east5"
    assert properties["uniformBucketLevelAccess"] is True
    assert properties["publicAccessPrevention"] == "enforced"
    assert properties["name"] not in recording.outputs["scratchLocation"]


def test_what_is_deleted_can_be_brought_back_for_some_days_and_what_stands_is_never_taken(recording):
    properties = recording.named(f"{CHECKPOINTS}-bucket").properties
    assert properties["versioning"] == {"enabled": True}
    deletion, aborting = properties["lifecycleRules"]
    assert deletion == {
        "action": {"type": "Delete"},
        "condition": {"daysSinceNoncurrentTime": 3, "withState": "ARCHIVED"},
    }
    assert aborting["action"] == {"type": "AbortIncompleteMultipartUpload"}


def test_its_rules_are_ours_always(recording):  # Pathways adds none: it is no scratch location
    assert recording.named(f"{CHECKPOINTS}-bucket").options.ignore_changes == ()


def test_prod_keeps_it():
    for environment, kept in (("dev", False), ("prod", True)):
        bucket = declare(environment=environment, checkpoints={}).named(f"{CHECKPOINTS}-bucket")
        assert bucket.options.protect is kept
        assert bucket.properties["forceDestroy"] is not kept


def test_the_accounts_of_the_nodes_may_write_read_and_delete_objects_and_nothing_else(recording):
    role = recording.named(f"{CHECKPOINTS}-role").properties
    assert set(role["permissions"]) == {f"storage.objects.{each}" for each in ("create", "delete", "get", "list")}
    grants = [grant.properties for grant in recording.of_type(GRANT) if CHECKPOINTS in grant.name]
    nodes = {pool.properties["nodeConfig"]["serviceAccount"] for pool in job_pools(recording)}
    assert {grant["member"] for grant in grants} == {f"serviceAccount:{email}" for email in nodes}
    assert {grant["bucket"] for grant in grants} == {"tpu-lab-pathways-small-checkpoints"}
    assert {grant["role"] for grant in grants} == {f"projects/tpu-lab/roles/{role['roleId']}"}


@pytest.mark.parametrize(("workers", "account"), [({"serviceAccount": "trainer"}, "trainer"), ({}, "default")])
def test_a_job_off_the_host_network_has_the_rights_by_its_own_name(workers, account):
    recording = declare(checkpoints={}, workloads=[{**MULTISLICE, "hostNetwork": False, "workers": workers}])
    grant = recording.named(f"{CHECKPOINTS}-account-{account}")
    assert grant.properties["member"] == f"serviceAccount:tpu-lab.svc.id.goog[pathways/{account}]"
    assert recording.named("pathways-cluster-cluster").urn in grant.options.dependencies  # its identity pool
    scratch = {each.properties["member"] for each in recording.of_type(GRANT) if CHECKPOINTS not in each.name}
    assert grant.properties["member"] not in scratch


def test_a_job_on_the_host_network_has_them_by_its_nodes_whatever_its_name(recording):
    named = declare(checkpoints={}, workloads=[{**MULTISLICE, "workers": {"serviceAccount": "trainer"}}])
    assert {grant.name for grant in named.of_type(GRANT)} == {grant.name for grant in recording.of_type(GRANT)}


def test_jobs_wait_for_their_rights():
    recording = declare(checkpoints={}, workloads=[MULTISLICE])
    grants = {grant.urn for grant in recording.of_type(GRANT)}
    assert grants <= set(recording.named("pathways-job-train-job").options.dependencies)


def test_its_name_is_an_output(recording):
    assert recording.outputs["checkpointBucket"] == "tpu-lab-pathways-small-checkpoints"
