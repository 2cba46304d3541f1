"""The plan as one self-contained page: nothing is loaded from anywhere, no script runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pathways.gcp import format_path
from pathways.plan.components import Branch, kind_name
from pathways.plan.effects import Effect
from pathways.plan.plan import Plan, Update
from pathways.plan.report import changes, words
from pathways.plan.report.markup import Markup, element, joined
from pathways.plan.report.picture import colours_of, picture
from pathways.plan.report.timeline import timeline
from pathways.plan.secrets import printable
from pathways.resources import Resource
from pathways.rules import Finding
from pathways.wording import counted

_STYLE = Path(__file__).with_name("page.css")
_PLACES = "Jobs are drawn on the first slices that are free; the scheduler may choose others."


def as_page(plan: Plan) -> str:
    """Return the page. Secrets are masked."""
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", f"Plan of {plan.settings.stack}"),
        element("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    )
    body = element(
        "body",
        element("h1", f"Plan of {plan.settings.stack}"),
        element("p", words.title(plan), class_="quiet"),
        element("p", words.outcome_of_plan(plan), class_=f"verdict {'good' if plan.fine else 'bad'}"),
        _figures(plan),
        element("div", picture(plan), class_="wide"),
        element("p", _PLACES, class_="quiet"),
        *([_section("Update", *_update(plan, plan.update))] if plan.update else []),
        _section("Findings", *_findings(plan.findings)),
        _section("Slices", _slices(plan), *_paragraphs(map(words.need, plan.needs))),
        *([_section("TPU VMs", *_paragraphs(map(words.tpu_vm, plan.tpu_vms)))] if plan.tpu_vms else []),
        _section("Jobs", *_jobs(plan)),
        *([_section("Queues", _table(words.QUEUE_COLUMNS, map(words.queue, plan.queues)))] if plan.queues else []),
        _section("Node pool operations", *_operations(plan)),
        _section("Cost", *_paragraphs(filter(None, (words.chip_hours(plan.costs), words.price(plan.costs))))),
        _section("Resources", *map(_branch, plan.components)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _section(title: str, *content: Markup) -> Markup:
    return element("section", element("h2", title), *content)


def _paragraphs(texts: Iterable[str | None]) -> Iterator[Markup]:
    return (element("p", text) for text in texts if text)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Markup | str]]) -> Markup:
    head = element("tr", *(element("th", column) for column in columns))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    return element("div", element("table", element("thead", head), element("tbody", *body)), class_="wide")


def _figures(plan: Plan) -> Markup:
    hour = plan.costs.usd_per_hour
    running = sum(job.runs for job in plan.jobs)
    figures = [
        (f"{plan.costs.chips:,}", "chips, those of TPU VMs included" if plan.tpu_vms else "chips"),
        (f"{sum(len(group.pools) for group in plan.groups):,}", "slices, spares included"),
        (f"{sum(group.hosts for group in plan.groups):,}", "TPU hosts"),
        (f"{running} of {len(plan.jobs)}", "jobs run at once"),
        (f"{plan.operations.ends:g} min", "to deploy" if plan.update is None else "to update"),
        *([(f"${hour:,.2f}", "an hour")] if hour is not None else []),
    ]
    return element(
        "ul", *(element("li", element("b", n), element("span", what)) for n, what in figures), class_="figures"
    )


def _slices(plan: Plan) -> Markup:
    return _table(
        ("group", "slice", "of one slice", "slices", "in all", "capacity"),
        (
            (
                group.name,
                str(group.slice),
                words.hosts_of(group),
                words.slices_of(group),
                words.total_of(group),
                group.source.words,
            )
            for group in plan.groups
        ),
    )


def _jobs(plan: Plan) -> Iterator[Markup]:
    yield element("p", f"Heads: {words.heads(plan.heads)}.")
    colours = colours_of(plan)
    rows = (
        (
            joined(element("span", class_=f"swatch {colours[job.name]}"), job.name),
            words.priority(job),
            words.needs_of_job(job),
            words.head_of_job(job),
            element("span", words.verdict(job), class_="good" if job.runs else "doubtful"),
            words.relations(job),
        )
        for job in plan.jobs
    )
    if plan.jobs:
        yield _table(("job", "priority", "needs", "its head", "all at once", "when short"), rows)
    yield from _paragraphs(words.resilience(job) for job in plan.jobs)
    yield from _paragraphs(
        words.left(occupancy, group) for occupancy, group in zip(plan.occupancy, plan.groups, strict=True)
    )


def _operations(plan: Plan) -> Iterator[Markup]:
    yield element("p", words.schedule(plan.operations, plan.update is None))
    if plan.operations.operations:
        yield element("div", timeline(plan.operations), class_="wide")


def _findings(findings: Sequence[Finding]) -> Iterator[Markup]:
    if not findings:
        yield element("p", "none", class_="good")
    for finding in findings:
        yield element(
            "article",
            element("b", f"{finding.severity.value}: {finding.rule.id}"),
            element("span", f" {finding.resource.name} {format_path(finding.path)}", class_="quiet"),
            *_paragraphs((finding.message, finding.remedy)),
            class_=finding.severity.value,
        )


def _update(plan: Plan, update: Update) -> Iterator[Markup]:
    yield from _paragraphs((changes.counts(update), changes.chips(update)))
    for refusal in changes.refusals(plan):
        yield element("p", refusal, class_="bad")
    if fates := changes.fates(update):
        yield _table(("", "name", "what becomes of it", "why"), map(_fate, fates))
    yield from _paragraphs((changes.untouched(update), *changes.lifecycles(update), *changes.leftovers(update)))
    if edits := changes.edits(update):
        yield element("details", element("summary", "every change"), *map(_edit, edits))


def _fate(fate: changes.Fate) -> Sequence[Markup | str]:
    colour = "bad" if fate.fatal else "good" if fate.effect is Effect.MADE else "doubtful"
    effect = element("span", fate.effect.value, class_=colour)
    notes = f"; {fate.notes}" if fate.notes else ""
    return (fate.kind, element("b", fate.names), joined(effect, notes), words.listed(fate.why))


def _edit(edit: changes.Edit) -> Markup:
    lines = [*edit.changes, *edit.ignored]
    said = element("p", f"{edit.verb.value} {edit.what} ", element("b", edit.names))
    return joined(said, *([element("pre", "\n".join(lines))] if lines else []))


def _branch(branch: Branch) -> Markup:
    what = element("b", kind_name(branch.component))
    about = element("span", f" {branch.component.name}, {counted(branch.count, 'resource')}", class_="quiet")
    return element("details", element("summary", what, about), *map(_branch, branch.below), *map(_resource, branch.own))


def _resource(resource: Resource) -> Markup:
    properties = json.dumps(printable(resource), indent=1, ensure_ascii=False)
    said = joined(kind_name(resource), element("span", f" {resource.name}", class_="quiet"))
    return element("details", element("summary", said), element("pre", properties))
