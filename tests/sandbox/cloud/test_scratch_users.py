"""Pathways adds a lifecycle rule to its bucket when a head starts, as far as it may."""

import time

import pytest

from sandbox.cloud import Console, journal, read_records, rounds
from tests.sandbox.cloud.inputs import (
    ACCOUNT,
    BUCKET,
    BUCKET_MEMBER,
    CUSTOM_ROLE,
    EMAIL,
    EVERY_TYPE,
    HEAD_INPUTS,
    POOL,
    SA_MEMBER,
)
from tests.sandbox.cloud.waiting_pods import head, on

NAME = EVERY_TYPE[BUCKET]["name"]
OURS = {"action": {"type": "Delete"}, "condition": {"age": 7, "matchesPrefixes": ["pathways/"]}}
UPDATE = ["storage.buckets.get", "storage.buckets.update"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(rounds, "TICK_SECONDS", 0.02)


@pytest.fixture
def place(engine, cluster):
    """Makes a bucket with rules, and a head pool whose account has permissions on it; returns the bucket."""

    def make(rules, permissions=UPDATE):
        engine.create(ACCOUNT, EVERY_TYPE[ACCOUNT])
        config = {**HEAD_INPUTS["nodeConfig"], "serviceAccount": EMAIL}
        engine.create(POOL, {**HEAD_INPUTS, "nodeConfig": config})
        bucket = engine.create(BUCKET, {**EVERY_TYPE[BUCKET], "lifecycleRules": rules})
        role = engine.create(CUSTOM_ROLE, {**EVERY_TYPE[CUSTOM_ROLE], "permissions": permissions})
        engine.create(BUCKET_MEMBER, {"bucket": NAME, "role": role.id, "member": SA_MEMBER})
        return bucket

    return make


@pytest.fixture
def start(host, folder):
    """Lets a head start, and returns what Pathways then did."""

    def started(name, location=f"gs://{NAME}/pathways"):
        manifest = on(host.of_pool("head")[0]["metadata"]["name"], head(name))
        rm = {"name": "pathways-rm", "args": ["--server_port=29001", f"--gcs_scratch_location={location}"]}
        manifest["spec"]["initContainers"] = [rm]
        host.heads = [*host.heads, manifest]
        ends = time.monotonic() + 0.4
        while time.monotonic() < ends:
            time.sleep(0.02)
        return [entry for entry in journal.read(folder) if entry.call == "pathways"]

    return started


def rules(folder):
    (bucket,) = [record for record in read_records(folder) if record.type == BUCKET]
    return bucket.properties["lifecycleRules"]


def test_it_is_added_once_and_the_journal_tells(place, start, folder):
    place([OURS])
    (entry,) = start("first")
    assert (entry.type, entry.id, entry.outcome) == (BUCKET, NAME, "ok")
    assert entry.inputs["pod"] == "pathways/first-head"
    ours, theirs = rules(folder)
    assert ours["condition"]["age"] == 7
    assert theirs["action"] == {"type": "Delete"}
    assert theirs["condition"]["matchesPrefixes"] == ["pathways/"]
    assert start("second") == [entry]
    assert len(rules(folder)) == 2


def test_one_that_is_taken_away_comes_back_with_the_next_head_and_not_before(place, start, folder, server):
    place([OURS])
    start("first")
    with Console(server.port) as console:
        console.edit(BUCKET, NAME, {"lifecycleRules": rules(folder)[:1]})
    time.sleep(0.2)
    assert len(rules(folder)) == 1
    assert len(start("second")) == 2
    assert len(rules(folder)) == 2


def test_programs_in_memory_need_no_rule(place, start, folder):
    place([OURS])
    assert start("first", location="") == []
    assert len(rules(folder)) == 1


def test_an_account_without_the_right_is_refused(place, start, folder):
    place([OURS], permissions=["storage.buckets.get", "storage.objects.create"])
    (entry,) = start("first")
    assert f"Error 403: {EMAIL} does not have storage.buckets.update access" in entry.outcome
    assert len(rules(folder)) == 1


def test_a_full_bucket_takes_no_more(place, start, folder):
    full = [{**OURS, "condition": {"age": 7, "matchesPrefixes": [f"{number}/"]}} for number in range(50)]
    place(full)
    (entry,) = start("first")
    assert "at most 50 lifecycle rules" in entry.outcome
    assert len(rules(folder)) == 50


def test_a_bucket_that_is_not_there_is_told(place, start):
    place([OURS])
    (entry,) = start("first", location="gs://elsewhere/pathways")
    assert "The specified bucket does not exist" in entry.outcome
