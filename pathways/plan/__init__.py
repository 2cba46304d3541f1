"""The offline plan of a stack: from its settings and the resources that its program registers, without any cloud."""

from pathways.plan.effects import Effect, Outcome
from pathways.plan.plan import Plan, Update, WrongState, make_plan
from pathways.plan.state import State, UnreadableState, read_state
from pathways.plan.steps import Step, Verb

__all__ = [
    "Effect",
    "Outcome",
    "Plan",
    "State",
    "Step",
    "UnreadableState",
    "Update",
    "Verb",
    "WrongState",
    "make_plan",
    "read_state",
]
