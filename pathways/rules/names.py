"""Rules about names of jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pathways.rules.jobs import JobSet
from pathways.rules.kinds import JOBS, PATHWAYS_JOB
from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.values import Value
from pathways.runtime import MAX_LABEL_LENGTH, MAX_NAME_LENGTH, coordinator_label

_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


@resource_rule(
    "job-name",
    Severity.ERROR,
    [*JOBS],
    remedy=f"Take a name of {MAX_NAME_LENGTH} lower-case letters, digits and dashes at most, a letter first.",
    source="JobSet 0.11: its webhook refuses the label; older versions accept it and never make a pod",
)
def name_leaves_room(job: Value, _: Context) -> Iterator[Problem]:
    """The name of a job leaves room for what JobSet makes of it: the names of its pods and the label with the
    coordinator's address, 63 characters each; and it is the name of a Service.
    """
    name = job.at("metadata", "name")
    if name.text is None:
        return
    if job.resource.kind == PATHWAYS_JOB:
        made = {"label": coordinator_label(name.text)}
    elif JobSet(job).tpu_jobs:
        made = _made_of_jobset(JobSet(job), name.text)
    else:
        return
    if not _LABEL.fullmatch(name.text):
        yield Problem(name, f"{name} cannot be the name of a Service, which JobSet makes of it.")
    for what, text in made.items():
        if len(text) > MAX_LABEL_LENGTH:
            has = f"has {len(name.text)} characters, and the {what} {text} {len(text)}, where {MAX_LABEL_LENGTH} fit"
            yield Problem(name, f"{name} {has}.")


def _made_of_jobset(jobset: JobSet, name: str) -> dict[str, str]:
    """Return the longest pod's name and the coordinator's label, where the JobSet has one."""
    longest = max(
        (
            f"{name}-{job.name}-{max((job.replicas or 1) - 1, 0)}-{max((job.parallelism or 1) - 1, 0)}"
            for job in jobset.jobs
        ),
        key=len,
    )
    made = {"pod name": longest}
    coordinator = jobset.spec["coordinator"]
    if head := coordinator["replicatedJob"].text:
        job, pod = coordinator["jobIndex"].number or 0, coordinator["podIndex"].number or 0
        subdomain = jobset.spec.at("network", "subdomain").text or name
        made["label"] = f"{name}-{head}-{job}-{pod}.{subdomain}"
    return made
