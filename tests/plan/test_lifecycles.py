"""Edits to the lifecycle rules of a scratch bucket that stands: which reach it, and what goes with them."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from pathways.plan import make_plan
from pathways.plan.report.machine import as_data
from pathways.plan.report.page import as_page
from pathways.plan.report.terminal import show
from tests.plan.recordings import content, program, state, state_with
from tests.plan.test_update import prod

BUCKET = "rehearsed-pathways-prod-scratch"
NAME = "pathways-scratch-bucket"
ABORT = {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 1}}
OURS, EDITED = "Delete after 7 days in pathways/", "Delete after 3 days in pathways/"


def delete(days, prefix="pathways/"):
    return {"action": {"type": "Delete"}, "condition": {"age": days, "matchesPrefixes": [prefix]}}


def reported(rule):
    """A rule as the provider reports it: with what Google Cloud fills in, zeros and empty texts."""
    filled = {"withState": "ANY", "numNewerVersions": 0, "createdBefore": "", "sendAgeIfZero": True}
    return {"action": {**rule["action"], "storageClass": ""}, "condition": {**filled, **rule["condition"]}}


def asked(*rules, overwrite=False):
    """What the program registers with other rules. overwrite: with scratch.overwriteLifecycle."""

    def edited(resource):
        options = replace(resource.options, ignore_changes=() if overwrite else ("lifecycleRules",))
        return replace(resource, properties={**resource.properties, "lifecycleRules": list(rules)}, options=options)

    return [edited(each) if each.name == NAME else each for each in program()]


def there(*rules):
    """The state after a refresh that found these rules."""
    (entry,) = [each for each in content("state.json")["deployment"]["resources"] if each["urn"].endswith(NAME)]
    found = [reported(rule) for rule in rules]
    changed = {key: {**entry[key], "lifecycleRules": found} for key in ("inputs", "outputs")}
    return state_with(pathways_scratch_bucket=changed)


def plan(resources, known=None):
    return make_plan(prod(), resources, [], known or state())


def told(resources, known=None):
    return [(each.written, each.coming, each.going) for each in plan(resources, known).update.lifecycles]


def steps(resources, known=None):
    return {step.resource.name: step.verb.value for step in plan(resources, known).update.steps if step.changes}


def test_nothing_is_said_where_nothing_was_edited():
    assert told(program()) == []
    pathways_own = delete(14)
    assert told(program(), there(delete(7), ABORT, pathways_own)) == []
    assert steps(program(), there(delete(7), ABORT, pathways_own)) == {}


def test_an_edited_age_reaches_nothing():
    assert told(asked(delete(3), ABORT)) == [(False, (EDITED,), (OURS,))]
    assert steps(asked(delete(3), ABORT)) == {}


def test_a_new_place_and_one_that_is_given_up_reach_nothing():
    assert told(asked(delete(7), delete(30, "profiles/"), ABORT)) == [
        (False, ("Delete after 30 days in profiles/",), ())
    ]
    with_profiles = there(delete(7), delete(30, "profiles/"), ABORT)
    assert told(program(), with_profiles) == [(False, (), ("Delete after 30 days in profiles/",))]


def test_with_the_setting_the_list_is_written_and_what_goes_is_named():
    edited = asked(delete(3), ABORT, overwrite=True)
    assert told(edited) == [(True, (EDITED,), (OURS,))]
    assert steps(edited) == {NAME: "update"}
    refreshed = there(delete(7), ABORT, delete(14))
    assert told(edited, refreshed) == [(True, (EDITED,), (OURS, "Delete after 14 days in pathways/"))]


def test_a_setting_that_has_done_its_work_is_to_be_taken_out():
    assert told(asked(delete(7), ABORT, overwrite=True)) == [(True, (), ())]
    assert steps(asked(delete(7), ABORT, overwrite=True)) == {}


@pytest.mark.parametrize("strange", ["none", 3, [None, {"action": 3, "condition": {"age": "x", "matchesPrefixes": 1}}]])
def test_a_state_that_was_edited_by_hand_is_read_all_the_same(strange):
    (entry,) = [each for each in content("state.json")["deployment"]["resources"] if each["urn"].endswith(NAME)]
    edited = {key: {**entry[key], "lifecycleRules": strange} for key in ("inputs", "outputs")}
    ((written, coming, _),) = told(program(), state_with(pathways_scratch_bucket=edited))
    assert (written, coming) == (False, (OURS, "AbortIncompleteMultipartUpload after 1 day"))


def test_a_bucket_that_is_made_again_has_the_rules_of_the_stack_file():
    moved = [
        replace(each, properties={**each.properties, "location": "us-east1"}) if each.name == NAME else each
        for each in asked(delete(3), ABORT)
    ]
    assert told(moved) == []


@pytest.mark.parametrize(
    ("overwrite", "rules", "words"),
    [
        (False, [delete(3), ABORT], f"the lifecycle rules of {BUCKET} stay as they are, whatever the stack file has"),
        (False, [delete(3), ABORT], "scratch.overwriteLifecycle: true writes it, for one update"),
        (True, [delete(3), ABORT], f"(new: {EDITED}; not there any more: {OURS}): Pathways' own rule goes with them"),
        (True, [delete(3), ABORT], "take scratch.overwriteLifecycle out after this update"),
        (True, [delete(7), ABORT], "as the stack file has them; take it out"),
    ],
)
def test_every_report_says_so(overwrite, rules, words):
    made = plan(asked(*rules, overwrite=overwrite))
    printed = io.StringIO()
    show(made, Console(file=printed, width=1000))
    assert words in printed.getvalue()
    assert words in as_page(made).replace("&#x27;", "'").replace("&#39;", "'")
    (data,) = json.loads(json.dumps(as_data(made)))["update"]["lifecycles"]
    assert (data["bucket"], data["written"]) == (BUCKET, overwrite)
