"""The drill command, as far as it needs no sandbox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pathways.settings import load_stack_file
from sandbox.drills.command import run_drill
from sandbox.drills.table import DRILLS
from sandbox.errors import Busy
from sandbox.home import Home

PROJECT = Path(__file__).resolve().parents[3]


def drill(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sandbox", "drill", *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


def test_all_drills_of_the_documentation_are_listed():
    listed = drill("--list")
    names = ["slice-loss", "hot-swap", "deadlock", "elastic", "suspend", "controller-loss", "api-errors", "head-loss"]
    assert listed.returncode == 0
    assert all(f" {name} " in listed.stdout for name in names)


def test_a_name_that_is_no_drill_cannot_be_looked_at():
    asked = drill("slice-lost")
    assert asked.returncode == 2
    assert asked.stdout == ""
    assert asked.stderr.startswith('"slice-lost" is no drill; legal: ')
    assert 'did you mean "slice-loss"?' in asked.stderr


def test_seeds_are_for_drills_in_which_chance_plays_a_part():
    asked = drill("suspend", "--seeds", "3")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == "--seeds: suspend leaves nothing to chance; legal with: deadlock\n"


@pytest.mark.parametrize("name", DRILLS)
def test_the_stack_of_a_drill_is_its_own(name):
    settings = load_stack_file(DRILLS[name].stack_file)
    assert settings.stack == f"drill-{name}"


def test_a_drill_that_is_being_played_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("PATHWAYS_SANDBOX_ROOT", str(tmp_path))
    home = Home.of("drill-suspend")
    home.create()
    with home.lock("command", wait=False), pytest.raises(Busy, match="is being played already"):
        run_drill("suspend", as_json=True, seeds=None, keep=False)
    assert home.exists()
