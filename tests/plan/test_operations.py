"""The order of node pool operations. Minutes: 6 for a cluster, 3 for a pool, 1 to delete or change one."""

import math

import pytest

from pathways.plan.operations import schedule_creation, schedule_steps
from pathways.plan.steps import Step, Verb
from tests.plan.stacks import chain


def names(number):
    return [f"p{index}" for index in range(number)]


@pytest.mark.parametrize(("pools", "width"), [(1, 4), (4, 4), (5, 4), (65, 4), (200, 4), (7, 1), (64, 5)])
def test_lanes_are_full_and_no_wider_than_they_may_be(pools, width):  # case pool-5
    found = schedule_creation(chain(names(pools), width))
    assert found.at_once == min(pools, width)
    assert len(found.lanes) == min(pools, width)
    assert found.pools_start == 6
    assert found.ends == 6 + 3 * math.ceil(pools / width)


def test_a_lane_runs_one_after_the_other():
    first, second = schedule_creation(chain(names(4), 2)).lanes
    assert [(operation.pool, operation.starts, operation.ends) for operation in first] == [("p0", 6, 9), ("p2", 9, 12)]
    assert [operation.pool for operation in second] == ["p1", "p3"]


def steps(verbs):
    cluster, *pools = chain(list(verbs), 2)
    found = [Step(Verb.SAME, cluster, cluster)]
    found += [Step(verbs[pool.name], pool, pool) for pool in pools if verbs[pool.name] is not Verb.DESTROY]
    return found + [Step(Verb.DESTROY, pool, pool) for pool in reversed(pools) if verbs[pool.name] is Verb.DESTROY]


def test_an_update_touches_only_what_changes():
    found = schedule_steps(steps({"p0": Verb.SAME, "p1": Verb.SAME, "p2": Verb.UPDATE, "p3": Verb.CREATE}))
    assert [(op.pool, op.operation, op.starts, op.ends) for op in found.operations] == [
        ("p2", "update", 0, 1),
        ("p3", "create", 0, 3),
    ]
    assert found.ends == 3


def test_a_replacement_deletes_first_and_then_makes():
    found = schedule_steps(steps({"p0": Verb.REPLACE, "p1": Verb.SAME, "p2": Verb.REPLACE}))
    assert [(op.pool, op.operation, op.starts, op.ends) for op in found.operations] == [
        ("p0", "delete", 0, 1),
        ("p0", "create", 1, 4),
        ("p2", "delete", 4, 5),
        ("p2", "create", 5, 8),
    ]
    assert len(found.lanes) == 1


def test_what_goes_for_good_goes_last_and_in_reverse():
    found = schedule_steps(steps({"p0": Verb.UPDATE, "p1": Verb.DESTROY, "p3": Verb.DESTROY}))
    assert [(op.pool, op.operation, op.starts) for op in found.operations] == [
        ("p0", "update", 0),
        ("p3", "delete", 1),
        ("p1", "delete", 1),
    ]
    followers = schedule_steps(steps({"p0": Verb.DESTROY, "p1": Verb.SAME, "p2": Verb.DESTROY}))
    assert [(op.pool, op.starts) for op in followers.operations] == [("p2", 0), ("p0", 1)]


def test_nothing_to_do_takes_no_time():
    found = schedule_steps(steps({"p0": Verb.SAME}))
    assert (found.operations, found.at_once, found.ends) == ((), 0, 0)
