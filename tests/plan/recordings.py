"""What the real engine recorded: a deployed stack, what it previewed for edits, and what the program then registered.

recorded/state.json: `pulumi stack export` of a stack with two groups of slices and a job, deployed to the sandbox by
engine 3.274.1; times and stack traces are left out, and what the JobSet chart and the PathwaysJob manifest consist of.
recorded/programs.json: the resources of that stack's program, and for each edit those that differ.
recorded/engine.json: what the engine's own preview of each edit does to each resource.
recorded/preview-*.json: `pulumi preview --json` of edits, with the properties that tell what a resource is.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from pathways.plan import State, read_state
from pathways.resources import Resource, ResourceOptions

RECORDED = Path(__file__).with_name("recorded")
EDITS = (
    "bucket",
    "capacity",
    "cluster",
    "gone",
    "heads",
    "job",
    "jobless",
    "labels",
    "namespace",
    "network",
    "nothing",
    "priority",
    "topology",
    "zone",
)


def content(name: str) -> Any:
    return json.loads((RECORDED / name).read_text(encoding="utf-8"))


def state() -> State:
    return read_state((RECORDED / "state.json").read_bytes())


def state_with(**changes: dict[str, Any]) -> State:
    """The state with other keys for some resources, by their Pulumi names (with "_" for "-")."""
    exported = content("state.json")
    for entry in exported["deployment"]["resources"]:
        name = entry["urn"].rpartition("::")[2].replace("-", "_")
        entry.update(changes.get(name, {}))
    return read_state(json.dumps(exported))


@cache
def program(edit: str = "nothing") -> tuple[Resource, ...]:
    """What the program registers after an edit, in an order in which each comes after what it depends on."""
    programs = content("programs.json")
    edited = programs["edits"].get(edit, {"changed": [], "gone": []})
    resources = {entry["urn"]: entry for entry in programs["nothing"]}
    resources.update({entry["urn"]: entry for entry in edited["changed"]})
    return tuple(_resource(entry) for urn, entry in resources.items() if urn not in edited["gone"])


def engine_steps(edit: str) -> dict[str, str]:
    """What the engine does to which resource, by Pulumi name; what stays the same is not there."""
    steps: dict[str, str] = content("engine.json")[edit]["steps"]
    return steps


def _resource(entry: dict[str, Any]) -> Resource:
    options = {key: _frozen(value) for key, value in entry.get("options", {}).items()}
    return Resource(**{**entry, "options": ResourceOptions(**options), "secrets": tuple(entry.get("secrets", ()))})


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(value) if isinstance(value, list) else value
