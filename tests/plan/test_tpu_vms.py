"""TPU VMs in the plan: listed, paid for, and not taken from prod unnoticed."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from pathways.guard import read_preview
from pathways.plan import make_plan
from pathways.plan.effects import Effect, losses, outcomes
from pathways.plan.report.machine import as_data
from pathways.plan.report.page import as_page
from pathways.plan.report.terminal import show
from pathways.plan.steps import Step, Verb
from pathways.resources import Resource
from tests.plan.stacks import pools, settings, urn

QUEUED_RESOURCE = "gcp:tpu/v2QueuedResource:V2QueuedResource"
VM = Resource(
    type=QUEUED_RESOURCE, name="pathways-tpu-vms-debug", urn=urn("debug", QUEUED_RESOURCE), properties={"name": "debug"}
)


@pytest.fixture(scope="module")
def plan():
    described = settings(tpuVms=[{"name": "debug", "tpu": "v6e-8"}], rates={"v6e": 2})
    return make_plan(described, pools(described), findings=())


def shown(plan):
    console = Console(file=io.StringIO(), width=160)
    show(plan, console)
    return console.file.getvalue()


def test_they_are_listed_for_people_and_machines(plan):
    line = "debug: v6e-8, 8 chips on 1 host with v2-alpha-tpuv6e; on demand"
    assert line in shown(plan)
    assert line in as_page(plan)
    (vm,) = as_data(plan)["tpu_vms"]
    assert (vm["name"], vm["accelerator_type"], vm["chips"], vm["hosts"]) == ("debug", "v6e-8", 8, 1)
    json.dumps(as_data(plan))


def test_a_stack_without_any_says_nothing_of_them():
    described = settings()
    plan = make_plan(described, pools(described), findings=())
    assert "TPU VM" not in shown(plan)
    assert "TPU VM" not in as_page(plan)


def test_they_cost_as_slices_do_and_stand_all_the_time(plan):
    assert (plan.costs.chips, plan.costs.standing_chips) == (3 * 16 + 8, 3 * 16 + 8)
    assert plan.costs.usd_per_hour == 2 * (3 * 16 + 8)


def test_they_are_of_none_of_the_quotas_of_nodes(plan):
    assert [need.chips for need in plan.needs] == [3 * 16]


def test_their_loss_is_a_loss_unless_allowed():
    gone = Step(verb=Verb.REPLACE, resource=VM, before=VM, reasons=("tpu",))
    (outcome,) = outcomes([gone])
    assert (outcome.kind, outcome.name, outcome.effect) == ("TPU VM", "debug", Effect.REMADE)
    assert losses([outcome]) == (outcome,)
    assert losses([replace(outcome, allowed=True)]) == ()


def test_the_guard_knows_them():
    step = {"op": "delete", "urn": VM.urn, "oldState": {"inputs": {"name": "debug"}}}
    (danger,) = read_preview(json.dumps({"steps": [step]})).dangers
    assert (danger.what, danger.name, danger.fate) == ("TPU VM", "debug", "deleted")
