"""An update in words: what is alike is told once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pathways.gcp import Change, format_path
from pathways.plan.components import kind_name
from pathways.plan.effects import Effect, Outcome
from pathways.plan.lifecycles import Lifecycle
from pathways.plan.plan import Plan, Update
from pathways.plan.report.words import ranges
from pathways.plan.secrets import printable_value
from pathways.plan.steps import Step, Verb
from pathways.wording import counted

LONGEST_VALUE = 100
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class Fate:
    """Outcomes that are alike. names: of all of them, in one text."""

    kind: str
    names: str
    number: int
    effect: Effect
    notes: str
    why: tuple[str, ...]
    fatal: bool


@dataclass(frozen=True)
class Edit:
    """Steps that are alike. changes: a line each; ignored: lines about changes that are planned and never sent."""

    verb: Verb
    what: str
    names: str
    changes: tuple[str, ...]
    ignored: tuple[str, ...]


def counts(update: Update) -> str:
    """Return how many resources what befalls."""
    found = [f"{update.count(verb)} to {verb.value}" for verb in Verb if verb is not Verb.SAME and update.count(verb)]
    return ", ".join(found) or "nothing changes"


def chips(update: Update) -> str | None:
    """Return how many chips there are before and after, or None where no slice is touched."""
    touched = [outcome for outcome in update.outcomes if outcome.kind == "slice" and outcome.effect is not Effect.KEPT]
    before, after = sum(o.chips_before for o in update.outcomes), sum(o.chips_after for o in update.outcomes)
    away = sum(outcome.chips_before for outcome in touched if outcome.fatal)
    if not touched:
        return None
    interrupted = f"; {counted(away, 'chip')} that run now go away, for good or for a while" if away else ""
    return f"{before:,} chips now, {after:,} after it{interrupted}"


def fates(update: Update) -> list[Fate]:
    """Return what becomes of clusters, pools, buckets and jobs that the update touches."""
    alike: dict[object, list[Outcome]] = {}
    for outcome in update.outcomes:
        if outcome.effect is not Effect.KEPT:
            key = (outcome.kind, outcome.group, outcome.effect, outcome.why, outcome.protected, outcome.allowed)
            alike.setdefault(key, []).append(outcome)
    return [_fate(same) for same in alike.values()]


def untouched(update: Update) -> str | None:
    """Return how many slices are left alone, or None where none is."""
    kept = [outcome.name for outcome in update.outcomes if outcome.kind == "slice" and outcome.effect is Effect.KEPT]
    return f"{counted(len(kept), 'slice')} unchanged: {ranges(kept)}" if kept else None


def refusals(plan: Plan) -> list[str]:
    """Return a line for what must not go from prod, with the way to say that it may."""
    if not plan.refused or plan.update is None:
        return []
    alike: dict[tuple[str, str | None], list[Outcome]] = {}
    for loss in plan.update.losses:
        alike.setdefault((loss.kind, loss.group), []).append(loss)
    return [
        f"{counted(len(same), kind)} would be lost or interrupted: {ranges(o.name for o in same)};"
        f" if that is meant: {_allowance(group, same, plan.update)}"
        for (kind, group), same in alike.items()
    ]


def _allowance(group: str | None, same: list[Outcome], update: Update) -> str:
    """Return the options that allow it; a group by its name where all of it goes."""
    existing = sum(outcome.group == group and outcome.effect is not Effect.MADE for outcome in update.outcomes)
    names = [group] if group and len(same) == existing else [outcome.name for outcome in same]
    return " ".join(f"--allow {name}" for name in names)


def edits(update: Update) -> list[Edit]:
    """Return all that is done, resource by resource; equal changes of equal resources are one."""
    alike: dict[object, list[Step]] = {}
    for step in update.steps:
        if step.verb is not Verb.SAME:
            alike.setdefault((step.verb, step.resource.type, tuple(_changes(step)), step.reasons), []).append(step)
    return [
        Edit(
            verb=steps[0].verb,
            what=kind_name(steps[0].resource),
            names=ranges(step.resource.name for step in steps),
            changes=tuple(_changes(steps[0])),
            ignored=tuple(
                f"{format_path(change.path)}: planned as an update, and then not sent by the provider"
                for change in steps[0].ignored_changes
            ),
        )
        for steps in alike.values()
    ]


def lifecycles(update: Update) -> list[str]:
    """Return a line for each scratch bucket whose lifecycle rules need a word."""
    return [_lifecycle(each) for each in update.lifecycles]


def _lifecycle(rules: Lifecycle) -> str:
    come, go = " and ".join(rules.coming), " and ".join(rules.going)
    differences = "; ".join(f"{what}: {which}" for what, which in (("new", come), ("not there any more", go)) if which)
    if not rules.written:
        return (
            f"the lifecycle rules of {rules.bucket} stay as they are, whatever the stack file has ({differences}):"
            " Pathways keeps a rule of its own in the same list; scratch.overwriteLifecycle: true writes it, for one"
            " update"
        )
    if not differences:
        return (
            f"scratch.overwriteLifecycle: the lifecycle rules of {rules.bucket} are as the stack file has them; take it"
            " out, or an update after a refresh takes Pathways' own rule away"
        )
    return (
        f"the lifecycle rules of {rules.bucket} are written anew ({differences}): Pathways' own rule goes with them,"
        " also where the state does not tell of it, and comes back when a job starts next; take"
        " scratch.overwriteLifecycle out after this update"
    )


def leftovers(update: Update) -> list[str]:
    return [f"{name} waits for its deletion since an earlier update" for name in update.leftovers]


def _fate(same: list[Outcome]) -> Fate:
    first = same[0]
    notes = ["protected, so the engine refuses"] if first.protected else []
    if first.fatal and first.allowed:
        notes.append("allowed")
    return Fate(
        kind=first.kind,
        names=ranges(outcome.name for outcome in same),
        number=len(same),
        effect=first.effect,
        notes=", ".join(notes),
        why=first.why,
        fatal=first.fatal,
    )


def _changes(step: Step) -> Iterable[str]:
    for change in step.changes:
        yield f"{format_path(change.path)}: {_value(change.old, change, step)} → {_value(change.new, change, step)}"


def _value(value: object, change: Change, step: Step) -> str:
    shown = printable_value(value, change.path, step.before, step.resource)
    text = "nothing" if shown is None else json.dumps(shown, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
