"""Rules about JobSets whose pods ask for TPUs; others are none of ours."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.manifests.controller.job import ACCELERATOR_LABEL, TOPOLOGY_LABEL
from pathways.manifests.controller.jobset import EXCLUSIVE_TOPOLOGY, HOST_LABEL, POOL_LABEL
from pathways.quantities import parse_quantity
from pathways.rules.jobs import JobSet, ReplicatedJob, arguments, machines_of_accelerator, requested
from pathways.rules.kinds import JOB_SET
from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.values import Value
from pathways.tpu import IllegalSlice, catalog, parse_slice
from pathways.wording import counted, did_you_mean, nearest, quoted, sentence

NODE_SELECTOR_ANNOTATION = "alpha.jobset.sigs.k8s.io/node-selector"
NEVER_COUNTED = ("RestartJobSetAndIgnoreMaxRestarts", "RestartJobAndIgnoreMaxRestarts")
COUNTED = ("RestartJobSet", "RestartJob")
ELASTIC_FLAGS = ("num_elastic_slices", "num_elastic_instances")
"""What the controller writes, and what older documents do."""
BACKOFF_EXCEEDED = "BackoffLimitExceeded"


@resource_rule(
    "jobset-topology",
    Severity.ERROR,
    [JOB_SET],
    remedy="Take an accelerator, a topology and a number of chips from `python -m pathways slice --all`.",
    source="GKE documentation, Plan TPUs in GKE",
)
def selector_is_a_slice(value: Value, _: Context) -> Iterator[Problem]:
    """The node selector of TPU pods names an accelerator and a topology that exist together, and the pods ask for all
    chips of a host of it: no node fits anything else.
    """
    for job in JobSet(value).tpu_jobs:
        accelerator, topology = job.pod.selector[ACCELERATOR_LABEL], job.pod.selector[TOPOLOGY_LABEL]
        if accelerator.text is None or topology.text is None:
            continue
        known = {generation.accelerator for generation in catalog().generations.values()}
        if accelerator.text not in known:
            meant = did_you_mean(nearest(accelerator.text, known))
            legal = " ".join(sorted(known))
            yield Problem(
                accelerator,
                sentence(f"{accelerator} is no accelerator that Pathways or multislice runs on; legal: {legal}{meant}"),
            )
        elif job.slice is None:
            yield _not_a_slice(job, topology)


def _not_a_slice(job: ReplicatedJob, topology: Value) -> Problem:
    machines = machines_of_accelerator(job.pod.selector[ACCELERATOR_LABEL].text or "")
    machine = job.machine
    if machine is None:
        sizes = ", ".join(f"{each.chips} ({each.name})" for each in machines)
        asked = counted(job.pod.tpus, "chip")
        return Problem(topology, f"A pod asks for {asked}; hosts with these labels have {sizes}.")
    try:
        parse_slice(machine.name, topology.text or "")
    except IllegalSlice as error:
        return Problem(topology, sentence(str(error)))
    return Problem(topology, f"{machine.name} is not of the accelerator {job.pod.selector[ACCELERATOR_LABEL]}.")


@resource_rule(
    "jobset-hosts",
    Severity.ERROR,
    [JOB_SET],
    remedy="Write the number of hosts as parallelism and as completions.",
    source="Hosts of a slice = chips of the topology / chips of a host; GKE documentation, TPU multislice",
)
def one_pod_for_each_host(value: Value, _: Context) -> Iterator[Problem]:
    """Each job of a slice has as many pods as the slice has hosts, all at once: with more some stay pending, with fewer
    the TPUs wait for each other.
    """
    for job in JobSet(value).tpu_jobs:
        if job.slice is None:
            continue
        hosts = job.slice.hosts
        division = f"{job.slice.chips} chips / {job.slice.chips_per_host} = {counted(hosts, 'host')}"
        has = f"a slice {job.slice.topology_text} of {job.slice.machine_type} has {division}"
        for key in ("parallelism", "completions"):
            count = job.job[key]
            number = 1 if count.absent else count.number
            if number is not None and number != hosts:
                yield Problem(count, f"{key} is {number}, and {has}.", f"Write {key} {hosts}.")


@resource_rule(
    "exclusive-topology",
    Severity.ERROR,
    [JOB_SET],
    remedy=f"Annotate the pods' replicated job with {EXCLUSIVE_TOPOLOGY}: {POOL_LABEL}.",
    source="JobSet documentation, exclusive placement; one slice is one node pool",
    mild_when="an annotation further out overrides one that would do",
)
def slices_are_exclusive(value: Value, _: Context) -> Iterator[Problem]:
    """TPU pods are placed exclusively, one job to a node pool: without it the pods of a second job land on hosts of the
    same slice.
    """
    jobset = JobSet(value)
    for job in jobset.tpu_jobs:
        annotations = jobset.exclusive_topology(job)
        if any(annotation.unknown for annotation in annotations) or _has_own_nodes(jobset, job):
            continue
        enough = [POOL_LABEL] if job.slice is None or job.slice.multi_host else [POOL_LABEL, HOST_LABEL]
        good = [annotation for annotation in annotations if annotation.text in enough]
        if not annotations:
            yield Problem(job.value, f"Nothing keeps a second job out of the slices of {job.name}.")
        elif not good:
            yield Problem(annotations[0], f"{annotations[0]} does not keep a second job out of a slice's node pool.")
        elif annotations[0] not in good:
            message = f"{annotations[0]} prevails over {good[0]}, and does not keep a second job out."
            yield Problem(annotations[0], message, severity=Severity.WARNING)


def _has_own_nodes(jobset: JobSet, job: ReplicatedJob) -> bool:
    """Whether nodes are labelled and tainted for each job beforehand, JobSet's other way to keep jobs apart."""
    own = jobset.value.at("metadata", "annotations", NODE_SELECTOR_ANNOTATION)
    return not own.absent or bool(job.annotations(NODE_SELECTOR_ANNOTATION))


