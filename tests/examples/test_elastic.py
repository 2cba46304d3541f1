"""The elastic example on eight CPU devices, two slices of four: a slice is lost, and returns."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.examples.programs import EXAMPLES, run

pytestmark = pytest.mark.examples

STEPS = 24
SNAPSHOT_INTERVAL = 5  # at the steps 0, 5, 10, ...
BATCH = 24
LINE = re.compile(r"step (\d+): loss ([\d.]+), slices (\d+), examples from (\d+)")


class Step(NamedTuple):
    number: int
    loss: float
    slices: int
    first_example: int


class Run(NamedTuple):
    """story: numbers of steps, and events between them. final: the weights at the end."""

    story: list[int | str]
    steps: list[Step]
    final: list[float]

    def slices(self, number: int) -> list[int]:
        """With how many slices a step was taken, each time."""
        return [step.slices for step in self.steps if step.number == number]


def train(python: Path, *events: tuple[int | str, ...], **variables: str) -> Run:
    given = {"FINAL_STEP": STEPS, "SNAPSHOT_INTERVAL": SNAPSHOT_INTERVAL, "POLL_SECONDS": 0.2, **variables}
    harness = Path(__file__).with_name("elastic_on_cpu.py")
    *lines, last = run(python, harness, EXAMPLES / "elastic", json.dumps(events), **given).splitlines()
    story: list[int | str] = []
    steps = []
    for line in lines:
        if told := LINE.fullmatch(line):
            number, loss, slices, first = told.groups()
            steps.append(Step(int(number), float(loss), int(slices), int(first)))
        story.append(steps[-1].number if told else line)
    final = json.loads(last)
    return Run(story, steps, final["inner"] + final["outer"])


@pytest.fixture(scope="module")
def undisturbed(examples_python: Path) -> Run:
    return train(examples_python)


def assert_same_training(one: Run, undisturbed: Run) -> None:
    """Whatever happened: each step has its own batch, its own loss, and the end is the same."""
    expected = {step.number: step for step in undisturbed.steps}
    for step in one.steps:
        assert step.first_example == BATCH * step.number  # no batch is left out, none comes at another step
        assert step.loss == pytest.approx(expected[step.number].loss, rel=1e-4)
    assert one.final == pytest.approx(undisturbed.final, rel=1e-3, abs=1e-5)


def test_it_learns(undisturbed):
    assert undisturbed.story == [*range(STEPS)]
    assert {step.slices for step in undisturbed.steps} == {2}
    losses = [step.loss for step in undisturbed.steps]
    assert sum(losses[-5:]) < sum(losses[:5]) / 2


def test_it_goes_on_smaller_from_the_snapshot_and_grows_back(examples_python, undisturbed):
    events = [(8, "lose", 1), (14, "return", 1)]
    done = train(examples_python, *events, MINIMUM_SLICE_COUNT="1")
    assert done.story == [*range(8), "lose 1", *range(6, 12), "return 1", *range(12, STEPS)]
    assert [step.slices for step in done.steps] == [2] * 8 + [1] * 7 + [2] * 11
    assert_same_training(done, undisturbed)


def test_what_it_grew_by_can_carry_on_alone(examples_python, undisturbed):
    """The slice that had the only snapshot is lost two steps after the other returned."""
    events = [(8, "lose", 1), (14, "return", 1), (16, "lose", 0)]
    done = train(examples_python, *events, MINIMUM_SLICE_COUNT="1")
    assert done.story == [*range(8), "lose 1", *range(6, 12), "return 1", 12, 13, "lose 0", *range(13, STEPS)]
    assert [done.slices(number) for number in (12, 13, 14)] == [[1], [2, 1], [1]]
    assert_same_training(done, undisturbed)


def test_it_begins_anew_without_a_snapshot(examples_python, undisturbed):
    done = train(examples_python, (0, "lose", 0), MINIMUM_SLICE_COUNT="1")
    assert done.story == ["lose 0", *range(STEPS)]
    assert {step.slices for step in done.steps} == {1}
    assert_same_training(done, undisturbed)


@pytest.mark.parametrize("variables", [{"MINIMUM_SLICE_COUNT": "2"}, {}], ids=["all slices", "unset"])
def test_it_pauses_until_all_slices_are_back(variables, examples_python, undisturbed):
    seconds = 2  # in which it would take more steps than there are
    done = train(examples_python, (8, "lose", 1), (-seconds, "return", 1), **variables)
    assert done.story == [*range(8), "lose 1", "return 1", *range(6, STEPS)]
    assert {step.slices for step in done.steps} == {2}
    assert_same_training(done, undisturbed)
    assert done.final == undisturbed.final  # the same devices: to the last bit
