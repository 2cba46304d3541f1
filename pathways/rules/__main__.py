"""Prints the rules' documentation page: python -m pathways.rules > docs/rules.md."""

from pathways.rules.page import rules_page

print(rules_page(), end="")
