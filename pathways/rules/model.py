"""What a rule is, what it sees, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from pathways.gcp import Path
from pathways.resources import Resource
from pathways.rules.stack import Stack
from pathways.rules.values import Value


class Severity(StrEnum):
    """error: must not be deployed. warning: is doubtful or costs, and people do run it."""

    ERROR = "error"
    WARNING = "warning"


class Use(StrEnum):
    """Where rules are asked."""

    PLAN = "plan"
    """Over the recorded program: everything is known, options included."""
    POLICY = "policy"
    """In the engine: options that keep a resource from being replaced are not shown, and values may be unknown."""
    LINT = "lint"
    """Over manifests: there is no Google Cloud resource, and what the files do not hold may exist elsewhere."""


EVERYWHERE = frozenset(Use)
OF_STACKS = frozenset({Use.PLAN, Use.POLICY})
"""Of programs that declare a stack; a manifest alone is not asked for it."""


class Environment(StrEnum):
    """prod protects what is dear; dev can be torn down."""

    DEV = "dev"
    PROD = "prod"


@dataclass(frozen=True)
class KnownReservation:
    """What is known of a reservation. chips: that it holds. zone: that it is in; None where that is not told."""

    chips: int | None = None
    zone: str | None = None


@dataclass(frozen=True)
class Context:
    """What rules know besides the resources.

    jax: the JAX version that jobs are meant to have. jax_of_jobs: by name, of those that have another.
    budget: chips that all slices together may have. concurrent_operations: on node pools, meant to go on at once.
    reservations: by name, those that someone has declared. None and none where nobody tells.
    whole: whether the resources are all of a stack; for a set of manifests, what they refer to may exist elsewhere.
    """

    environment: Environment = Environment.PROD
    jax: str | None = None
    jax_of_jobs: Mapping[str, str] = field(default_factory=dict)
    budget: int | None = None
    concurrent_operations: int | None = None
    reservations: Mapping[str, KnownReservation] = field(default_factory=dict)
    whole: bool = True

    @property
    def prod(self) -> bool:
        return self.environment is Environment.PROD


class Problem(NamedTuple):
    """What a rule's check yields.

    at: the value at fault. message: what is wrong, with its numbers, in a sentence.
    remedy: what to write instead, where the rule's own words are too general. severity: where it is not the rule's.
    """

    at: Value
    message: str
    remedy: str = ""
    severity: Severity | None = None


ResourceCheck = Callable[[Value, Context], Iterator[Problem]]
StackCheck = Callable[[Stack, Context], Iterator[Problem]]


@dataclass(frozen=True)
class Rule:
    """A rule of the table.

    what: what must hold, and why. remedy: what to write instead. source: of the fact.
    kinds: of the resources that it is about; a rule over one resource is asked for each of these, a rule over the
    stack once if there is any. uses: where it is asked. mild_when: when what it finds is a warning; "" where never.
    """

    id: str
    severity: Severity
    what: str
    remedy: str
    source: str
    kinds: tuple[str, ...]
    uses: frozenset[Use]
    mild_when: str
    resource_check: ResourceCheck | None = None
    stack_check: StackCheck | None = None

    @property
    def severities(self) -> tuple[Severity, ...]:
        """All that its findings can have, the worst first."""
        return (Severity.ERROR, Severity.WARNING) if self.mild_when else (self.severity,)


@dataclass(frozen=True)
class Finding:
    """A resource that does not keep a rule. path: of the value at fault in the resource's properties."""

    rule: Rule
    severity: Severity
    resource: Resource
    path: Path
    message: str
    remedy: str


def _sentence(check: Callable[..., object]) -> str:
    """Return a check's docstring as one paragraph."""
    return " ".join((check.__doc__ or "").split())


def resource_rule(
    rule_id: str,
    severity: Severity,
    kinds: Collection[str],
    *,
    remedy: str,
    source: str,
    uses: frozenset[Use] = EVERYWHERE,
    mild_when: str = "",
) -> Callable[[ResourceCheck], Rule]:
    """Make a rule of a check that looks at one resource; its docstring is the rule's `what`."""

    def made(check: ResourceCheck) -> Rule:
        what = _sentence(check)
        return Rule(rule_id, severity, what, remedy, source, tuple(kinds), uses, mild_when, resource_check=check)

    return made


def stack_rule(
    rule_id: str,
    severity: Severity,
    kinds: Collection[str],
    *,
    remedy: str,
    source: str,
    uses: frozenset[Use] = EVERYWHERE,
    mild_when: str = "",
) -> Callable[[StackCheck], Rule]:
    """Make a rule of a check that looks at all resources together; its docstring is the rule's `what`."""

    def made(check: StackCheck) -> Rule:
        what = _sentence(check)
        return Rule(rule_id, severity, what, remedy, source, tuple(kinds), uses, mild_when, stack_check=check)

    return made
