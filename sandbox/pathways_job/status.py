"""How a PathwaysJob's status follows its JobSet, in controller v0.1.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Status = Mapping[str, Any]
Condition = Mapping[str, Any]


class ControllerPanic(Exception):
    """The real controller dies here of a nil dereference, is revived and tries again: the status freezes."""


@dataclass(frozen=True)
class _Meaning:
    """What a JobSet's condition becomes. terminal: it ends the PathwaysJob."""

    condition: str
    message: str
    terminal: bool = False


_MEANINGS = {
    "StartupPolicyInProgress": _Meaning("Pending", "The JobSet is starting"),
    "StartupPolicyCompleted": _Meaning("Running", "The JobSet has started"),
    "Suspended": _Meaning("Suspended", "The JobSet is suspended"),
    "Completed": _Meaning("Completed", "The JobSet has completed", terminal=True),
    "Failed": _Meaning("Failed", "The JobSet has failed", terminal=True),
}


def next_status(status: Status, jobset_conditions: Sequence[Condition]) -> dict[str, Any] | None:
    """The status to write, or None where the controller writes nothing.

    Only the last of the JobSet's conditions counts, and only while it is True; `restarts` is never written.
    Raises ControllerPanic where the real controller panics.
    """
    if not jobset_conditions or jobset_conditions[-1]["status"] != "True":
        return None
    cause = jobset_conditions[-1]
    meaning = _MEANINGS.get(cause["type"])
    if meaning is None:
        raise ControllerPanic(f"the JobSet's condition {cause['type']} is unknown to the controller")
    if meaning.condition == "Suspended" and status.get("terminalState"):
        raise ControllerPanic("the JobSet is suspended after the PathwaysJob has ended")
    earlier = list(status.get("conditions", []))
    if earlier and earlier[-1]["type"] == meaning.condition:
        return None
    if earlier:
        earlier[-1] = {**earlier[-1], "status": "False"}
    written = {**status, "conditions": [*earlier, _condition(meaning, cause)]}
    return {**written, "terminalState": meaning.condition} if meaning.terminal else written


def creation_failed(status: Status) -> dict[str, Any]:
    """The status after the JobSet could not be made: no condition says so, and no event."""
    return {**status, "terminalState": "Failed"}


def _condition(meaning: _Meaning, cause: Condition) -> dict[str, Any]:
    detail = cause.get("message")
    return {
        "type": meaning.condition,
        "status": "True",
        "reason": cause["reason"],
        "message": f"{meaning.message}: {detail}" if detail else meaning.message,
        "lastTransitionTime": cause["lastTransitionTime"],
    }
