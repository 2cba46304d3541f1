"""The scratch bucket and the rights on it."""

import pytest

from tests.components.recordings import NODE_POOL, declare

BUCKET = "gcp:storage/bucket:Bucket"


@pytest.fixture
def bucket(dev):
    (found,) = dev.of_type(BUCKET)
    return found


def test_the_bucket_is_in_the_slices_region_and_closed_to_the_public(bucket):
    assert bucket.properties["location"].lower() == "us-east5"
    assert bucket.properties["uniformBucketLevelAccess"] is True
    assert bucket.properties["publicAccessPrevention"] == "enforced"


def test_nothing_is_kept_that_was_deleted(bucket):
    assert bucket.properties["softDeletePolicy"] == {"retentionDurationSeconds": 0}
    assert bucket.properties["versioning"] == {"enabled": False}


def test_old_programs_and_aborted_uploads_go():
    recording = declare(scratch={"prefix": "programs", "expireDays": 3, "abortedUploadDays": 2})
    (bucket,) = recording.of_type(BUCKET)
    assert bucket.properties["lifecycleRules"] == [
        {"action": {"type": "Delete"}, "condition": {"age": 3, "matchesPrefixes": ["programs/"]}},
        {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 2}},
    ]


def test_rules_that_pathways_adds_survive_the_next_deployment(bucket):  # case scratch-4
    assert "lifecycleRules" in bucket.options.ignore_changes


def test_prod_results_survive_a_destroy(dev, prod):  # case scratch-5
    for recording, kept in ((dev, False), (prod, True)):
        (bucket,) = recording.of_type(BUCKET)
        assert bucket.options.protect is kept
        assert bucket.properties["forceDestroy"] is not kept


def test_node_accounts_have_the_five_permissions_on_this_bucket_alone(dev, bucket):  # cases scratch-2, id-1
    (role,) = dev.of_type("gcp:projects/iAMCustomRole:IAMCustomRole")
    assert set(role.properties["permissions"]) == {
        "storage.buckets.get",
        "storage.buckets.update",
        "storage.objects.list",
        "storage.objects.create",
        "storage.objects.get",
    }
    grants = dev.of_type("gcp:storage/bucketIAMMember:BucketIAMMember")
    pools = [pool for pool in dev.of_type(NODE_POOL) if pool.name != "pathways-system-pool"]
    nodes = {pool.properties["nodeConfig"]["serviceAccount"] for pool in pools}
    assert {grant.properties["member"] for grant in grants} == {f"serviceAccount:{email}" for email in nodes}
    for grant in grants:
        assert grant.properties["bucket"] == bucket.properties["name"]
        assert grant.properties["role"] == f"projects/my-project-dev/roles/{role.properties['roleId']}"
