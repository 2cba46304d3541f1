"""The command line: python -m pathways COMMAND. Exit codes: 0 fine, 1 found wanting, 2 could not look."""

from pathways.cli.app import main

__all__ = ["main"]
