"""plan STACK: what a stack is, what it costs, and what an update would do to it."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.plan import Plan, State, UnreadableState, WrongState, make_plan, read_state
from pathways.resources import Resource
from pathways.rules import Use, check, context_of
from pathways.settings import SettingsError, StackNotFound, find_stack, load_stack_file

WIDTH_OF_FILES = 120
"""Columns where the output is no terminal."""


def run(stack: str, *, against: str | None, allowed: Sequence[str], as_json: bool, page: Path | None) -> int:
    """Print the plan, or write it, and return the exit code."""
    if allowed and against is None:
        raise CouldNotLook("--allow says what an update may take away: it goes with --against")
    plan = _plan(stack, against, allowed)
    if page is not None:
        _write(plan, page)
    if as_json:
        from pathways.plan.report.machine import as_data

        print(json.dumps(as_data(plan), indent=1))
    elif page is None:
        _show(plan)
    else:
        from pathways.plan.report.words import outcome_of_plan

        print(f"{page}: {outcome_of_plan(plan)}")
    return 0 if plan.fine else 1


def _plan(stack: str, against: str | None, allowed: Sequence[str]) -> Plan:
    state = None if against is None else _state(against)
    try:
        path = find_stack(stack)
        settings = load_stack_file(path)
        resources = _resources(path)
        return make_plan(settings, resources, check(resources, context_of(settings), Use.PLAN), state, allowed)
    except SettingsError as error:
        raise FoundWanting(str(error)) from None
    except StackNotFound as error:
        raise CouldNotLook(str(error)) from None
    except WrongState as error:
        raise CouldNotLook(f"{against}: {error}") from None


def _resources(path: Path) -> tuple[Resource, ...]:
    """Return what the program registers. Raises CouldNotLook where it fails, with all that helps to find out why."""
    try:
        from components.recorder import record_stack_file

        return record_stack_file(path).resources
    except Exception:
        raise CouldNotLook(f"{path}: the program fails\n{traceback.format_exc()}".rstrip()) from None


def _state(file: str) -> State:
    try:
        return read_state(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    except OSError as error:
        raise CouldNotLook(f"{file}: {error.strerror}") from None
    except UnreadableState as error:
        raise CouldNotLook(f"{file}: {error}") from None


def _show(plan: Plan) -> None:
    from rich.console import Console

    from pathways.plan.report.terminal import show

    console = Console(highlight=False)
    show(plan, console if console.is_terminal else Console(highlight=False, width=WIDTH_OF_FILES))


def _write(plan: Plan, page: Path) -> None:
    from pathways.plan.report.page import as_page

    try:
        page.write_text(as_page(plan), encoding="utf-8")
    except OSError as error:
        raise CouldNotLook(f"{page}: {error.strerror}") from None
