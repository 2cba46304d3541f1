"""Every example is a stack file that can be deployed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pathways.settings import load_stack_file

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STACKS = sorted(EXAMPLES.glob("*/Pulumi.*.yaml"))


def test_the_examples_are_there():
    assert {file.parent.name for file in STACKS} >= {"batch", "headless", "inference", "elastic", "autocheckpoint"}


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.parent.name)
def test_it_passes_the_plan(file):
    done = subprocess.run(
        [sys.executable, "-m", "pathways", "plan", str(file), "--json"],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert json.loads(done.stdout)["findings"] == []


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.parent.name)
def test_its_programs_jax_is_the_stacks(file):
    pinned = dict(line.split("==") for line in (EXAMPLES / "requirements.txt").read_text().splitlines() if "==" in line)
    assert load_stack_file(file).jax == pinned["jax"]


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.parent.name)
def test_its_command_runs_a_program_of_its_folder(file):
    for workload in load_stack_file(file).workloads:
        for word in workload.command[1:]:
            assert (file.parent / word).is_file()
