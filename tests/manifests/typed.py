"""Jobs of the example stack, rendered."""

from pathways.manifests import manifest_of
from tests.settings.stack_files import ABSENT, settings

JOB = ("workloads", 0)
DIRECT = (("install",), {"pathwaysJob": {"enabled": False}})
HEADLESS = ((*JOB, "image"), ABSENT), ((*JOB, "command"), ABSENT), ((*JOB, "mode"), "headless")


def of_job(**values):
    """Returns changes of the example's job: keys as in the file."""
    return [((*JOB, key), value) for key, value in values.items()]


def rendered(*changes):
    stack = settings(*changes)
    return manifest_of(stack, stack.workloads[0])


def direct(*changes, **values):
    """Returns the JobSet of the example's job with changes, without the PathwaysJob controller."""
    return rendered(DIRECT, *changes, *of_job(**values))


def jobs(jobset):
    """Returns the specs of the replicated jobs by name."""
    return {each["name"]: each["template"]["spec"] for each in jobset["spec"]["replicatedJobs"]}


def pod(jobset, name):
    return jobs(jobset)[name]["template"]["spec"]


def container(pod_spec, name):
    every = [*pod_spec.get("initContainers", []), *pod_spec["containers"]]
    return next(each for each in every if each["name"] == name)
