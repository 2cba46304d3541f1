"""The page that tells what each change does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pathways.changes.edits import Edit
from pathways.changes.effects import PARTS, Effects, Row
from pathways.plan.effects import Effect

INTRODUCTION = """\
# What a change does

<!-- Written by `python -m pathways.changes`; do not edit. -->

For each setting of a stack file, what an update does to a stack that runs when that setting alone is changed. It is
derived: the program is recorded before the change and after it, and compared as `python -m pathways plan STACK
--against STATE` does; every night the real engine previews the same changes.

- in place: it changes while it runs, and nothing is interrupted.
- restart: the nodes of a pool are made anew, one after the other; a job that needs nodes which go starts again, all of
  it or in part, as its `recovery` says.
- replace, delete: what there is goes, with all that runs on it; a replacement is made after that.
- **Bold**: in prod the engine refuses it. Clusters and slices go after an update with `cluster: {deletionProtection:
  false}`, jobs after one with `replaceable: [JOB]`, buckets after `pulumi state unprotect`.
- new: it is made beside what there is.

What a job is made of cannot be changed while it runs, so nearly every setting of a job replaces it.
"""
TOP = "at the top"
"""Where settings are told of that are in no mapping."""
HEAD = "| setting | change | effect |\n|---|---|---|\n"
WORDS = {
    Effect.REMADE: "replace",
    Effect.DESTROYED: "delete",
    Effect.FORGOTTEN: "leave behind",
    Effect.RESTARTED: "restart",
    Effect.MADE: "new",
    Effect.EDITED: "in place",
}
"""In the order in which they are told."""
WIDTH = 40
"""Characters of a value; of longer ones the end is told."""


def changes_page(rows: Iterable[Row]) -> str:
    """Return the page, in Markdown."""
    sections: dict[str, list[str]] = {}
    for row in rows:
        edit = row.edit
        sections.setdefault(TOP if edit.setting == edit.noun else f"`{edit.noun}`", []).append(line_of(row))
    tables = (f"## {title}\n\n{HEAD}{''.join(lines)}" for title, lines in sections.items())
    return "\n".join([INTRODUCTION, *tables])


def line_of(row: Row) -> str:
    """Return the row of the page's table."""
    edit, effects = row.edit, row.effects
    found = f"refused by {effects.refused}" if effects.refused else "; ".join(_told(effects)) or "nothing"
    return f"| `{edit.setting}` | {_change(edit)} | {found}{f'. {edit.aside}' if edit.aside else ''} |\n"


def _told(effects: Effects) -> Iterator[str]:
    """Yield "**replace** slice" and the like; with a cluster goes all else, which is not told then."""
    parts = PARTS if Effect.REMADE in effects.by_part.get("cluster", ()) else tuple(effects.by_part)
    for effect, word in WORDS.items():
        whose = [part for part in parts if effect in effects.by_part.get(part, ())]
        if whose:
            taken = effect in (Effect.REMADE, Effect.DESTROYED)
            yield f"{word} " + ", ".join(f"**{part}**" if taken and part in effects.guarded else part for part in whose)


def _change(edit: Edit) -> str:
    if edit.instead_of:
        return f"`{edit.instead_of}` → `{edit.at.rpartition('.')[2]}`"
    return f"{_shown(edit.before)} → {_shown(edit.to)}"


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    text = value if isinstance(value, str) else json.dumps(value)
    return f"`{text if len(text) <= WIDTH else f'…{text[-WIDTH:]}'}`"
