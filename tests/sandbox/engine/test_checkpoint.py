"""A checkpoint that the engine was killed at writing: seen as an empty file, beside the one before it."""

import json

import pytest

from sandbox.engine.recovery import read_checkpoint, restore_checkpoint
from sandbox.home import Home

BEFORE = {"checkpoint": {"latest": {"resources": [{"urn": "a"}]}}}
LAST = {"checkpoint": {"latest": {"resources": [{"urn": "a"}, {"urn": "b"}]}}}


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path, "dev")
    (made.state / ".pulumi" / "stacks" / "pathways").mkdir(parents=True)
    return made


def write(home, name, text):
    (home.state / ".pulumi" / "stacks" / "pathways" / name).write_text(text)


@pytest.mark.parametrize("left", ["", json.dumps(LAST)[:20]])
def test_the_one_before_takes_its_place(home, left):
    write(home, "dev.json", left)
    write(home, "dev.json.bak", json.dumps(BEFORE))
    assert restore_checkpoint(home)
    assert read_checkpoint(home) == BEFORE["checkpoint"]["latest"]


def test_a_whole_one_stays(home):
    write(home, "dev.json", json.dumps(LAST))
    write(home, "dev.json.bak", json.dumps(BEFORE))
    assert not restore_checkpoint(home)
    assert read_checkpoint(home) == LAST["checkpoint"]["latest"]


def test_nothing_is_made_up(home):
    assert not restore_checkpoint(home)
    write(home, "dev.json", "")
    assert not restore_checkpoint(home)
