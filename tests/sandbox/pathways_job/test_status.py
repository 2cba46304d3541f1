"""The status function against what the real controller v0.1.4 did with hand-made JobSet conditions."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.pathways_job.status import ControllerPanic, creation_failed, next_status


def jobset(*conditions: str) -> list[dict[str, str]]:
    """The conditions of a JobSet, written TYPE=T or TYPE=F, oldest first."""
    return [
        {
            "type": kind,
            "status": "True" if status == "T" else "False",
            "reason": f"{kind}Reason",
            "message": "told by the JobSet",
            "lastTransitionTime": "2026-08-01T10:00:00Z",
        }
        for kind, _, status in (condition.partition("=") for condition in conditions)
    ]


IN_PROGRESS, STARTED = "StartupPolicyInProgress", "StartupPolicyCompleted"


@pytest.mark.parametrize(
    ("conditions", "written"),
    [
        (jobset(f"{IN_PROGRESS}=T"), "Pending"),
        (jobset(f"{IN_PROGRESS}=F", f"{STARTED}=T"), "Running"),
        (jobset("Suspended=T"), "Suspended"),
        (jobset("Suspended=F", f"{IN_PROGRESS}=T"), "Pending"),
        (jobset("Suspended=T", f"{IN_PROGRESS}=F", f"{STARTED}=T"), "Running"),
        (jobset(f"{STARTED}=T", "Completed=T"), "Completed"),
        (jobset(f"{STARTED}=T", "Failed=T"), "Failed"),
    ],
)
def test_the_last_condition_is_followed(conditions: list[dict[str, str]], written: str) -> None:
    status = next_status({}, conditions)
    assert status is not None
    assert [(one["type"], one["status"]) for one in status["conditions"]] == [(written, "True")]


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        jobset(f"{IN_PROGRESS}=T", f"{STARTED}=F"),  # a restart, up to JobSet 0.11
        jobset("Suspended=F"),
        jobset(f"{IN_PROGRESS}=F", f"{STARTED}=T", "RestartingJobSet=F"),  # after a restart, JobSet 0.12
    ],
)
def test_nothing_is_written_unless_the_last_condition_is_true(conditions: list[dict[str, str]]) -> None:
    running = {"conditions": [{"type": "Running", "status": "True"}]}
    assert next_status(running, conditions) is None


def test_a_restart_of_jobset_0_12_is_a_panic() -> None:
    with pytest.raises(ControllerPanic):
        next_status({}, jobset(f"{IN_PROGRESS}=F", f"{STARTED}=T", "RestartingJobSet=T"))


def test_a_suspension_after_the_end_is_a_panic() -> None:
    with pytest.raises(ControllerPanic):
        next_status({"terminalState": "Completed"}, jobset("Suspended=T"))


@pytest.mark.parametrize(("last", "terminal"), [("Completed", "Completed"), ("Failed", "Failed"), (STARTED, None)])
def test_only_an_end_is_a_terminal_state(last: str, terminal: str | None) -> None:
    status = next_status({}, jobset(f"{last}=T"))
    assert status is not None
    assert status.get("terminalState") == terminal


def test_a_new_condition_is_appended_and_the_one_before_it_no_longer_true() -> None:
    first = next_status({}, jobset(f"{IN_PROGRESS}=T"))
    assert first is not None
    second = next_status(first, jobset(f"{IN_PROGRESS}=F", f"{STARTED}=T"))
    assert second is not None
    assert [(one["type"], one["status"]) for one in second["conditions"]] == [("Pending", "False"), ("Running", "True")]


def test_a_condition_comes_again_in_the_list_but_not_twice_in_a_row() -> None:
    status: dict[str, Any] = {}
    for conditions in (jobset(f"{IN_PROGRESS}=T"), jobset(f"{STARTED}=T"), jobset(f"{IN_PROGRESS}=T")):
        status = next_status(status, conditions) or status
    assert [one["type"] for one in status["conditions"]] == ["Pending", "Running", "Pending"]
    assert next_status(status, jobset(f"{IN_PROGRESS}=T")) is None


def test_reason_and_time_are_those_of_the_jobset() -> None:
    status = next_status({}, jobset("Failed=T"))
    assert status is not None
    [condition] = status["conditions"]
    assert (condition["reason"], condition["lastTransitionTime"]) == ("FailedReason", "2026-08-01T10:00:00Z")


def test_restarts_are_never_counted() -> None:
    status = next_status({"restarts": 0}, jobset(f"{STARTED}=T"))
    assert status is not None
    assert status["restarts"] == 0


def test_a_jobset_that_cannot_be_made_leaves_a_terminal_state_and_no_condition() -> None:
    assert creation_failed({}) == {"terminalState": "Failed"}
