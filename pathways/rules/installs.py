"""Rules about what jobs find in the cluster: controllers before jobs, and namespaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pathways.rules.jobs import job_name
from pathways.rules.kinds import CHART, CLUSTER, JOBS, JOBSET_INSTALL, NAMESPACE, RELEASE
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.stack import Stack
from pathways.rules.values import Value

OLDEST_JOBSET = (0, 8)
JOBSET_CRD = "jobsets.jobset.x-k8s.io"
CRD = "apiextensions.k8s.io/CustomResourceDefinition"
ENFORCED = "pod-security.kubernetes.io/enforce"
STRICT = ("baseline", "restricted")


@stack_rule(
    "jobset-present",
    Severity.ERROR,
    [*JOBS],
    remedy="Declare JobSet 0.8 or newer.",
    source="PathwaysJob README: JobSet 0.8 or newer is installed first",
    uses=OF_STACKS,
)
def jobset_is_installed(stack: Stack, _: Context) -> Iterator[Problem]:
    """A stack that makes a cluster and sends jobs to it installs JobSet there, 0.8 or newer."""
    installs = jobset_installs(stack)
    first = next(stack.each(*JOBS), None)
    if not installs and stack.has(CLUSTER) and first is not None:
        yield Problem(first, f"{job_name(first)} needs JobSet, and the stack does not install it.")
    for install in installs:
        version = install["version"]
        found = re.match(r"v?([0-9]{1,4})\.([0-9]{1,4})\.", version.text or "")
        if found and (int(found[1]), int(found[2])) < OLDEST_JOBSET:
            yield Problem(version, f"JobSet {version} is older than 0.8.")


@stack_rule(
    "jobset-ordered",
    Severity.ERROR,
    [*JOBS],
    remedy="Let the job depend on the JobSet install (depends_on).",
    source='Kubernetes: "no endpoints available" for the webhook; pulumi-kubernetes#1098',
    uses=OF_STACKS,
)
def jobs_wait_for_jobset(stack: Stack, _: Context) -> Iterator[Problem]:
    """A job is sent after JobSet is installed: its webhooks refuse every JobSet while they do not serve."""
    installs = [install.resource for install in jobset_installs(stack)]
    urns = {resource.urn for resource in installs} | {
        resource.urn for resource in stack.resources if JOBSET_INSTALL in resource.component_types
    }
    for job in stack.each(*JOBS):
        if installs and job.resource.urn and not stack.waits_for(job.resource, urns):
            yield Problem(job, f"{job_name(job)} does not wait for JobSet.")


@stack_rule(
    "kueue-after-jobset",
    Severity.ERROR,
    [CHART, RELEASE],
    remedy="Let Kueue depend on the JobSet install (depends_on).",
    source="Kueue: it looks for the JobSet resource once, when it starts",
    uses=OF_STACKS,
)
def kueue_waits_for_jobset(stack: Stack, _: Context) -> Iterator[Problem]:
    """Kueue is installed after JobSet: started before, it never queues a JobSet."""
    urns = {install.resource.urn for install in jobset_installs(stack)}
    for chart in stack.each(CHART, RELEASE):
        if "kueue" in (chart["chart"].text or "") and urns and not stack.waits_for(chart.resource, urns):
            yield Problem(chart["chart"], "Kueue does not wait for JobSet.")


def jobset_installs(stack: Stack) -> list[Value]:
    """Return what installs JobSet: our component, a chart of that name, or its CRD."""
    charts = [chart for chart in stack.each(CHART, RELEASE) if "jobset" in (chart["chart"].text or "")]
    definitions = [each for each in stack.each(CRD) if each.at("metadata", "name").text == JOBSET_CRD]
    return [*stack.each(JOBSET_INSTALL), *charts, *definitions]


@resource_rule(
    "job-namespace",
    Severity.ERROR,
    [*JOBS],
    remedy="Name a namespace for jobs.",
    source="CIS Kubernetes: 4.6.1; XPK and kinetic put jobs into default",
    uses=OF_STACKS,
)
def not_in_the_default_namespace(job: Value, _: Context) -> Iterator[Problem]:
    """Jobs of the stack are in a namespace of their own: rights and quotas of `default` are everyone's."""
    namespace = job.at("metadata", "namespace")
    if namespace.absent or namespace.text == "default":
        yield Problem(namespace, f"{job_name(job)} is in the namespace default.")


@stack_rule(
    "namespace-pod-security",
    Severity.ERROR,
    [NAMESPACE],
    remedy=f"Label the namespace {ENFORCED}: baseline, or privileged where Pathways or TPU jobs run.",
    source="Kubernetes documentation, Pod Security Standards; PathwaysJob controller v0.1.4: hostPath and host network",
    uses=OF_STACKS,
)
def pods_are_held_to_a_standard(stack: Stack, _: Context) -> Iterator[Problem]:
    """A namespace says which pods it admits: baseline or stricter. The namespaces of Pathways and TPU jobs are exempt,
    and say privileged: workers mount the host's /tmp and use its network, which baseline forbids.
    """
    of_jobs = {job.at("metadata", "namespace").text for job in stack.each(*JOBS)}
    for namespace in stack.each(NAMESPACE):
        name, level = namespace.at("metadata", "name").text, namespace.at("metadata", "labels", ENFORCED)
        if level.unknown or name is None:
            continue
        if name in of_jobs and level.text != "privileged":
            yield Problem(level, f"The namespace {name} of jobs enforces {level}: workers would be refused.")
        elif name not in of_jobs and level.absent:
            yield Problem(level, f"The namespace {name} enforces no pod security standard.")
        elif name not in of_jobs and level.text not in STRICT and of_jobs:
            yield Problem(level, f"The namespace {name} enforces {level}, and has no TPU jobs.")
