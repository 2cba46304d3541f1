"""The last word of the settings over an object."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathways.manifests import overridden_paths
from pathways.manifests.overrides import merged
from tests.manifests.typed import direct, jobs, of_job, rendered

BASE = {"spec": {"a": 1, "list": [1, 2], "containers": [{"name": "x", "image": "i"}, {"name": "y"}]}}


@pytest.mark.parametrize(
    ("patch", "path", "expected"),
    [
        ({"spec": {"a": 2}}, ("spec", "a"), 2),
        ({"spec": {"b": {"c": None, "d": 1}}}, ("spec", "b"), {"d": 1}),
        ({"spec": {"list": [3]}}, ("spec", "list"), [3]),
        ({"spec": {"containers": []}}, ("spec", "containers"), []),
        (
            {"spec": {"containers": [{"name": "x", "image": "j"}, {"name": "z"}]}},
            ("spec", "containers"),
            [{"name": "x", "image": "j"}, {"name": "y"}, {"name": "z"}],
        ),
    ],
)
def test_merging(patch, path, expected):
    before = copy.deepcopy(BASE)
    found = merged(BASE, patch)
    for key in path:
        found = found[key]
    assert found == expected
    assert before == BASE


def test_null_takes_away():
    assert merged(BASE, {"spec": {"a": None, "list": None}}) == {"spec": {"containers": BASE["spec"]["containers"]}}


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcn"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_a_patch_applied_twice_is_a_patch_applied_once(base, patch):
    once = merged(base, patch)
    assert merged(once, patch) == once


@given(JSON)
def test_an_empty_patch_changes_nothing(base):
    if isinstance(base, dict):
        assert merged(base, {}) == base


def test_paths_of_a_patch_are_told():
    patch = {"spec": {"a": 1, "containers": [{"name": "x", "image": "j"}, {"name": "z"}], "list": [1]}}
    assert list(overridden_paths(patch)) == ["spec.a", "spec.containers[x].image", "spec.containers[z]", "spec.list"]


def test_overrides_reach_both_forms():
    assert rendered(*of_job(overrides={"spec": {"maxRestarts": 7}}))["spec"]["maxRestarts"] == 7
    patch = {"spec": {"replicatedJobs": [{"name": "worker", "template": {"spec": {"backoffLimit": 9}}}]}}
    jobset = direct(overrides=patch)
    assert jobs(jobset)["worker"]["backoffLimit"] == 9
    assert set(jobs(jobset)) == {"pathways-head", "worker"}
