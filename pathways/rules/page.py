"""The documentation page of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.rules.model import Rule, Use
from pathways.rules.table import SUBJECTS

INTRODUCTION = """\
# Rules

<!-- Written by `python -m pathways.rules`; do not edit. -->

The same rules are asked in three places: in the offline plan, over the program as it is recorded; in the policy pack
(`policies/`), by Pulumi's engine; and by `python -m pathways lint`, over manifests. An error ends the plan and lint
with exit code 1, and is mandatory in the policy pack; a warning is advice. Where dev and prod differ, the stack's
`environment` decides, for lint its option `--environment`.
"""
NAMES_OF_USES = {Use.PLAN: "plan", Use.POLICY: "policies", Use.LINT: "lint"}


def rules_page() -> str:
    """Return the page, in Markdown."""
    parts = [INTRODUCTION, *(_subject(subject, rules) for subject, rules in SUBJECTS.items())]
    return "\n".join(parts)


def _subject(subject: str, rules: tuple[Rule, ...]) -> str:
    return "\n".join([f"## {subject}\n", *(line for rule in rules for line in _rule(rule))])


def _rule(rule: Rule) -> Iterator[str]:
    uses = ", ".join(name for use, name in NAMES_OF_USES.items() if use in rule.uses)
    scope = "the stack" if rule.stack_check else "each resource"
    mild = f"; warning when {rule.mild_when}" if rule.mild_when else ""
    yield f"### {rule.id}\n"
    yield f"{rule.what}\n"
    yield f"- {rule.severity.value.capitalize()}{mild}"
    yield f"- Asked in: {uses}; of {scope}"
    yield f"- Remedy: {rule.remedy}"
    yield f"- Source: {rule.source}\n"
