"""Every example is a stack file that can be deployed, and a program that fits it."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from pathways.cli import main
from pathways.manifests import connection_to
from pathways.settings import find_stack, load_stack_file
from tests.examples.requirements import all_requirements, requirements

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLES = PROJECT / "examples"
NAMES = ("autocheckpoint", "batch", "elastic", "headless", "inference")
LARGE = "large"
"""An example without a program: it shows size."""
SMALL = "small"
"""One whose program stands in the stack file."""
MIXED = "mixed"
"""An example of queues, whose jobs run the programs of others."""

of_each_example = pytest.mark.parametrize("name", NAMES)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.chdir(PROJECT)
    monkeypatch.setattr(sys, "argv", ["pathways", *arguments])
    try:
        return main()
    except SystemExit as end:
        return int(end.code or 0)


def test_no_example_is_left_out():
    assert sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()) == sorted(
        [*NAMES, LARGE, MIXED, SMALL]
    )


def test_stacks_have_names_of_their_own():
    files = [*PROJECT.glob("stacks/Pulumi.*.yaml"), *EXAMPLES.glob("*/Pulumi.*.yaml")]
    assert [name for name, count in Counter(file.name for file in files).items() if count > 1] == []


@pytest.mark.parametrize("name", [*NAMES, LARGE, MIXED, SMALL])
def test_it_is_found_by_its_name_and_passes_check(name, monkeypatch, capsys):
    monkeypatch.chdir(PROJECT)
    assert find_stack(name) == Path("examples", name, f"Pulumi.{name}.yaml")
    assert run(monkeypatch, "check", name) == 0
    assert capsys.readouterr().err == ""


@of_each_example
def test_it_passes_the_plan_without_findings(name, monkeypatch, capsys):
    assert run(monkeypatch, "plan", name, "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["fine"]
    assert plan["findings"] == []


def test_the_large_stack_is_a_thousand_hosts_that_jobs_take_whole(monkeypatch, capsys):
    assert run(monkeypatch, "plan", LARGE, "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert [finding["rule"] for finding in plan["findings"] if finding["severity"] == "error"] == []
    assert [job["runs"] for job in plan["jobs"]] == [True, True]
    assert sum(group["hosts"] for group in plan["slices"]) == 1024
    assert [(need["hosts"], need["is_quota"]) for need in plan["needs"]] == [(512, False), (512, False)]
    stack = load_stack_file(EXAMPLES / LARGE / "Pulumi.large.yaml")
    taken = {job.slices.group: job.slices.count for job in stack.workloads}
    assert taken == {group.name: group.pools for group in stack.slices}
    assert sum(taken.values()) == 64


@of_each_example
def test_its_program_has_the_jax_of_its_stack(name):
    pins = dict(
        re.fullmatch(r"([\w-]+)(?:\[\w+\])?==([\d.]+)", line).groups() for line in requirements(EXAMPLES / name)
    )
    assert load_stack_file(EXAMPLES / name / f"Pulumi.{name}.yaml").jax == pins["jax"]


def test_a_package_has_one_version_in_all_examples():
    packages = [line.split("==")[0] for line in all_requirements(EXAMPLES)]
    assert len(packages) == len(set(packages))


@of_each_example
def test_its_command_runs_a_file_that_its_image_has(name):
    for workload in load_stack_file(EXAMPLES / name / f"Pulumi.{name}.yaml").workloads:
        if workload.command:
            python, program = workload.command
            assert python == "python"
            assert (EXAMPLES / name / program).is_file()  # the Dockerfile copies the folder


def test_the_elastic_job_restarts_a_slice_alone():
    (job,) = load_stack_file(EXAMPLES / "elastic" / "Pulumi.elastic.yaml").workloads
    assert job.recovery == "slice"
    assert job.minimum_slices < job.slices.count  # of the two modes, the one that goes on smaller


def test_autocheckpoint_has_five_minutes():
    (job,) = load_stack_file(EXAMPLES / "autocheckpoint" / "Pulumi.autocheckpoint.yaml").workloads
    assert job.grace_seconds >= 300


def test_the_readme_connects_as_the_stacks_output_does():
    stack = load_stack_file(EXAMPLES / "headless" / "Pulumi.headless.yaml")
    connection = connection_to(stack, stack.workloads[0])
    assert connection is not None
    assert connection["forward"] in (EXAMPLES / "README.md").read_text()


def test_the_server_serves_on_the_port_that_is_opened():
    (job,) = load_stack_file(EXAMPLES / "inference" / "Pulumi.inference.yaml").workloads
    assert job.env["PORT"] == str(job.port)
