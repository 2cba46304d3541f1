"""Rules about the pods of jobs: what only the Job controller finds out, when the JobSet stands and no pod comes."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.rules.jobs import JobSet, PathwaysJob, Pod
from pathways.rules.kinds import JOBS, PATHWAYS_JOB
from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.values import Value
from pathways.wording import did_you_mean, nearest, sentence


@resource_rule(
    "job-pods-valid",
    Severity.ERROR,
    [*JOBS],
    remedy="Correct the pod.",
    source="Kubernetes API, Job and Pod: such Jobs are refused, which an event or the JobSet controller's log tells",
)
def pods_can_be_made(job: Value, _: Context) -> Iterator[Problem]:
    """The pods of a job can be made: each container has an image and a name of its own, mounts name volumes that there
    are, and the pods of a Job are not restarted for ever.
    """
    if job.resource.kind == PATHWAYS_JOB:
        yield from _faults(PathwaysJob(job).pod, volumes_elsewhere=False)
        return
    jobset = JobSet(job)
    for each in jobset.jobs if jobset.tpu_jobs else ():
        yield from _faults(each.pod, volumes_elsewhere=not jobset.spec["volumeClaimPolicies"].absent)


def _faults(pod: Pod, volumes_elsewhere: bool) -> Iterator[Problem]:
    policy, volumes = pod.spec["restartPolicy"], pod.spec["volumes"]
    if policy.text == "Always":
        yield Problem(policy, "The restart policy Always: a Job takes OnFailure or Never.", "Write Never.")
    names = [volume["name"].text for volume in volumes.items()]
    sidecars = {container["name"].text for container in pod.sidecars}
    for container in pod.main:
        if container["name"].text and container["name"].text in sidecars:
            yield Problem(container["name"], f"{container['name']} is the name of an init container as well.")
    for container in pod.containers:
        if container["image"].absent or container["image"].text == "":
            yield Problem(container["image"], f"The container {container['name']} has no image.")
        for mount in container["volumeMounts"].items():
            name = mount["name"]
            if name.text and name.text not in names and None not in names and volumes.certain and not volumes_elsewhere:
                meant = did_you_mean(nearest(name.text, [each for each in names if each]))
                yield Problem(name, sentence(f"{name} is no volume of the pod{meant}"))