@resource_rule(
    "workers-retried",
    Severity.ERROR,
    [JOB_SET],
    remedy="Write failurePolicy.maxRestarts of 1 or more, or a rule that restarts.",
    source="JobSet documentation, failure policy; workers that start before the head find no address (DNS NOT_FOUND)",
)
def something_retries(value: Value, _: Context) -> Iterator[Problem]:
    """Something retries workers that fail: with a back-off limit of 0, no restarts and no rule that restarts, the first
    failure ends the job, and workers that start before the head has a node do fail.
    """
    jobset = JobSet(value)
    policy = jobset.spec["failurePolicy"]
    restarts = policy["maxRestarts"]
    for job in jobset.tpu_jobs:
        limit = job.job["backoffLimit"]
        if limit.number != 0 or policy.unknown or restarts.unknown or not policy["rules"].certain:
            continue
        action = _action(policy, job.name)
        if action in NEVER_COUNTED or (action in COUNTED and (restarts.number or 0) > 0):
            continue
        if action == "FailJobSet":
            yield Problem(limit, f"The first failure of a pod of {job.name} fails the JobSet, as a rule says.")
        else:
            yield Problem(
                limit, f"Nothing retries {job.name}: backoffLimit 0, and maxRestarts is {restarts.number or 0}."
            )


def _action(policy: Value, job: str) -> str:
    """Return what JobSet does when pods of a replicated job failed too often: what the first rule that applies says.

    Rules that only some messages match cannot be relied on.
    """
    for rule in policy["rules"].items():
        targets, reasons = rule["targetReplicatedJobs"].texts(), rule["onJobFailureReasons"].texts()
        applies = (not targets or job in targets) and (not reasons or BACKOFF_EXCEEDED in reasons)
        if applies and not rule["onJobFailureMessagePatterns"].items():
            return rule["action"].text or ""
    return "RestartJobSet"


@resource_rule(
    "pathways-flags",
    Severity.ERROR,
    [JOB_SET],
    remedy="Let the flags follow from the workers: their replicas, and the slice of their node selector.",
    source="PathwaysJob controller v0.1.4: how it sets the flags of resource manager and proxy",
)
def flags_follow_from_workers(value: Value, _: Context) -> Iterator[Problem]:
    """Resource manager and proxy are told of the slices that there are: as many instances as the workers have replicas,
    of their type, and no more elastic ones than that.
    """
    jobset = JobSet(value)
    if len(jobset.tpu_jobs) != 1:
        return
    workers = jobset.tpu_jobs[0]
    for container in (container for head in jobset.heads for container in head.pod.containers):
        for name, text, place in arguments(container):
            number = int(text) if text.isdecimal() and len(text) < 10 else None
            if number is not None and workers.replicas is not None:
                yield from _wrong_count(name, number, workers.replicas, place)
            wanted = workers.slice.pathways_instance_type if workers.slice else None
            if name == "instance_type" and wanted and text != wanted:
                message = f"The resource manager is told of {quoted(text)}, the workers are on {wanted}."
                yield Problem(place, message, f"Write --instance_type={wanted}.")


def _wrong_count(flag: str, number: int, replicas: int, place: Value) -> Iterator[Problem]:
    if flag == "instance_count" and number != replicas:
        message = f"The resource manager is told of {counted(number, 'slice')}, the workers have {replicas}."
        yield Problem(place, message, f"Write --instance_count={replicas}.")
    if flag in ELASTIC_FLAGS and number > replicas:
        message = f"{counted(number, 'slice')} may be away, and the job has {replicas}."
        yield Problem(place, message, f"Write {replicas} at most.")


