"""The workflows that users run: they call commands that exist, and nothing from outside reaches a shell."""

import re
from pathlib import Path

import pytest
import yaml

from pathways.cli.app import app

WORKFLOWS = sorted((Path(__file__).resolve().parents[2] / ".github" / "workflows").glob("*.yaml"))
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.name)
def workflow(request):
    return yaml.safe_load(request.param.read_text(encoding="utf-8"))


def scripts(workflow):
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def test_there_are_workflows():
    assert WORKFLOWS


def test_every_command_that_is_called_exists(workflow):
    called = {name for script in scripts(workflow) for name in re.findall(r"-m pathways (\S+)", script)}
    assert called
    assert called <= COMMANDS


def test_check_plan_lint_policies_and_guard_are_run(workflow):
    text = "\n".join(scripts(workflow))
    for wanted in ("pathways check", "pathways plan", "pathways lint", "--policy-pack policies", "pathways guard"):
        assert wanted in text


def test_no_expression_is_pasted_into_a_script(workflow):
    assert [script for script in scripts(workflow) if "${{" in script] == []


def test_rights_are_given_job_by_job(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" in job
        assert "write-all" not in str(job["permissions"])


def test_nothing_deploys(workflow):
    assert not re.search(r"pulumi (up|destroy|refresh)", "\n".join(scripts(workflow)))
