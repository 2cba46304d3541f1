"""Derives what each edit does, by recording the program before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from pathways.changes.edits import EDITS, Edit, config
from pathways.changes.effects import Effects, Row, effects_of
from pathways.changes.page import changes_page
from pathways.changes.short import with_short_form
from pathways.cli.garbage import left_lying
from pathways.resources import Resource
from pathways.settings import SettingsError, StackSettings, parse_settings
from pathways.settings.loader import PROJECT_KEY
from pathways.settings.schema import PLATFORM_KEY

PROJECT = Path(__file__).resolve().parents[2]
PAGE, README = PROJECT / "docs" / "changes.md", PROJECT / "README.md"


def rows(edits: Iterable[Edit]) -> Iterator[Row]:
    """Yield each edit with its effects: a third of a second for each."""
    for edit in edits:
        yield Row(edit, _effects(edit))


def _effects(edit: Edit) -> Effects:
    before = config(edit.stack)
    after = {**before, PLATFORM_KEY: edit.after}
    try:
        _settings(after, edit.stack)
    except SettingsError as error:
        return Effects({}, refused=f"check: {error.problems[0].message}")
    return effects_of(_settings(before, edit.stack), _unchanged(edit.stack), _resources(after, edit.stack))


def _settings(configuration: dict[str, object], stack: str) -> StackSettings:
    platform, project = configuration[PLATFORM_KEY], configuration[PROJECT_KEY]
    assert isinstance(platform, dict)
    return parse_settings(platform, project=str(project), stack=stack, source=stack)


@cache
def _unchanged(stack: str) -> tuple[Resource, ...]:
    return _resources(config(stack), stack)


def _resources(configuration: dict[str, object], stack: str) -> tuple[Resource, ...]:
    from components.recorder import record

    return record(configuration, stack).resources


def write() -> None:
    """Write the page, and its short form into README.md."""
    with left_lying():
        page = changes_page(rows(EDITS))
    PAGE.write_text(page, encoding="utf-8")
    README.write_text(with_short_form(README.read_text(encoding="utf-8"), page), encoding="utf-8")