@resource_rule(
    "jobset-restarts-not-negative",
    Severity.ERROR,
    [JOB_SET],
    remedy="Write 0 or more.",
    source="kubernetes-sigs/jobset#1279: a negative number of replicas is accepted up to 0.12.0",
)
def counts_are_not_negative(value: Value, _: Context) -> Iterator[Problem]:
    """A JobSet has no negative number of replicas or restarts: JobSet takes both, and makes nothing of them."""
    jobset = JobSet(value)
    if not jobset.tpu_jobs:
        return
    for count in [jobset.spec.at("failurePolicy", "maxRestarts"), *(job.value["replicas"] for job in jobset.jobs)]:
        if count.number is not None and count.number < 0:
            yield Problem(count, f"{count.path[-1]} is negative: {count}.")


@resource_rule(
    "jobset-references",
    Severity.ERROR,
    [JOB_SET],
    remedy="Name one of the replicated jobs, within their numbers.",
    source="JobSet: its webhook refuses references to replicated jobs that it does not have",
)
def references_are_kept(value: Value, _: Context) -> Iterator[Problem]:
    """What a JobSet says of its replicated jobs (policies, coordinator, dependencies) is about jobs that it has, and it
    has either a startup order or dependencies.
    """
    jobset = JobSet(value)
    if not jobset.tpu_jobs or any(job.value["name"].text is None for job in jobset.jobs):
        return
    names = [job.name for job in jobset.jobs]
    for name in _named_jobs(jobset):
        if name.text is not None and name.text not in names:
            meant = did_you_mean(nearest(name.text, names))
            yield Problem(name, sentence(f"{name} is no replicated job; there are {', '.join(names)}{meant}"))
    dependencies = [job.value["dependsOn"] for job in jobset.jobs if job.value["dependsOn"].items()]
    if dependencies and jobset.spec.at("startupPolicy", "startupPolicyOrder").text == "InOrder":
        yield Problem(dependencies[0], "Dependencies beside the startup order InOrder.", "Keep one of them.")
    coordinator = jobset.spec["coordinator"]
    for job in jobset.jobs:
        if job.name == coordinator["replicatedJob"].text:
            yield from _index_within(coordinator["jobIndex"], job.replicas)
            yield from _index_within(coordinator["podIndex"], job.parallelism)


def _named_jobs(jobset: JobSet) -> Iterator[Value]:
    policies = [jobset.spec["successPolicy"], *jobset.spec.at("failurePolicy", "rules").items()]
    for policy in policies:
        yield from policy["targetReplicatedJobs"].items()
    yield jobset.spec.at("coordinator", "replicatedJob")
    for job in jobset.jobs:
        yield from (dependency["name"] for dependency in job.value["dependsOn"].items())


def _index_within(index: Value, count: int | None) -> Iterator[Problem]:
    if index.number is not None and count is not None and index.number >= count:
        yield Problem(index, f"{index.path[-1]} is {index}, and there are {count}: they count from 0.")


@resource_rule(
    "host-network-names",
    Severity.WARNING,
    [JOB_SET],
    remedy="Write dnsPolicy ClusterFirstWithHostNet.",
    source="Kubernetes documentation, DNS for Services and Pods",
)
def names_resolve_on_the_host_network(value: Value, _: Context) -> Iterator[Problem]:
    """Pods on the host network still ask the cluster for names: by default they ask the node, which does not know the
    other pods of the JobSet.
    """
    jobset = JobSet(value)
    for job in jobset.jobs if jobset.tpu_jobs else ():
        policy = job.pod.spec["dnsPolicy"]
        if job.pod.spec["hostNetwork"].is_true and policy.text in (None, "ClusterFirst") and not policy.unknown:
            yield Problem(policy, f"{job.name} is on the host network, and asks the node for names.")


@resource_rule(
    "shared-memory-bounded",
    Severity.WARNING,
    [JOB_SET],
    remedy="Write a sizeLimit below the container's memory limit.",
    source="Kubernetes documentation, Volumes: a memory volume counts against the memory of containers that write it",
)
def shared_memory_is_bounded(value: Value, _: Context) -> Iterator[Problem]:
    """A memory volume has a size limit below the memory limit of each container that mounts it: else a data loader that
    fills it ends the container.
    """
    jobset = JobSet(value)
    for job in jobset.jobs if jobset.tpu_jobs else ():
        for volume in job.pod.spec["volumes"].items():
            if volume.at("emptyDir", "medium").text == "Memory":
                yield from _bounded(job, volume)


def _bounded(job: ReplicatedJob, volume: Value) -> Iterator[Problem]:
    limit = volume.at("emptyDir", "sizeLimit")
    size = parse_quantity(limit.content)
    if limit.absent:
        yield Problem(volume, f"The memory volume {volume['name']} of {job.name} has no size limit.")
    for container in job.pod.containers:
        mounts = {mount["name"].text for mount in container["volumeMounts"].items()}
        memory = requested(container, "memory") if volume["name"].text in mounts else None
        allowed = parse_quantity(container.at("resources", "limits", "memory").content) or memory
        if volume["name"].text in mounts and size is not None and allowed is not None and size >= allowed:
            yield Problem(limit, f"The memory volume takes {limit}, the container {container['name']} may use no more.")
