"""Queues in the stack file: what is refused, and how it is told."""

import copy

import pytest

from pathways.settings import SettingsError
from tests.settings.stack_files import settings

TEAMS = [{"name": "research", "slices": {"v6e": 1}}, {"name": "product", "slices": {"v6e": 1}}]
QUEUED = ((("queues",), TEAMS), (("workloads", 0, "queue"), "research"))


def problems(*changes):
    with pytest.raises(SettingsError) as refused:
        settings(*copy.deepcopy(changes))
    return [f"{path}: {message}" for path, message in refused.value.problems]


def test_two_teams_share_a_group():
    found = settings(*QUEUED)
    assert [(queue.name, queue.slices, queue.weight) for queue in found.queues] == [
        ("research", {"v6e": 1}, 1),
        ("product", {"v6e": 1}, 1),
    ]


def test_without_queues_there_is_nothing_of_them():
    assert settings().queues == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            [(("queues",), TEAMS)],
            "workloads[0].queue: is missing: where there are queues, each job is in one; legal: research product",
        ),
        (
            [(("workloads", 0, "queue"), "research")],
            'workloads[0].queue: "research" is not declared in queues; legal: none is declared',
        ),
        (
            [*QUEUED, (("workloads", 0, "queue"), "resarch")],
            'workloads[0].queue: "resarch" is not declared in queues; legal: research product;'
            ' did you mean "research"?',
        ),
        (
            [*QUEUED, (("queues", 1, "slices"), {"v6": 1})],
            'queues[1].slices.v6: "v6" is no group of slices; legal: v6e; did you mean "v6e"?',
        ),
        (
            [*QUEUED, (("queues", 1, "slices"), {"v6e": 2})],
            'queues[1].slices.v6e: 1 + 2 = 3 slices are guaranteed, "v6e" has 2; lower it or add slices',
        ),
        (
            [*QUEUED, (("queues", 0, "slices"), {"v6e": 3}), (("queues", 1, "slices"), {})],
            'queues[0].slices.v6e: 3 slices are guaranteed, "v6e" has 2; lower it or add slices',
        ),
        (
            [*QUEUED, (("queues", 1, "name"), "research")],
            'queues[1].name: "research" is the name of queues[0] as well',
        ),
        (
            [*QUEUED, (("head", "maxNodes"), 1)],
            "head.maxNodes: 1 is less than the 2 queues with slices of their own; raise it",
        ),
        (
            [*QUEUED, (("workloads", 0, "labels"), {"kueue.x-k8s.io/queue-name": "research"})],
            'workloads[0].labels["kueue.x-k8s.io/queue-name"]: follows from queue and priority; take it away',
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_numbers(changes, told):
    assert problems(*changes) == [told]


def test_a_headless_pathways_job_needs_a_head_node_at_any_time():
    headless = {"name": "n", "kind": "pathways", "mode": "headless", "queue": "product"}
    jobs = [
        {"name": "a", "kind": "pathways", "queue": "research", "image": "a:1", "slices": {"group": "v6e", "count": 1}},
        {**headless, "slices": {"group": "v6e", "count": 1}},
        {**headless, "name": "m", "slices": {"group": "v6e", "count": 1}},
    ]
    changes = [(("queues",), TEAMS), (("workloads",), jobs)]
    (first, second) = problems(*changes)
    assert first.startswith("workloads[1].mode: a headless PathwaysJob has no node selector")
    assert first.endswith("all 2 nodes for heads are taken; raise head.maxNodes to 3, or write"
                          " install: {pathwaysJob: {enabled: false}}")  # fmt: skip
    assert second.startswith("workloads[2].mode")
    settings(*changes, (("head", "maxNodes"), 3))
    settings(*changes, (("install",), {"pathwaysJob": {"enabled": False}}))


def test_each_queue_has_a_node_for_a_head_where_their_number_is_not_written():
    changes = [*QUEUED, (("head",), {"machineType": "n2-standard-64"})]
    assert settings(*changes).head.max_nodes == 2  # one job, two queues
