"""The plan of a stack: everything that can be said of it before it is deployed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pathways.plan.components import Branch, tree
from pathways.plan.costs import Costs, plan_costs
from pathways.plan.effects import Outcome, losses, outcomes
from pathways.plan.groups import GroupPlan, Need, needs_of, plan_groups
from pathways.plan.jobs import HeadsPlan, JobPlan, Occupancy, plan_heads, plan_jobs
from pathways.plan.lifecycles import Lifecycle, lifecycles
from pathways.plan.operations import Schedule, schedule_creation, schedule_steps
from pathways.plan.queues import QueuePlan, plan_queues
from pathways.plan.state import State
from pathways.plan.steps import Step, Verb, steps_between
from pathways.plan.tpu_vms import TpuVmPlan, plan_tpu_vms
from pathways.resources import Resource
from pathways.rules.model import Finding, Severity
from pathways.settings import StackSettings


class WrongState(Exception):
    """The state is another stack's. The text says whose."""


@dataclass(frozen=True)
class Update:
    """What an update would do to a stack that exists.

    losses: outcomes that no one has allowed; in prod they refuse the update.
    lifecycles: rules of scratch buckets that do not come to be as the stack file has them, or that push out others.
    leftovers: resources that wait for their deletion since an earlier update.
    """

    steps: tuple[Step, ...]
    outcomes: tuple[Outcome, ...]
    losses: tuple[Outcome, ...]
    lifecycles: tuple[Lifecycle, ...]
    leftovers: tuple[str, ...]

    def count(self, verb: Verb) -> int:
        """Return how many resources a verb befalls."""
        return sum(step.verb is verb for step in self.steps)


@dataclass(frozen=True)
class Plan:
    """All that a reviewer wants to know.

    resources: each after those that it depends on. update: against a state, None without one.
    operations: of the whole stack, or of the update.
    """

    settings: StackSettings
    resources: tuple[Resource, ...]
    components: tuple[Branch, ...]
    groups: tuple[GroupPlan, ...]
    tpu_vms: tuple[TpuVmPlan, ...]
    needs: tuple[Need, ...]
    heads: HeadsPlan
    jobs: tuple[JobPlan, ...]
    occupancy: tuple[Occupancy, ...]
    queues: tuple[QueuePlan, ...]
    operations: Schedule
    costs: Costs
    findings: tuple[Finding, ...]
    update: Update | None

    @property
    def errors(self) -> int:
        return sum(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors

    @property
    def refused(self) -> bool:
        """Whether the update must not be made: it takes from prod what no one has allowed to go."""
        return self.settings.environment == "prod" and self.update is not None and bool(self.update.losses)

    @property
    def fine(self) -> bool:
        return not self.errors and not self.refused


def make_plan(
    settings: StackSettings,
    resources: Sequence[Resource],
    findings: Sequence[Finding],
    state: State | None = None,
    allowed: Collection[str] = (),
) -> Plan:
    """Return the plan of a stack.

    resources: as the program registers them. findings: of the rules over them. state: what exists already.
    allowed: names that an update may take away, besides the jobs that the settings call replaceable.
    Raises WrongState.
    """
    groups, tpu_vms = plan_groups(settings, resources), plan_tpu_vms(settings)
    jobs, occupancy = plan_jobs(settings, groups)
    update = None if state is None else _update(settings, resources, state, allowed)
    return Plan(
        settings=settings,
        resources=tuple(resources),
        components=tree(resources),
        groups=groups,
        tpu_vms=tpu_vms,
        needs=needs_of(groups, settings.region),
        heads=plan_heads(settings.head),
        jobs=jobs,
        occupancy=occupancy,
        queues=plan_queues(settings),
        operations=schedule_creation(resources) if update is None else schedule_steps(update.steps),
        costs=plan_costs(groups, settings.rates, tpu_vms),
        findings=tuple(findings),
        update=update,
    )


def _update(settings: StackSettings, resources: Sequence[Resource], state: State, allowed: Collection[str]) -> Update:
    if state.stack and state.stack != settings.stack:
        raise WrongState(f"is the state of stack {state.stack}, not of {settings.stack}")
    steps = steps_between(state, resources)
    found = outcomes(steps, {*allowed, *settings.replaceable})
    rules = lifecycles(steps, state, settings.scratch.prefix)
    return Update(steps, found, losses(found), rules, state.leftovers)
