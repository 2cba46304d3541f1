"""Queues in the plan: who has what, and which jobs run when all are wanted at once."""

from typing import Any

from pathways.plan.groups import plan_groups
from pathways.plan.jobs import JobPlan, plan_jobs
from pathways.plan.queues import plan_queues
from pathways.plan.report import words
from pathways.settings import StackSettings
from tests.plan.stacks import V6E, job, pools, settings

TEAMS = [{"name": "research", "slices": {"v6e": 1}}, {"name": "product", "slices": {"v6e": 1}, "weight": 2}]


def stack(*jobs: dict[str, Any], count: int = 2) -> StackSettings:
    group = {**V6E, "count": count}
    return settings(slices=[group], queues=TEAMS, priorities={"high": 2000}, head={"maxNodes": 4}, workloads=list(jobs))


def planned(found: StackSettings) -> dict[str, JobPlan]:
    jobs, _ = plan_jobs(found, plan_groups(found, pools(found)))
    return {each.name: each for each in jobs}


def test_a_team_is_told_what_it_has_and_what_others_may_leave_it():
    found = stack(job("a", "v6e", 1, queue="research"), count=3)
    research, product, anyone = plan_queues(found)
    assert words.queue(research) == ("research", "1 of v6e, 1 head", "2 of v6e", "1", "a")
    assert words.queue(product) == ("product", "1 of v6e, 1 head", "2 of v6e", "2", "-")
    assert words.queue(anyone) == ("anyone's", "1 of v6e, 2 heads", "-", "-", "-")


def test_without_queues_nothing_is_told_of_them():
    assert plan_queues(settings()) == ()


def test_what_a_team_is_guaranteed_comes_before_what_another_borrows():
    """Kueue takes the borrowed slice back, whatever the priority of the job on it."""
    jobs = planned(
        stack(
            job("first", "v6e", 1, queue="research", priority="high"),
            job("second", "v6e", 1, queue="research", priority="high"),
            job("other", "v6e", 1, queue="product"),
        )
    )
    assert jobs["first"].runs
    assert jobs["other"].runs
    assert jobs["second"].waits_for == "1 slices of v6e, 0 free"  # the spare is no queue's
    assert jobs["second"].borrowed == 1


def test_a_job_that_borrows_says_so():
    jobs = planned(stack(job("large", "v6e", 2, queue="research")))
    assert words.verdict(jobs["large"]) == "runs, 1 borrowed"


def test_priorities_count_within_a_team():
    jobs = planned(
        stack(
            job("urgent", "v6e", 1, queue="research", priority="high"),
            job("usual", "v6e", 1, queue="research"),
            job("theirs", "v6e", 1, queue="product"),
        )
    )
    assert jobs["urgent"].pushes_out == ("usual",)
    assert jobs["theirs"].gives_way_to == ()
