"""What the settings of a stack tell the rules."""

from __future__ import annotations

from pathways.rules.model import Context, Environment
from pathways.settings import StackSettings


def context_of(settings: StackSettings) -> Context:
    """Return what rules know of a stack besides its resources."""
    return Context(environment=Environment(settings.environment), jax=settings.jax)
