"""The guard, over previews that the real engine printed."""

import json

import pytest

from pathways.guard import UnreadablePreview, read_preview
from tests.plan.recordings import RECORDED

V5P = ("v5p-0", "v5p-1", "v5p-2")


def recorded(name):
    return read_preview((RECORDED / f"preview-{name}.json").read_bytes())


@pytest.mark.parametrize(
    ("edit", "dangers"),
    [
        ("nothing", set()),
        ("heads", set()),  # an update in place, and of a CPU pool
        ("capacity", {("TPU pool", "v6e-0", "replaced")}),
        ("gone", {("TPU pool", "v6e-0", "deleted")}),
        ("topology", {("TPU pool", name, "replaced") for name in V5P}),
        ("bucket", {("bucket", "rehearsed-pathways-prod-scratch", "replaced")}),
        (
            "cluster",
            {
                ("cluster", "pathways-prod", "replaced"),
                ("bucket", "rehearsed-pathways-prod-scratch", "replaced"),
                *(("TPU pool", name, "replaced") for name in (*V5P, "v6e-0")),
            },
        ),
    ],
)
def test_what_goes_of_clusters_tpu_pools_and_buckets(edit, dangers):
    assert {(each.what, each.name, each.fate) for each in recorded(edit).dangers} == dangers


def test_a_danger_tells_the_property_and_both_names():
    (danger,) = recorded("capacity").dangers
    assert danger.reasons == ("nodeConfig.spot",)
    assert "v6e-0 (pathways-slices-v6e-0)" in str(danger)
    assert danger.allowed_by({"v6e-0"})
    assert danger.allowed_by({"pathways-slices-v6e-0"})
    assert not danger.allowed_by({"v6e", "v5p-0"})


def test_a_preview_that_failed_says_so():
    assert recorded("nothing").failures == ()
    assert any("protect" in failure for failure in recorded("bucket").failures)


def step(op, type_token, **old):
    return {"op": op, "urn": f"urn:pulumi:s::p::{type_token}::x", "oldState": {"inputs": old}}


def dangers(*steps):
    return read_preview(json.dumps({"steps": list(steps)})).dangers


POOL = "gcp:container/nodePool:NodePool"


def test_a_cpu_pool_may_go_and_one_that_is_not_known_may_not():
    assert dangers(step("delete", POOL, nodeConfig={"machineType": "n2-standard-64"})) == ()
    assert dangers(step("delete", POOL, nodeConfig={"machineType": "ct9z-standard-4t"})) != ()
    assert dangers(step("delete", POOL)) != ()


@pytest.mark.parametrize("op", ["same", "create", "update", "refresh", "read", "import", "remove-pending-replace"])
def test_what_takes_nothing_away_is_no_danger(op):
    assert dangers(step(op, "gcp:container/cluster:Cluster", name="c")) == ()


@pytest.mark.parametrize("op", ["delete", "replace", "create-replacement", "delete-replaced", "discard-replaced"])
def test_what_takes_something_away_is_one_danger_though_it_has_several_steps(op):
    cluster = step(op, "a:b:Component$gcp:container/cluster:Cluster", name="c")
    assert len(dangers(cluster, cluster)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "7",
        '{"steps": [7]}',
        '{"steps": [{"op": "delete"}]}',
        '{"steps": {"a": 1}}',
        b"\xff",
        "[" * 9999,
    ],
)
def test_anything_else_is_refused_in_words(text):
    with pytest.raises(UnreadablePreview) as refusal:
        read_preview(text)
    assert str(refusal.value)
