"""Reading what `pulumi stack export` writes."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathways.gcp import UNKNOWN
from pathways.plan import UnreadableState, read_state
from pathways.plan.effects import outcomes
from pathways.plan.steps import steps_between
from tests.plan.recordings import content, program, state

SIGNATURE = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}


def exported(*resources):
    return json.dumps({"version": 3, "deployment": {"resources": list(resources)}})


def entry(**more):
    urn = "urn:pulumi:dev::pathways::gcp:storage/bucket:Bucket::b"
    return {"urn": urn, "custom": True, "type": "gcp:storage/bucket:Bucket", **more}


def test_stack_and_project_are_those_of_the_urns():
    assert (state().stack, state().project) == ("prod", "pathways")


def test_encrypted_values_are_unknown_and_shown_ones_are_known_to_be_secret():
    encrypted = {**SIGNATURE, "ciphertext": "v1:abc"}
    shown = {**SIGNATURE, "plaintext": json.dumps({"a": 1})}
    (found,) = read_state(exported(entry(inputs={"x": encrypted, "y": [shown]}))).resources
    assert found.resource.properties == {"x": UNKNOWN, "y": [{"a": 1}]}
    assert set(found.resource.secrets) == {"x", "y[0]"}


def test_what_waits_for_its_deletion_is_told_apart():
    found = read_state(exported(entry(delete=True), entry(external=True)))
    assert found.resources == ()
    assert found.leftovers == ("b",)


def test_a_stack_without_resources_is_a_state():
    assert read_state('{"version": 3, "deployment": {}}').resources == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        "{}",
        '{"deployment": []}',
        exported({}),
        exported({"urn": "x"}),
        exported(7),
        "[" * 9999,
    ],
)
def test_anything_else_is_refused_in_words(text):
    with pytest.raises(UnreadableState) as refusal:
        read_state(text)
    assert str(refusal.value)


def test_text_that_is_not_unicode_is_refused():
    with pytest.raises(UnreadableState):
        read_state(b"\xff\xfe{}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("urn", "type", "inputs", "inputs", "outputs", "outputs", "parent", "custom", "propertyDependencies", "protect")


SPOILT = ("-cluster-cluster", "-slices-v6e-0", "-scratch-bucket", "-pretrain-job", "-kubernetes")
STATE_OF_THOSE = [each for each in content("state.json")["deployment"]["resources"] if each["urn"].endswith(SPOILT)]
PROGRAM_OF_THOSE = [each for each in program() if each.name.endswith(SPOILT)]


@given(data=st.data())
def test_a_state_with_anything_in_it_is_read_and_compared_or_refused(data):
    resources = copy.deepcopy(STATE_OF_THOSE)
    for _ in range(data.draw(st.integers(1, 4))):
        index, key = data.draw(st.integers(0, len(resources) - 1)), data.draw(st.sampled_from(KEYS))
        resources[index][key] = _spoilt(data, resources[index].get(key))
    try:
        found = read_state(exported(*resources))
    except UnreadableState:
        return
    assert outcomes(steps_between(found, PROGRAM_OF_THOSE))


def _spoilt(data, value):
    """The value with anything in its own place or in that of a part of it."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: _spoilt(data, value[key])}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        index = data.draw(st.integers(0, len(value) - 1))
        return [*value[:index], _spoilt(data, value[index]), *value[index + 1 :]]
    return data.draw(JSON)
