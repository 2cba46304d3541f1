"""A story keeps what was measured, and fails by what was expected."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from sandbox.drills.story import Story, StoryFailed


def told(story_of: io.StringIO) -> list[str]:
    return [line.strip() for line in story_of.getvalue().splitlines() if line.strip()]


@pytest.fixture
def text() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def story(text: io.StringIO) -> Story:
    return Story(Console(file=text, width=100))


def test_a_figure_at_its_limit_is_fine_and_above_it_fails(story):
    story.figure("recovery", 15.0, limit=15)
    with pytest.raises(StoryFailed, match=r"^recovery again: 15.1 s; 15 s at most were expected$"):
        story.figure("recovery again", 15.1, limit=15)


def test_what_never_happened_is_above_every_limit(story):
    with pytest.raises(StoryFailed, match="not within the time given"):
        story.figure("recovery", None, limit=90)


def test_what_is_only_compared_may_never_happen(story):
    story.figure("recovery", None)
    assert story.as_data() == {"recovery": {"value": None, "unit": "s", "limit": None}}


def test_a_figure_that_failed_is_among_the_figures(story):
    with pytest.raises(StoryFailed):
        story.figure("recovery", 20.04, limit=15)
    assert story.as_data() == {"recovery": {"value": 20.04, "unit": "s", "limit": 15}}


def test_two_figures_have_two_names(story):
    story.figure("recovery", 1)
    with pytest.raises(ValueError, match="recovery"):
        story.figure("recovery", 2)


def test_an_expectation_that_does_not_hold_says_what_was_seen(story):
    with pytest.raises(StoryFailed, match=r"^the head keeps its pod: \['a', 'b'\]$"):
        story.expect(False, "the head keeps its pod", ["a", "b"])


def test_times_count_from_the_event_even_for_what_is_told_later(story, text):
    story.mark("a slice is lost")
    seen = time.monotonic() + 3.2
    story.tell("its pods fail", seen)
    story.tell("something of before", seen - 60)
    assert told(text) == ["0.0 s  a slice is lost", "3.2 s  its pods fail", "0.0 s  something of before"]
