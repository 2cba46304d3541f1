"""How commands end when they do not end well."""

from __future__ import annotations


class FoundWanting(Exception):
    """What was looked at is wrong. Its text says how."""

    exit_code = 1


class CouldNotLook(Exception):
    """There is nothing that could be looked at. Its text says why."""

    exit_code = 2
