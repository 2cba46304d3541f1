"""What a stack's configuration says to the pack: its environment and JAX version, and which rules it does without."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pulumi
from pulumi.runtime import proto
from pulumi_policy import policy as sdk

from pathways.rules import RULES, Context, Environment, context_of
from pathways.settings import SettingsError, parse_settings
from pathways.wording import did_you_mean, nearest, quoted

KEY = "pathways:policies"
PARTS = ("environment", "disabled")


class PackError(ValueError):
    """The stack's configuration of the pack is wrong. The text says how."""


@dataclass(frozen=True)
class PackSettings:
    """context: what rules know besides the resources. disabled: ids of the rules that are not asked."""

    context: Context = field(default_factory=Context)
    disabled: frozenset[str] = frozenset()


def keep_stack_configuration() -> None:
    """Let pulumi.Config have the stack's configuration in policies.

    The engine tells it in the call ConfigureStack, of which the SDK (1.21.0) keeps the tags alone. Before each policy
    the SDK reads it from this variable, as older engines set it.
    """
    configure = sdk._PolicyAnalyzerServicer.ConfigureStack

    def configure_and_keep(servicer: Any, request: proto.AnalyzerStackConfigureRequest, context: Any) -> Any:
        os.environ["PULUMI_CONFIG"] = json.dumps(dict(request.config))
        return configure(servicer, request, context)

    sdk._PolicyAnalyzerServicer.ConfigureStack = configure_and_keep  # type: ignore[method-assign, assignment]


def stack_settings() -> PackSettings:
    """Return the settings of the stack that is being looked at. Raises PackError.

    pathways:policies is a mapping with `disabled`, a list of rules, and, for stacks of other programs, `environment`,
    dev or prod; ours have that in pathways:platform.
    """
    config = pulumi.Config("pathways")
    return _parsed(config.get("platform"), config.get("policies"), pulumi.Config("gcp").get("project"))


@cache
def _parsed(platform: str | None, policies: str | None, project: str | None) -> PackSettings:
    return settings_of(_decoded(platform), _decoded(policies), project)


def _decoded(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def settings_of(platform: Any, policies: Any, project: str | None) -> PackSettings:
    """Return the settings of two values of a stack's configuration, decoded. Raises PackError."""
    written = {} if policies is None else policies
    if not isinstance(written, Mapping) or not set(written) <= set(PARTS):
        raise PackError(f"{KEY} is not a mapping with the keys {' and '.join(PARTS)}")
    context = _context(platform, project)
    if "environment" in written:
        context = replace(context, environment=_environment(written["environment"]))
    disabled = written.get("disabled", [])
    if not isinstance(disabled, list):
        raise PackError(f"{KEY}.disabled is not a list of rules")
    return PackSettings(context, frozenset(map(_rule, disabled)))


def _context(platform: Any, project: str | None) -> Context:
    """Return what our own settings tell; a stack of another program, or one that its program refuses, tells nothing."""
    try:
        return context_of(parse_settings(platform or {}, project=project, stack="stack", source=KEY))
    except SettingsError:
        return Context()


def _environment(written: Any) -> Environment:
    try:
        return Environment(written)
    except ValueError:
        raise PackError(f"{KEY}.environment: {quoted(str(written))} is neither dev nor prod") from None


def _rule(written: Any) -> str:
    known = [rule.id for rule in RULES]
    if written not in known:
        meant = did_you_mean(nearest(str(written), known))
        raise PackError(f"{KEY}.disabled: {quoted(str(written))} is no rule{meant}")
    return str(written)
