"""Writes docs/changes.md, and the short form of it in README.md: python -m pathways.changes."""

from pathways.cli.changes import write

write()
