"""What earlier releases deployed survives an update to this one, by the offline plan."""

from dataclasses import replace
from functools import cache

import pytest

from components.recorder import record_stack_file
from pathways.plan import Effect, State, make_plan, read_state
from pathways.plan.effects import effect_of
from pathways.rules.kinds import BUCKET, CLUSTER, NETWORK, NODE_POOL, PATHWAYS_JOB
from pathways.settings import load_stack_file
from tests.upgrades.recorded import DEPLOYED, is_lasting

HARMLESS = {Effect.KEPT, Effect.EDITED, Effect.MADE}


@cache
def program(deployed):
    return record_stack_file(deployed.file).resources


@cache
def state(deployed):
    return read_state(deployed.state)


def harmed(deployed, resources):
    """Names of what an update to `resources` would replace, delete or start anew."""
    update = make_plan(load_stack_file(deployed.file), resources, [], state(deployed)).update
    assert update is not None
    return {
        step.resource.name
        for step in update.steps
        if is_lasting(step.resource.type) and effect_of(step) not in HARMLESS
    }


@pytest.mark.parametrize("deployed", DEPLOYED, ids=str)
def test_nothing_that_lasts_is_harmed(deployed):
    assert harmed(deployed, program(deployed)) == set()


@pytest.mark.parametrize("kind", [CLUSTER, NODE_POOL, BUCKET, NETWORK, PATHWAYS_JOB])
def test_one_of_another_name_would_be_seen(kind):
    deployed = DEPLOYED[-1]
    one = next(each for each in program(deployed) if each.kind == kind)
    others = [each for each in program(deployed) if each.urn != one.urn]
    renamed = replace(one, urn=f"{one.urn}-of-now", options=replace(one.options, aliases=()))
    assert one.name in harmed(deployed, [*others, renamed])


@pytest.mark.parametrize("deployed", DEPLOYED, ids=str)
def test_what_is_recorded_is_whole(deployed):
    found: State = state(deployed)
    assert found.stack == deployed.stack
    kinds = {each.resource.kind for each in found.resources}
    assert {CLUSTER, NODE_POOL, BUCKET, NETWORK, PATHWAYS_JOB} <= kinds
