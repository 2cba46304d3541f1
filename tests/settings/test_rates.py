"""What chips cost, as the stack file says."""

from typing import Any

import pytest

from pathways.settings import SettingsError, StackSettings, parse_settings

STACK: dict[str, Any] = {
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "slices": [{"name": "v6e", "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}}],
}


def parsed(rates: object) -> StackSettings:
    return parse_settings({**STACK, "rates": rates}, project="p", stack="s", source="stack.yaml")


def test_rates_are_numbers_whole_or_not():
    assert parsed({"v6e": 2.7, "v5p": 4}).rates == {"v6e": 2.7, "v5p": 4}


def test_without_rates_there_are_none():
    assert parse_settings(STACK, project="p", stack="s", source="stack.yaml").rates == {}


@pytest.mark.parametrize(
    ("rates", "path", "words"),
    [
        ({"v6": 2.7}, "rates.v6", 'did you mean "v6e"?'),
        ({"v6e": "2.7"}, "rates.v6e", "a number is wanted, without quotes"),
        ({"v6e": -1}, "rates.v6e", "too small"),
        ({"v6e": float("nan")}, "rates.v6e", "a finite number is wanted"),
        ({"v6e": None}, "rates.v6e", "is empty"),
        ([2.7], "rates", "a mapping is wanted"),
    ],
)
def test_what_is_no_rate_is_refused_with_its_place(rates, path, words):
    with pytest.raises(SettingsError) as refusal:
        parsed(rates)
    ((where, message),) = refusal.value.problems
    assert where == path
    assert words in message
