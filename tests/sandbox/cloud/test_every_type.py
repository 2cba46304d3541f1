"""Every type of the schema is created, read, compared and deleted by the one engine."""

import pytest

from pathways.gcp import resource_tokens
from sandbox.cloud import find, read_records
from tests.sandbox.cloud.engine_side import CallError
from tests.sandbox.cloud.inputs import CRYPTO_KEY, EVERY_TYPE, IDS, KEY_RING

MERGED = {  # a grant that is granted, a service that is enabled, a project's one policy: Google answers with success
    "gcp:binaryauthorization/policy:Policy",
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/service:Service",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
}
NUMBERED = {
    "gcp:monitoring/alertPolicy:AlertPolicy",
    "gcp:monitoring/dashboard:Dashboard",
    "gcp:monitoring/notificationChannel:NotificationChannel",
}


@pytest.fixture
def everything(engine):
    return {type: engine.create(type, inputs, type.rpartition(":")[2]) for type, inputs in EVERY_TYPE.items()}


def test_the_table_of_the_tests_has_every_type():
    assert set(EVERY_TYPE) == set(resource_tokens())


def test_ids_are_googles(everything):
    assert {type: everything[type].id for type in IDS} == IDS


def test_a_second_look_finds_nothing_to_do(engine, everything):
    for type, resource in everything.items():
        assert not engine.diff(resource, EVERY_TYPE[type]).some, type
        assert not engine.diff(engine.refresh(resource), EVERY_TYPE[type]).some, type


def test_what_is_on_disk_is_what_the_cloud_has(engine, server, folder, everything):
    for resource in everything.values():
        engine.refresh(resource)
        assert read_records(folder) == list(server.cloud.store.records.values())


def test_an_import_finds_inputs_with_which_nothing_is_to_do(engine, everything):
    for type, resource in everything.items():
        found = engine.read(type, resource.id)
        assert found.inputs == resource.inputs, type
        assert not engine.diff(found, EVERY_TYPE[type]).some, type


def test_what_was_made_unheard_is_found_by_its_inputs(folder, everything):
    assert {type: find(folder, type, resource.inputs) for type, resource in everything.items()} == {
        type: resource.id for type, resource in everything.items()
    }
    assert find(folder, KEY_RING, {**EVERY_TYPE[KEY_RING], "name": "other"}) is None


def test_a_conflict_is_never_forgiven(engine, everything):
    for type in everything.keys() - MERGED - NUMBERED:
        with pytest.raises(CallError, match="Error 409"):
            engine.create(type, EVERY_TYPE[type])


def test_granting_again_is_no_conflict(engine, everything):
    for type in MERGED:
        assert engine.create(type, EVERY_TYPE[type]).id == everything[type].id


def test_everything_goes_in_reverse_order(engine, folder, host, everything):
    for resource in reversed(everything.values()):
        engine.delete(resource)
        engine.delete(resource)  # what is gone already is as good as deleted
    assert {record.type for record in read_records(folder)} == {KEY_RING, CRYPTO_KEY}  # Cloud KMS keeps these for ever
    assert not host.there


def test_what_does_not_exist_is_read_as_gone(engine):
    for type in EVERY_TYPE:
        assert engine.read(type, "projects/my-project/nothing/here") is None


def test_a_preview_knows_what_is_asked_for_and_that_the_rest_is_not_known(engine, folder):
    for type, inputs in EVERY_TYPE.items():
        planned = engine.preview(type, inputs)
        assert inputs.items() <= {**planned, **inputs}.items()
        assert planned.keys() >= inputs.keys()
    assert read_records(folder) == []
