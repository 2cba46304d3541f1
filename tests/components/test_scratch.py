"""The scratch bucket and the rights on it."""

import pytest

from tests.components.recordings import declare, job_pools

BUCKET = "gcp:storage/bucket:Bucket"
GRANT = "gcp:storage/bucketIAMMember:BucketIAMMember"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
JOB = {"name": "train", "kind": "pathways", "slices": {"group": "v6e", "count": 1}, "image": "a:1"}


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


def test_one_update_can_write_the_rules_all_the_same():
    (bucket,) = declare(scratch={"overwriteLifecycle": True}).of_type(BUCKET)
    assert "lifecycleRules" not in bucket.options.ignore_changes


def test_profiles_and_dumps_go_at_an_age_of_their_own():  # B5
    (bucket,) = declare(scratch={"profiles": {}, "dumps": {"prefix": "xla", "expireDays": 2}}).of_type(BUCKET)
    deletions = [rule["condition"] for rule in bucket.properties["lifecycleRules"][:-1]]
    assert deletions == [
        {"age": 7, "matchesPrefixes": ["pathways/"]},
        {"age": 30, "matchesPrefixes": ["profiles/"]},
        {"age": 2, "matchesPrefixes": ["xla/"]},
    ]


def test_without_a_bucket_there_are_no_rights_and_jobs_wait_for_none(dev):  # B4
    recording = declare(scratch={"enabled": False}, workloads=[JOB])
    assert not recording.of_type(BUCKET)
    assert not recording.of_type(GRANT)
    assert not recording.of_type(ROLE)
    assert recording.outputs["scratchLocation"] == ""
    job = recording.named("pathways-job-train-job")
    assert "pathwaysDir" not in job.properties["spec"]


def test_prod_results_survive_a_destroy(dev, prod):  # case scratch-5
    for recording, kept in ((dev, False), (prod, True)):
        for bucket in recording.of_type(BUCKET):
            assert bucket.options.protect is kept
            assert bucket.properties["forceDestroy"] is not kept


def test_node_accounts_have_the_five_permissions_on_this_bucket_alone(dev, bucket):  # cases scratch-2, id-1
    (role,) = dev.of_type(ROLE)
    assert set(role.properties["permissions"]) == {
        "storage.buckets.get",
        "storage.buckets.update",
        "storage.objects.list",
        "storage.objects.create",
        "storage.objects.get",
    }
    grants = dev.of_type(GRANT)
    nodes = {pool.properties["nodeConfig"]["serviceAccount"] for pool in job_pools(dev)}
    assert {grant.properties["member"] for grant in grants} == {f"serviceAccount:{email}" for email in nodes}
    for grant in grants:
        assert grant.properties["bucket"] == bucket.properties["name"]
        assert grant.properties["role"] == f"projects/my-project-dev/roles/{role.properties['roleId']}"


@pytest.mark.parametrize(
    "job",
    [
        {**JOB, "head": {"colocated": True}},
        {**JOB, "kind": "multislice", "slices": {"group": "v6e", "count": 2}},
        {**JOB, "kind": "multislice", "workers": {"serviceAccount": "trainer"}},
    ],
)
def test_whoever_is_on_the_host_network_has_the_rights_of_its_node(job):  # a service account does not change that
    recording = declare(workloads=[job])
    granted = {grant.properties["member"] for grant in recording.of_type(GRANT)}
    nodes = {pool.properties["nodeConfig"]["serviceAccount"] for pool in job_pools(recording)}
    assert granted == {f"serviceAccount:{email}" for email in nodes}
