"""Checks over resources: the same functions serve the plan, the policy pack and lint."""

from pathways.rules.check import check, findings_of, findings_of_resource
from pathways.rules.context import context_of
from pathways.rules.model import Context, Environment, Finding, KnownReservation, Rule, Severity, Use
from pathways.rules.stack import Stack
from pathways.rules.table import RULES, SUBJECTS

__all__ = [
    "RULES",
    "SUBJECTS",
    "Context",
    "Environment",
    "Finding",
    "KnownReservation",
    "Rule",
    "Severity",
    "Stack",
    "Use",
    "check",
    "context_of",
    "findings_of",
    "findings_of_resource",
]
