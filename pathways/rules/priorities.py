"""Rules about PriorityClasses, and the jobs that name them."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.rules.jobs import PathwaysJob, pods_of
from pathways.rules.kinds import JOBS, PATHWAYS_JOB, PRIORITY_CLASS
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.runtime import RESERVED_PRIORITIES
from pathways.wording import among, sentence

BUILT_IN = frozenset({"system-cluster-critical", "system-node-critical"})


def priority_names(job: Value) -> list[Value]:
    """Return the PriorityClasses that a job names."""
    named = [pod.spec["priorityClassName"] for pod in pods_of(job)]
    if job.resource.kind == PATHWAYS_JOB:
        named.append(PathwaysJob(job).worker["priorityClassName"])
    return [name for name in named if name.text]


@stack_rule(
    "priority-class-exists",
    Severity.ERROR,
    [*JOBS],
    remedy="Declare the PriorityClass, or name one that is declared.",
    source="Kubernetes: a pod with an unknown PriorityClass is refused; JobSet then waits without pods",
)
def priority_is_declared(stack: Stack, context: Context) -> Iterator[Problem]:
    """A job names a PriorityClass that is declared. Manifests are held to it where they have any PriorityClass."""
    declared = {value.at("metadata", "name").text or value.resource.name for value in stack.each(PRIORITY_CLASS)}
    if not declared and not context.whole:
        return
    for job in stack.each(*JOBS):
        for name in priority_names(job):
            if name.text and name.text not in declared | BUILT_IN:
                there_are = among(name.text, sorted(declared))
                yield Problem(name, sentence(f"{name} is no PriorityClass that is declared; {there_are}"))


@resource_rule(
    "priority-value",
    Severity.ERROR,
    [PRIORITY_CLASS],
    remedy=f"Write a value of 0 or more, and less than {RESERVED_PRIORITIES:,}.",
    source="Kubernetes API, PriorityClass; kubernetes-sigs/jobset#1291: the label -1 is invalid, pods are never made",
)
def value_is_possible(value: Value, _: Context) -> Iterator[Problem]:
    """The value of a PriorityClass is neither negative, which makes an illegal label of JobSet's, nor in the range that
    Kubernetes keeps for itself.
    """
    number = value["value"].number
    if number is not None and not 0 <= number < RESERVED_PRIORITIES:
        why = "JobSet makes a label of it, and a label cannot begin with -" if number < 0 else "Kubernetes keeps it"
        yield Problem(value["value"], f"The value is {number:,}: {why}.")


@stack_rule(
    "priority-values-distinct",
    Severity.ERROR,
    [PRIORITY_CLASS],
    remedy="Give each PriorityClass a value of its own.",
    source="Kubernetes: a pod pushes out those of a lower value only",
)
def values_are_distinct(stack: Stack, _: Context) -> Iterator[Problem]:
    """No two PriorityClasses have the same value: neither of their jobs would give way to the other."""
    first: dict[int, Value] = {}
    for value in stack.each(PRIORITY_CLASS):
        number, name = value["value"].number, value.at("metadata", "name")
        if number is not None and first.setdefault(number, name).content != name.content:
            yield Problem(value["value"], f"{number:,} is the value of {first[number]} as well.")


@resource_rule(
    "priority-not-default",
    Severity.ERROR,
    [PRIORITY_CLASS],
    remedy="Write globalDefault false.",
    source="Kubernetes documentation, Pod Priority and Preemption",
)
def not_the_default(value: Value, _: Context) -> Iterator[Problem]:
    """No PriorityClass for jobs is the default of every pod of the cluster that names none."""
    if value["globalDefault"].is_true:
        yield Problem(value["globalDefault"], "Every pod of the cluster that names no PriorityClass gets this one.")


@resource_rule(
    "priority-preemption-explicit",
    Severity.ERROR,
    [PRIORITY_CLASS],
    remedy="Write preemptionPolicy PreemptLowerPriority or Never.",
    source="Kubernetes API, PriorityClass: the policy cannot be changed later",
    uses=OF_STACKS,
)
def preemption_is_written(value: Value, _: Context) -> Iterator[Problem]:
    """A PriorityClass of the stack says whether its jobs push others out: it cannot be changed later."""
    if value["preemptionPolicy"].absent:
        yield Problem(value["preemptionPolicy"], "The preemption policy is not written.")
