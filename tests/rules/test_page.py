"""The documentation page says what the table says."""

from pathlib import Path

from pathways.rules import RULES
from pathways.rules.page import rules_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == rules_page(), "write it anew: python -m pathways.rules > docs/rules.md"


def test_every_rule_says_what_it_wants_what_to_do_and_who_says_so() -> None:
    for rule in RULES:
        assert rule.what.endswith("."), rule.id
        assert rule.remedy.endswith("."), rule.id
        assert rule.source, rule.id
        assert f"### {rule.id}\n" in rules_page()


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
