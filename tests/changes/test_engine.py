"""The table of changes, held to what the real engine does about each edit of stacks that stand in the sandbox."""

from __future__ import annotations

import copy
import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from rich.console import Console

from components.recorder import record
from pathways.changes.edits import CONTROLLER, EDITS, ELASTIC, EVERYTHING, Edit, platform
from pathways.gcp import parse_path
from pathways.plan.state import declared_state
from pathways.plan.steps import Verb, steps_between
from pathways.resources import Resource
from pathways.settings import SettingsError, parse_settings
from sandbox import commands
from sandbox.engine.runs import Run
from tests.rehearsal.rehearsal import Rehearsal

pytestmark = [pytest.mark.rehearsal, pytest.mark.nightly]

VERBS = {"create": Verb.CREATE, "update": Verb.UPDATE, "replace": Verb.REPLACE, "delete": Verb.DESTROY}
EXPANDED = ("helm.sh/v4:Chart", "yaml/v2:ConfigGroup")
"""In the type of a chart, of a group of manifests, and of all that is in them: only their provider knows that."""
UNPROTECTED = {"environment": "dev", "cluster.deletionProtection": False}
"""What the stacks here are, and so cannot be changed to: the engine previews nothing that it would refuse."""


def is_legal(edit: Edit) -> bool:
    try:
        parse_settings(edit.after, project="rehearsed", stack=edit.stack, source=edit.stack)
    except SettingsError:
        return False
    return True


def previewed(stack: str) -> list[Edit]:
    """Edits of a stack that can be made without protection, one after the other."""
    return [edit for edit in EDITS if edit.stack == stack and edit.at not in UNPROTECTED and is_legal(edit)]


def place(edit: Edit) -> str:
    return edit.at


def unprotected(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a stack from which anything can be taken."""
    settings = copy.deepcopy(settings)
    for path, value in UNPROTECTED.items():
        *above, last = map(str, parse_path(path))
        mapping = settings
        for key in above:
            mapping = mapping.setdefault(key, {})
        mapping[last] = value
    return settings


def program(rehearsal: Rehearsal, settings: dict[str, Any]) -> tuple[Resource, ...]:
    return record({"gcp:project": "rehearsed", "pathways:platform": settings}, rehearsal.stack).resources


def expected(rehearsal: Rehearsal, edit: Edit) -> dict[str, Verb]:
    """What the table is made of: the steps between the two programs, of all that is not in a chart or a manifest."""
    before = program(rehearsal, unprotected(platform(edit.stack)))
    steps = steps_between(declared_state(before), program(rehearsal, unprotected(edit.after)))
    told = [step for step in steps if step.resource.custom and not step.resource.type.startswith("pulumi:")]
    return {step.resource.name: step.verb for step in told if step.verb is not Verb.SAME}


def sandboxes_of(rehearsal: Rehearsal) -> AbstractContextManager[Any]:
    """Where commands in this process find its sandbox, whose daemon is a child of this process: no other can end it."""
    return patch.dict(os.environ, {"PATHWAYS_SANDBOX_ROOT": str(rehearsal.home.parent)})


def run(rehearsal: Rehearsal, operation: str) -> Run:
    """A run of the engine in this process: a start of Python for each would take as long as the run."""
    console = Console(file=io.StringIO())
    with sandboxes_of(rehearsal), commands.session(console, str(rehearsal.file), {}) as opened:
        return opened.run(console, "", getattr(opened.stack, operation))


def standing(folder: Path, stack: str) -> Iterator[Rehearsal]:
    rehearsal = Rehearsal(folder, stack)
    try:
        rehearsal.write(unprotected(platform(stack)))
        assert run(rehearsal, "up").ok
        assert run(rehearsal, "preview").events.changed == []
        yield rehearsal
    finally:
        with sandboxes_of(rehearsal):
            assert commands.down(str(rehearsal.file), discard=True) == 0


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    yield from standing(tmp_path_factory.mktemp(EVERYTHING), EVERYTHING)


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    yield from standing(tmp_path_factory.mktemp(CONTROLLER), CONTROLLER)


def check(rehearsal: Rehearsal, edit: Edit) -> None:
    """Previews an edit; the engine's steps must be the table's."""
    rehearsal.write(unprotected(edit.after))
    told = run(rehearsal, "preview")
    assert told.ok, told.errors
    found = {
        step.name: VERBS[step.operation]
        for step in told.events.changed
        if step.operation in VERBS and not any(kind in step.urn for kind in EXPANDED)
    }
    assert found == expected(rehearsal, edit)


@pytest.mark.parametrize("edit", previewed(CONTROLLER), ids=place)
def test_the_engine_does_to_a_stack_with_the_controller_what_the_table_says(controller: Rehearsal, edit: Edit) -> None:
    check(controller, edit)


@pytest.mark.parametrize("edit", previewed(EVERYTHING), ids=place)
def test_the_engine_does_what_the_table_says(everything: Rehearsal, edit: Edit) -> None:
    check(everything, edit)


def uids(rehearsal: Rehearsal, *words: str) -> dict[str, str]:
    return {each["metadata"]["name"]: each["metadata"]["uid"] for each in rehearsal.kubectl(*words)}


def edit_of(at: str) -> Edit:
    return next(edit for edit in EDITS if edit.at == at and edit.stack == EVERYTHING)


@pytest.mark.parametrize("at", ["network.podRange", "network.serviceRange"])
def test_google_cloud_refuses_what_the_table_says(everything: Rehearsal, at: str) -> None:
    everything.write(unprotected(edit_of(at).after))
    refused = run(everything, "up")
    assert any("Existing secondary range cannot be modified" in error for error in refused.errors)


@pytest.mark.parametrize(
    ("at", "nodes", "job"),
    [
        ("head.maxNodes", set(), False),
        (f"{ELASTIC}.labels", set(), False),
        (f"{ELASTIC}.image", set(), True),
        ("head.machineType", {"heads"}, False),
    ],
)
def test_what_runs_is_interrupted_as_the_table_says(everything: Rehearsal, at: str, nodes: set[str], job: bool) -> None:
    """nodes: pools whose nodes are made anew. job: whether the job is."""
    everything.write(unprotected(platform(EVERYTHING)))
    assert run(everything, "up").ok
    jobs, before = uids(everything, "jobsets", "--namespace=pathways"), uids(everything, "nodes")
    everything.write(unprotected(edit_of(at).after))
    assert run(everything, "up").ok
    after = uids(everything, "nodes")
    gone = {name.split("-")[-3] for name, uid in before.items() if after.get(name) != uid}
    assert gone == nodes
    assert (uids(everything, "jobsets", "--namespace=pathways")["elastic"] != jobs["elastic"]) is job
