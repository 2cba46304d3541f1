"""Chip-hours, and costs where rates are given."""

from pathways.plan.costs import plan_costs
from pathways.plan.groups import plan_groups
from tests.plan.stacks import V6E, pools, settings

V5P = {"name": "v5p", "tpu": "v5p-128", "count": 1, "capacity": {"flexStart": {}}}


def costs(**platform):
    described = settings(zone="us-east5-a", slices=[V6E, V5P], **platform)
    return plan_costs(plan_groups(described, pools(described)), described.rates)


def test_chip_hours_are_told_without_rates():
    found = costs()
    assert found.chips == 3 * 16 + 64
    assert found.usd_per_hour is None
    assert found.without_rate == ("v6e", "v5p")


def test_a_rate_is_for_a_chip_hour_of_a_generation():
    found = costs(rates={"v6e": 2.5, "v5p": 4})
    assert found.usd_per_hour == 48 * 2.5 + 64 * 4
    assert found.without_rate == ()


def test_what_has_no_rate_is_named_and_not_counted():
    found = costs(rates={"v6e": 2.5})
    assert found.usd_per_hour == 120
    assert found.without_rate == ("v5p",)


def test_capacity_that_comes_with_a_job_does_not_stand():
    assert costs().standing_chips == 48
