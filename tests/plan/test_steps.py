"""What an update would do, held to what the real engine's preview said of the same edits of the same stack."""

import json
from dataclasses import replace

import pytest

from pathways.gcp import Action
from pathways.plan import read_state
from pathways.plan.steps import Verb, steps_between
from pathways.resources import Resource, ResourceOptions
from tests.plan.recordings import EDITS, content, engine_steps, program, state, state_with

CHART = "pathways-jobset-chart"


def verbs(found):
    return {step.resource.name: step.verb.value for step in found if step.verb is not Verb.SAME}


def step_of(found, name):
    return next(step for step in found if step.resource.name == name)


@pytest.mark.parametrize("edit", EDITS)
def test_the_steps_are_the_engines(edit):
    assert verbs(steps_between(state(), program(edit))) == engine_steps(edit)


def test_without_a_state_everything_is_made():
    empty = replace(state(), resources=())
    found = steps_between(empty, program())
    assert {step.verb for step in found} == {Verb.CREATE}
    assert len(found) == len([each for each in program() if each.custom or each.type.startswith("kubernetes:")])


def test_an_option_makes_a_change_a_replacement_or_none():
    pool = next(each for each in program("topology") if each.name == "pathways-slices-v5p-0")
    others = [each for each in program("topology") if each.urn != pool.urn]

    def found(**options):
        return step_of(
            steps_between(state(), [*others, replace(pool, options=replace(pool.options, **options))]), pool.name
        )

    assert found().verb is Verb.REPLACE
    unguarded = found(replace_on_changes=())  # the provider has no branch that would send them
    assert unguarded.verb is Verb.UPDATE
    assert [change.path for change in unguarded.ignored_changes] == [("placementPolicy", "tpuTopology")]
    assert found(ignore_changes=("nodeCount", "placementPolicy")).verb is Verb.SAME


def test_what_the_engine_protects_it_does_not_take_away():
    protected = state_with(pathways_slices_v5p_0={"protect": True}, pathways_slices_v6e_0={"protect": True})
    found = steps_between(protected, program("topology"))
    assert step_of(found, "pathways-slices-v5p-0").protected
    assert not step_of(found, "pathways-slices-v5p-1").protected
    assert not step_of(found, "pathways-slices-v6e-0").protected  # it stays
    assert step_of(steps_between(protected, program("gone")), "pathways-slices-v6e-0").protected


def test_what_is_retained_leaves_the_state_only():
    retained = state_with(pathways_slices_v6e_0={"retainOnDelete": True})
    assert step_of(steps_between(retained, program("gone")), "pathways-slices-v6e-0").verb is Verb.FORGET


def test_what_goes_with_the_cluster_is_made_again_with_it():
    found = steps_between(state(), program("cluster"))
    assert "it goes with pathways-cluster-cluster" in step_of(found, CHART).reasons
    assert "cluster" in step_of(found, "pathways-slices-v5p-0").reasons


def test_another_project_is_another_everything():
    moved = [
        replace(each, properties={**each.properties, "project": "other"})
        if each.type == "pulumi:providers:gcp"
        else each
        for each in program()
    ]
    found = verbs(steps_between(state(), moved))
    for name in (
        "pathways-cluster-cluster",
        "pathways-slices-v5p-0",
        "pathways-scratch-bucket",
        "pathways-network-vpc",
    ):
        assert found[name] == "replace"


def test_an_alias_is_the_same_resource():
    pool = next(each for each in program() if each.name == "pathways-slices-v5p-0")
    renamed = replace(
        pool,
        name="slice",
        urn=pool.urn.replace(pool.name, "slice"),
        options=replace(pool.options, aliases=(pool.urn,)),
    )
    others = [each for each in program() if each.urn != pool.urn]
    assert verbs(steps_between(state(), [*others, renamed])) == {}


def test_values_that_are_encrypted_count_as_unchanged():
    job = next(each for each in program() if each.type.endswith(":PathwaysJob"))
    spec = {**job.properties["spec"], "pathwaysDir": {"secure": "v1:other"}}
    others = [each for each in program() if each.urn != job.urn]
    assert verbs(steps_between(state(), [*others, replace(job, properties={**job.properties, "spec": spec})])) == {}


def test_a_type_that_no_one_declares_is_compared_all_the_same():
    urn = "urn:pulumi:prod::pathways::gcp:pubsub/topic:Topic::topic"
    entry = {"urn": urn, "custom": True, "type": "gcp:pubsub/topic:Topic", "inputs": {"name": "a"}, "outputs": {}}
    exists = state_with(pathways_network_vpc=entry)
    wanted = Resource(
        type="gcp:pubsub/topic:Topic", name="topic", urn=urn, properties={"name": "b"}, options=ResourceOptions()
    )
    (change,) = step_of(steps_between(exists, [wanted]), "topic").changes
    assert (change.path, change.action) == (("name",), Action.IN_PLACE)


def test_a_state_that_tells_inputs_alone_differs_as_little():
    """What the cloud reports, and the provider's defaults, are as the provider would have filled them in."""
    exported = content("state.json")
    for entry in exported["deployment"]["resources"]:
        entry["inputs"] = {key: value for key, value in entry.get("inputs", {}).items() if not key.startswith("__")}
        entry["outputs"] = {}
    assert verbs(steps_between(read_state(json.dumps(exported)), program())) == {}


def test_parents_that_go_in_a_circle_are_no_trap():
    component = "urn:pulumi:prod::pathways::pathways:index:Platform::pathways"
    turned = state_with(pathways={"parent": component})
    assert step_of(steps_between(turned, program("gone")), "pathways-slices-v6e-0").verb is Verb.DESTROY


def test_a_link_deep_in_a_property_is_untold_too_when_what_it_leads_to_is_made_anew():
    """As the engine previews it of a pool with a second NIC, whose subnetwork is replaced."""
    subnetwork = next(each for each in program() if each.type == "gcp:compute/subnetwork:Subnetwork")
    name = subnetwork.properties["name"]
    link = f"projects/rehearsed/regions/us-east5/subnetworks/{name}"
    config = {
        "additionalNodeNetworkConfigs": [{"network": "projects/rehearsed/global/networks/second", "subnetwork": link}]
    }
    exists = content("state.json")
    for entry in exists["deployment"]["resources"]:
        if entry["urn"].endswith("::pathways-slices-v6e-0"):
            entry["inputs"]["networkConfig"] = entry["outputs"]["networkConfig"] = config
    pool = next(each for each in program() if each.name == "pathways-slices-v6e-0")
    options = replace(pool.options, property_dependencies={"networkConfig": (subnetwork.urn,)}, replace_on_changes=())
    wanted = [
        replace(subnetwork, properties={**subnetwork.properties, "ipCidrRange": "10.9.0.0/18"}),
        replace(pool, properties={**pool.properties, "networkConfig": config}, options=options),
    ]
    found = steps_between(read_state(json.dumps(exists)), wanted)
    assert step_of(found, subnetwork.name).verb is Verb.REPLACE
    assert step_of(found, pool.name).reasons == ("networkConfig.additionalNodeNetworkConfigs[0].subnetwork",)
