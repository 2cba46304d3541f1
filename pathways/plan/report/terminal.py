"""The plan on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from pathways.destruction import steps_to_destroy
from pathways.gcp import format_path
from pathways.plan.components import Branch, kind_name
from pathways.plan.effects import Effect
from pathways.plan.plan import Plan, Update
from pathways.plan.report import changes, words
from pathways.plan.steps import Verb
from pathways.rules import Finding, Severity

_GOOD, _BAD, _DOUBTFUL, _QUIET = "green", "bold red", "yellow", "dim"

_STYLE = {
    Effect.KEPT: _QUIET,
    Effect.MADE: _GOOD,
    Effect.EDITED: _DOUBTFUL,
    Effect.RESTARTED: _BAD,
    Effect.REMADE: _BAD,
    Effect.DESTROYED: _BAD,
    Effect.FORGOTTEN: _BAD,
}
_SIGN = {Verb.CREATE: "+", Verb.UPDATE: "~", Verb.REPLACE: "±", Verb.DESTROY: "-", Verb.FORGET: "?", Verb.SAME: " "}


def show(plan: Plan, console: Console) -> None:
    """Print the plan: what is good to know first, what is wrong last, where the eye is when it is done."""
    console.print(Text(words.title(plan), style="bold"))
    if plan.update:
        _section(console, "Update", *_update(plan, plan.update))
    facts = [*map(words.need, plan.needs), *words.addresses(plan.settings)]
    _section(console, "Slices", _slices(plan), *map(Text, facts))
    if plan.tpu_vms:
        _section(console, "TPU VMs", *map(Text, map(words.tpu_vm, plan.tpu_vms)))
    _section(console, "Jobs", *_jobs(plan))
    if plan.queues:
        _section(console, "Queues", _queues(plan))
    _section(console, "Node pool operations", *_operations(plan))
    _section(console, "Cost", *map(Text, _cost(plan)))
    if len(steps := steps_to_destroy(plan.settings)) > 1:
        _section(console, "To destroy it", *(Text(f"{number}. {step}") for number, step in enumerate(steps, 1)))
    _section(console, f"Resources: {sum(branch.count for branch in plan.components)}", *_resources(plan.components))
    _section(console, "Findings", *_findings(plan.findings))
    console.print()
    console.print(Text(words.outcome_of_plan(plan), style=_GOOD if plan.fine else _BAD))


def _section(console: Console, title: str, *parts: RenderableType) -> None:
    console.print()
    console.print(Text(title, style="bold cyan"))
    console.print(Padding(Group(*parts), (0, 0, 0, 2), expand=False))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style=_QUIET)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _add(table: Table, *cells: Text | str) -> None:
    """Add a row whose texts mean nothing but themselves: Rich would take "[x]" in plain ones for a style."""
    table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in cells))


def _slices(plan: Plan) -> Table:
    table = _table("group", "slice", "of one slice", "slices", "in all", "capacity")
    for group in plan.groups:
        _add(
            table,
            Text(group.name, style="bold"),
            str(group.slice),
            words.hosts_of(group),
            words.slices_of(group),
            words.total_of(group),
            group.source.words,
        )
    return table


def _jobs(plan: Plan) -> Iterator[RenderableType]:
    yield Text(f"heads: {words.heads(plan.heads)}")
    if not plan.jobs:
        yield Text("no job is declared", style=_QUIET)
        return
    table = _table("job", "priority", "needs", "its head", "all at once", "when short")
    for job in plan.jobs:
        _add(
            table,
            Text(job.name, style="bold"),
            words.priority(job),
            words.needs_of_job(job),
            words.head_of_job(job),
            Text(words.verdict(job), style=_GOOD if job.runs else _DOUBTFUL),
            words.relations(job),
        )
    yield table
    for job in plan.jobs:
        yield Text(words.resilience(job), style=_QUIET)
    for occupancy, group in zip(plan.occupancy, plan.groups, strict=True):
        yield Text(words.left(occupancy, group))


def _queues(plan: Plan) -> Table:
    table = _table(*words.QUEUE_COLUMNS)
    for name, *rest in map(words.queue, plan.queues):
        _add(table, Text(name, style="bold"), *rest)
    return table


def _operations(plan: Plan) -> Iterator[RenderableType]:
    yield Text(words.schedule(plan.operations, plan.update is None))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    for number, operations in enumerate(plan.operations.lanes, 1):
        _add(table, Text(f"lane {number}", style=_QUIET), words.lane(operations))
    if plan.operations.operations:
        yield table


def _cost(plan: Plan) -> Iterator[str]:
    yield words.chip_hours(plan.costs)
    if price := words.price(plan.costs):
        yield price


def _resources(components: Iterable[Branch]) -> Iterator[RenderableType]:
    for branch in components:
        tree = Tree(_label(branch), guide_style=_QUIET)
        _grow(tree, branch)
        yield tree


def _grow(tree: Tree, branch: Branch) -> None:
    for below in branch.below:
        _grow(tree.add(_label(below)), below)


def _label(branch: Branch) -> Text:
    label = Text(kind_name(branch.component), style="bold")
    label.append(f" {branch.component.name}", style=_QUIET)
    if branch.own:
        label.append(f"  {words.kinds(branch)}", style="default")
    return label


def _findings(findings: Iterable[Finding]) -> Iterator[RenderableType]:
    nothing = True
    for finding in findings:
        nothing = False
        bad = finding.severity is Severity.ERROR
        head = Text(finding.severity.value, style=_BAD if bad else _DOUBTFUL)
        head.append(f" {finding.rule.id}", style="bold")
        head.append(f" {finding.resource.name} {format_path(finding.path)}".rstrip(), style=_QUIET)
        yield Group(head, Padding(Text(f"{finding.message}\n{finding.remedy}".rstrip()), (0, 0, 0, 2), expand=False))
    if nothing:
        yield Text("none", style=_GOOD)


def _update(plan: Plan, update: Update) -> Iterator[RenderableType]:
    yield Text(changes.counts(update))
    if chips := changes.chips(update):
        yield Text(chips)
    table = _table("", "", "", "")
    table.show_header = False
    for fate in changes.fates(update):
        effect = Text(fate.effect.value, style=_STYLE[fate.effect])
        if fate.notes:
            effect.append(f"; {fate.notes}", style="default")
        _add(table, Text(fate.kind, style=_QUIET), Text(fate.names, style="bold"), effect, words.listed(fate.why))
    if table.row_count:
        yield table
    if untouched := changes.untouched(update):
        yield Text(untouched, style=_QUIET)
    for refusal in changes.refusals(plan):
        yield Text(refusal, style=_BAD)
    yield from map(_edit, changes.edits(update))
    for doubt in (*changes.lifecycles(update), *changes.leftovers(update)):
        yield Text(doubt, style=_DOUBTFUL)


def _edit(edit: changes.Edit) -> RenderableType:
    line = Text(f"{_SIGN[edit.verb]} {edit.verb.value} {edit.what} ")
    line.append(edit.names, style="bold")
    for change in edit.changes:
        line.append(f"\n    {change}")
    for change in edit.ignored:
        line.append(f"\n    {change}", style=_BAD)
    return line
