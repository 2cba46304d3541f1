"""What an update does to slices, heads, jobs and data, and when prod refuses it."""

from dataclasses import replace

import pytest

from pathways.plan import Effect, WrongState, make_plan
from pathways.plan.effects import outcomes
from pathways.plan.steps import Step, Verb, steps_between
from tests.plan.recordings import program, state
from tests.plan.stacks import V6E, pool, settings

V5P = {"name": "v5p", "tpu": "v5p-32", "count": 2, "spares": 1, "capacity": {"reservation": {"name": "v5p-training"}}}
SPOT = {**V6E, "count": 1, "spares": 0}


def prod(environment="prod", stack="prod"):
    """Settings of the stack whose state is recorded."""
    return settings(stack, "rehearsed", environment=environment, zone="us-east5-a", slices=[V5P, SPOT])


def plan(edit, *, allowed=(), environment="prod"):
    return make_plan(prod(environment), program(edit), [], state(), allowed)


def effects(edit):
    found = plan(edit).update
    assert found is not None
    return {outcome.name: outcome.effect for outcome in found.outcomes if outcome.effect is not Effect.KEPT}


def test_a_topology_edit_destroys_every_slice_of_the_group_and_its_job():  # case pool-2
    assert effects("topology") == dict.fromkeys(("v5p-0", "v5p-1", "v5p-2", "pretrain"), Effect.REMADE)


def test_a_capacity_edit_destroys_the_slice():  # case pool-1
    assert effects("capacity") == {"v6e-0": Effect.REMADE}


def test_one_slice_more_leaves_the_others_running():  # labels, the group's size among them, change on living nodes
    assert effects("labels") == {
        **dict.fromkeys(("v5p-0", "v5p-1", "v5p-2"), Effect.EDITED),
        "v5p-3": Effect.MADE,
    }


def test_another_zone_makes_every_node_anew():
    assert effects("zone") == {
        "pathways-prod": Effect.EDITED,
        **dict.fromkeys(("heads", "v5p-0", "v5p-1", "v5p-2", "v6e-0"), Effect.RESTARTED),
    }


def test_a_slice_that_is_replaced_by_a_change_of_its_zone_is_remade():
    moved = next(each for each in program("zone") if each.name == "pathways-slices-v6e-0")
    options = replace(moved.options, replace_on_changes=("nodeLocations",))
    found = outcomes(steps_between(state(), [replace(moved, options=options)]))
    assert [each.effect for each in found if each.name == "v6e-0"] == [Effect.REMADE]


def test_a_cluster_takes_all_with_it():
    assert set(effects("cluster").items()) >= {
        ("pathways-prod", Effect.REMADE),
        *((name, Effect.REMADE) for name in ("heads", "v5p-0", "v5p-1", "v5p-2", "v6e-0", "pretrain")),
    }


@pytest.mark.parametrize(
    ("part", "value", "effect"),
    [  # GKE API, NodePools.update: labels, taints and tags change on living nodes, other parts make nodes anew
        ("labels", {"a": "b"}, Effect.EDITED),
        ("resourceLabels", {"a": "b"}, Effect.EDITED),
        ("taints", [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}], Effect.EDITED),
        ("tags", ["other"], Effect.EDITED),
        ("machineType", "ct6e-standard-8t", Effect.RESTARTED),
        ("imageType", "UBUNTU_CONTAINERD", Effect.RESTARTED),
        ("diskSizeGb", 200, Effect.RESTARTED),
    ],
)
def test_an_update_in_place_may_still_restart_the_nodes(part, value, effect):
    before = next(each for each in program() if each.name == "pathways-slices-v6e-0")
    config = {**before.properties["nodeConfig"], part: value}
    options = replace(before.options, replace_on_changes=())
    edited = replace(before, properties={**before.properties, "nodeConfig": config}, options=options)
    (outcome,) = [each for each in outcomes(steps_between(state(), [edited])) if each.name == "v6e-0"]
    assert outcome.effect is effect


@pytest.mark.parametrize(
    ("edit", "names"),
    [
        ("topology", {"v5p-0", "v5p-1", "v5p-2", "pretrain"}),
        ("capacity", {"v6e-0"}),
        ("gone", {"v6e-0"}),
        ("bucket", {"rehearsed-pathways-prod-scratch", "pretrain"}),
        ("job", {"pretrain"}),
        ("heads", {"heads"}),
        ("zone", {"heads", "v5p-0", "v5p-1", "v5p-2", "v6e-0"}),
        ("jobless", {"v5p-1", "v5p-2", "pretrain"}),
    ],
)
def test_prod_refuses_what_it_would_lose_until_each_is_named(edit, names):
    refused = plan(edit)
    assert refused.update is not None
    assert refused.refused
    assert not refused.fine
    assert {loss.name for loss in refused.update.losses} == names
    for left_out in names:
        assert plan(edit, allowed=names - {left_out}).refused
    assert plan(edit, allowed=names).fine


def test_a_job_that_the_stack_file_calls_replaceable_may_go():
    named = prod().model_copy(update={"replaceable": ["pretrain"]})
    assert make_plan(named, program("job"), [], state()).fine


def test_a_groups_name_stands_for_its_slices_and_for_no_others():
    assert plan("topology", allowed={"v5p", "pretrain"}).fine
    assert plan("topology", allowed={"v6e", "pretrain"}).refused


@pytest.mark.parametrize("edit", ["nothing", "labels"])
def test_prod_takes_what_interrupts_nothing(edit):
    assert plan(edit).fine


@pytest.mark.parametrize("edit", ["topology", "cluster", "bucket"])
def test_dev_tells_and_refuses_nothing(edit):
    told = plan(edit, environment="dev")
    assert told.update is not None
    assert told.update.losses
    assert told.fine


def test_chips_are_counted_before_and_after():
    # v5p-32 is 16 chips; three of them, and a v6e-16; then v5p-64 of 32 chips.
    found = plan("topology").update
    assert found is not None
    assert sum(outcome.chips_before for outcome in found.outcomes) == 3 * 16 + 16
    assert sum(outcome.chips_after for outcome in found.outcomes) == 3 * 32 + 16


def test_an_autoscaled_slice_counts_at_its_full_size():
    before = pool("v6e-0", machineType="ct6e-standard-4t")
    scaling = {"minNodeCount": 0, "maxNodeCount": 4}
    scaled = replace(before, properties={**before.properties, "autoscaling": scaling})
    (outcome,) = outcomes([Step(Verb.DESTROY, scaled, scaled)])
    assert (outcome.chips_before, outcome.chips_after) == (16, 0)


def test_another_stacks_state_is_refused():
    with pytest.raises(WrongState, match="stack prod, not of staging"):
        make_plan(prod(stack="staging"), program(), [], state())
