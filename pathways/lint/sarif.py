"""The report as SARIF 2.1.0, which code review tools show beside the lines.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pathways.lint.linting import Report
from pathways.lint.manifests import FAULTS, Remark
from pathways.rules import RULES, Severity, Use

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(report: Report) -> dict[str, Any]:
    """Return the SARIF log of a report, to be written as JSON."""
    rules = _rules()
    positions = {rule["id"]: index for index, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "pathways lint", "rules": rules}},
                "results": [_result(remark, positions) for remark in report.remarks],
            }
        ],
    }


def _rules() -> list[dict[str, Any]]:
    of_files = [_rule(name, what, "", Severity.ERROR) for name, what in FAULTS.items()]
    return of_files + [_rule(rule.id, rule.what, rule.remedy, rule.severity) for rule in RULES if Use.LINT in rule.uses]


def _rule(name: str, what: str, remedy: str, severity: Severity) -> dict[str, Any]:
    described = {"shortDescription": {"text": what}, "defaultConfiguration": {"level": severity.value}}
    return {"id": name, **described, **({"help": {"text": remedy}} if remedy else {})}


def _result(remark: Remark, positions: dict[str, int]) -> dict[str, Any]:
    text = " ".join(part for part in (f"{remark.resource}:" if remark.resource else "", remark.message) if part)
    return {
        "ruleId": remark.rule,
        "ruleIndex": positions[remark.rule],
        "level": remark.severity.value,
        "message": {"text": f"{text} {remark.remedy}".strip()},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(remark.file.replace("\\", "/"))},
                    "region": {"startLine": remark.line},
                }
            }
        ],
    }
