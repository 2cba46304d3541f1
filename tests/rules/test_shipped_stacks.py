"""The stacks that are shipped keep the rules, as recorded."""

from pathlib import Path

import pytest

from components.recorder import record_stack_file
from pathways.rules import Severity, Use, check, context_of
from pathways.settings import load_stack_file

STACKS = sorted((Path(__file__).resolve().parents[2] / "stacks").glob("Pulumi.*.yaml"))


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.name)
def test_no_rule_finds_an_error(path: Path) -> None:
    findings = check(record_stack_file(path).resources, context_of(load_stack_file(path)), Use.PLAN)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert [(finding.rule.id, finding.resource.name, finding.message) for finding in errors] == []
