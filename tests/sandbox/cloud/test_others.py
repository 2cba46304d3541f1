"""Buckets, networks, accounts: what Google refuses of them and what it fills in."""

import pytest

from sandbox.cloud import Console, read_records
from tests.sandbox.cloud.engine_side import CallError
from tests.sandbox.cloud.inputs import (
    ACCOUNT,
    BUCKET,
    BUCKET_MEMBER,
    EVERY_TYPE,
    KEY_RING,
    NETWORK,
    PROJECT_MEMBER,
    SUBNETWORK,
)


@pytest.fixture
def console(server):
    with Console(server.port) as console:
        yield console


def test_a_bucket_as_cloud_storage_reports_it(engine):
    rule = {"action": {"type": "Delete"}, "condition": {"age": 7}}
    inputs = {
        **EVERY_TYPE[BUCKET],
        "labels": {"team": "a"},
        "lifecycleRules": [rule],
        "softDeletePolicy": {"retentionDurationSeconds": 0},
    }
    bucket = engine.create(BUCKET, inputs)
    properties = bucket.properties
    assert properties["url"] == "gs://scratch-of-slices"
    assert properties["location"] == "US-EAST5"
    assert properties["effectiveLabels"]["team"] == "a"
    assert properties["softDeletePolicy"]["retentionDurationSeconds"] == 0
    assert not engine.diff(engine.refresh(bucket), inputs).some


def test_a_bucket_with_objects_is_kept_unless_it_may_be_emptied(engine, console):
    bucket = engine.create(BUCKET, EVERY_TYPE[BUCKET])
    console.put_object(bucket.id, "pathways/program", 1024)
    with pytest.raises(CallError, match="containing objects without `force_destroy` set to true"):
        engine.delete(bucket)
    bucket = engine.update(bucket, {**EVERY_TYPE[BUCKET], "forceDestroy": True})
    engine.delete(bucket)
    assert engine.read(BUCKET, bucket.id) is None


def test_a_rule_that_somebody_else_adds_is_seen_by_a_refresh_only(engine, console, folder):  # scratch-4
    rule = {"action": {"type": "Delete"}, "condition": {"age": 7}}
    inputs = {**EVERY_TYPE[BUCKET], "lifecycleRules": [rule]}
    bucket = engine.create(BUCKET, inputs)
    added = {
        "action": {"type": "Delete"},
        "condition": {"age": 3, "matchesPrefixes": ["pathways/"], "withState": "ANY"},
    }
    console.edit(BUCKET, bucket.id, {"lifecycleRules": [*bucket.properties["lifecycleRules"], added]})
    bucket = engine.update(bucket, {**inputs, "labels": {"a": "b"}})  # a patch of labels sends labels only
    (record,) = read_records(folder)
    assert len(record.properties["lifecycleRules"]) == 2
    refreshed = engine.refresh(bucket)
    assert len(refreshed.inputs["lifecycleRules"]) == 2
    assert engine.diff(refreshed, {**inputs, "labels": {"a": "b"}}).kinds == {"lifecycleRules[1]": "DELETE"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"hierarchicalNamespace": {"enabled": True}}, "requires uniform bucket-level access"),
        (
            {
                "hierarchicalNamespace": {"enabled": True},
                "uniformBucketLevelAccess": True,
                "versioning": {"enabled": True},
            },
            "versioning is not supported",
        ),
        ({"softDeletePolicy": {"retentionDurationSeconds": 3600}}, "from 7 to 90 days"),
        (
            {
                "lifecycleRules": [
                    {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"numNewerVersions": 1}}
                ]
            },
            "does not support the conditions numNewerVersions",
        ),
    ],
)
def test_what_a_bucket_cannot_have(engine, wrong, said):
    with pytest.raises(CallError, match=said):
        engine.create(BUCKET, {**EVERY_TYPE[BUCKET], **wrong})
    bucket = engine.create(BUCKET, EVERY_TYPE[BUCKET])
    if "hierarchicalNamespace" not in wrong:  # which only a new bucket can have
        with pytest.raises(CallError, match=said):
            engine.update(bucket, {**EVERY_TYPE[BUCKET], **wrong})


def test_what_was_deleted_by_hand_is_gone_at_the_next_refresh(engine, console):
    bucket = engine.create(BUCKET, EVERY_TYPE[BUCKET])
    console.remove(BUCKET, bucket.id)
    assert engine.refresh(bucket) is None


def test_grants_need_their_bucket_account_and_role(engine):
    with pytest.raises(CallError, match="The specified bucket does not exist"):
        engine.create(BUCKET_MEMBER, EVERY_TYPE[BUCKET_MEMBER])
    engine.create(ACCOUNT, EVERY_TYPE[ACCOUNT])
    with pytest.raises(CallError, match=r"Role \(projects/my-project/roles/scratch\) does not exist"):
        engine.create(PROJECT_MEMBER, EVERY_TYPE[PROJECT_MEMBER])
    gone = "serviceAccount:gone@my-project.iam.gserviceaccount.com"
    with pytest.raises(CallError, match=r"Service account gone@my-project.iam.gserviceaccount.com does not exist"):
        engine.create(PROJECT_MEMBER, {"project": "my-project", "role": "roles/viewer", "member": gone})


def test_an_account_has_an_address_and_a_member_name(engine):
    account = engine.create(ACCOUNT, EVERY_TYPE[ACCOUNT])
    email = "nodes-of-slices@my-project.iam.gserviceaccount.com"
    assert account.properties["email"] == email
    assert account.properties["member"] == f"serviceAccount:{email}"


def test_ranges_of_one_network_do_not_overlap(engine):
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    engine.create(SUBNETWORK, EVERY_TYPE[SUBNETWORK])
    overlapping = {
        **EVERY_TYPE[SUBNETWORK],
        "name": "other",
        "ipCidrRange": "10.9.0.0/20",
        "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.0.8.0/24"}],
    }
    with pytest.raises(CallError, match=r"10.0.8.0/24 conflicts with existing subnetwork 'sub' in region 'us-east5'"):
        engine.create(SUBNETWORK, overlapping)


def test_a_secondary_range_that_exists_cannot_be_modified(engine):  # hashicorp/terraform-provider-kubernetes#565
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    pods = {**EVERY_TYPE[SUBNETWORK], "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.64.0.0/20"}]}
    subnetwork = engine.create(SUBNETWORK, pods)
    words = (
        r"'resource.secondaryIpRanges\[0\].ipCidrRange': '10.96.0.0/20'. Existing secondary range cannot be modified"
    )
    with pytest.raises(CallError, match=words):
        engine.update(subnetwork, {**pods, "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.96.0.0/20"}]})
    more = [*pods["secondaryIpRanges"], {"rangeName": "services", "ipCidrRange": "10.32.0.0/20"}]
    assert len(engine.update(subnetwork, {**pods, "secondaryIpRanges": more}).properties["secondaryIpRanges"]) == 2


def test_a_key_ring_cannot_be_made_twice_even_after_its_deletion(engine):
    ring = engine.create(KEY_RING, EVERY_TYPE[KEY_RING])
    engine.delete(ring)
    with pytest.raises(CallError, match="Error 409"):
        engine.create(KEY_RING, EVERY_TYPE[KEY_RING])
