"""Rules about PathwaysJobs: what the API server takes, and the controller, JobSet or Pathways then fail at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from pathways.manifests.controller import jobset_of_pathways_job
from pathways.manifests.controller.containers import (
    PROXY_COMPONENT,
    RESOURCE_MANAGER_COMPONENT,
    SIDECAR_COMPONENT,
    WORKER_COMPONENT,
)
from pathways.manifests.controller.job import ACCELERATOR_LABEL, RETRIES_PER_VM, TOPOLOGY_LABEL
from pathways.manifests.controller.jobset import EXCLUSIVE_TOPOLOGY, POOL_LABEL
from pathways.rules.jobs import TPU, PathwaysJob
from pathways.rules.kinds import PATHWAYS_JOB
from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.values import Value
from pathways.runtime import PROXY, RESOURCE_MANAGER
from pathways.tpu import IllegalSlice, catalog, parse_slice
from pathways.wording import counted, sentence

CONTROLLER = "PathwaysJob controller v0.1.4, as it runs"
MAIN = "main container"


@resource_rule(
    "pathwaysjob-topology",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy="Take a machine type and a topology from `python -m pathways slice --all`.",
    source=CONTROLLER,
)
def topology_is_legal(value: Value, _: Context) -> Iterator[Problem]:
    """Machine type and topology of the workers are a slice that exists and that the controller takes, in its own
    spelling: otherwise the job ends as Failed without a reason, or its pods stay pending.
    """
    worker = PathwaysJob(value).worker
    machine_type, topology = worker["type"], worker["topology"]
    machine = catalog().machines.get(machine_type.text or "")
    if machine is None or topology.text is None or machine.pathways_type is None:
        return
    try:
        slice_ = parse_slice(machine.name, topology.text)
    except IllegalSlice as error:
        yield Problem(topology, sentence(str(error)))
        return
    if slice_.pathways_instance_type is None:
        count = len(machine.controller_topologies)
        yield Problem(topology, f"The controller knows {count} topologies of {machine.name}, and not {topology}.")


@resource_rule(
    "pathwaysjob-shape",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy="Write counts that can be kept, and the name of a container that the template has.",
    source=f"{CONTROLLER}; JobSet CRD: replicas default to 1",
)
def counts_are_possible(value: Value, _: Context) -> Iterator[Problem]:
    """A PathwaysJob has one entry of workers, one slice at least, no more elastic slices than slices, no negative
    count, and its main container: the API server accepts all of these, and the job fails, hangs or runs another way.
    """
    job = PathwaysJob(value)
    workers, slices, elastic = job.spec["workers"], job.worker["numSlices"], job.controller["elasticSlices"]
    if workers.content == []:
        yield Problem(workers, "No workers: the controller panics.", "Write one entry.")
    if slices.number == 0:
        yield Problem(slices, "0 slices become one: the number is left out of the JobSet, whose default is 1.")
    counts = [slices, elastic, job.worker["maxSliceRestarts"], job.spec["maxRestarts"]]
    for count in [*counts, job.worker["terminationGracePeriodSeconds"]]:
        if count.number is not None and count.number < 0:
            yield Problem(count, f"{count.path[-1]} is negative: {count}.", "Write 0 or more.")
    if elastic.number and slices.number and elastic.number > slices.number:
        yield Problem(
            elastic,
            f"{elastic} slices may be away, and the job has {slices}.",
            f"Write {slices} at most.",
        )
    named = [container["name"] for container in job.pod.main]
    if named and job.main_container_name is not None and all(name.text != job.main_container_name for name in named):
        if any(name.unknown for name in named):
            return
        names = ", ".join(map(str, named))
        yield Problem(
            job.controller["mainContainerName"],
            f'No container has the name "{job.main_container_name}"; there are {names}. None is told of the proxy.',
        )


@resource_rule(
    "pathways-built-in-variables",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy="Take the variable away: the controller sets it.",
    source=f"{CONTROLLER}; the JobSet CRD keeps variables in a list without equal names",
)
def variables_are_free(value: Value, _: Context) -> Iterator[Problem]:
    """No variable has the name of one that the controller sets on the same container, or of another there: it appends
    its own, and the JobSet is refused, which only the controller's log tells.
    """
    job = PathwaysJob(value)
    for container in job.pod.main:
        if container["name"].text == job.main_container_name:
            yield from _taken(container["env"], MAIN)
    for component in job.spec["customComponents"].items():
        kind = component["componentType"].text
        if kind in (RESOURCE_MANAGER_COMPONENT, PROXY_COMPONENT, WORKER_COMPONENT):
            yield from _taken(component["customEnv"], kind)
            yield from _repeated(component["customEnv"])


def _taken(variables: Value, container: str) -> Iterator[Problem]:
    for variable in variables.items():
        name = variable["name"]
        if name.text in built_in()[container].variables:
            yield Problem(name, f"The controller sets {name.text} as well: the JobSet is refused as having it twice.")


def _repeated(variables: Value) -> Iterator[Problem]:
    seen: set[str] = set()
    for variable in variables.items():
        name = variable["name"]
        if name.text in seen:
            yield Problem(name, f"{name.text} comes twice: the JobSet is refused.", "Keep one of them.")
        seen.add(name.text or "")


@resource_rule(
    "pathways-built-in-flags",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy="Take the flag away: it follows from other fields of the job.",
    source=CONTROLLER,
)
def flags_are_free(value: Value, _: Context) -> Iterator[Problem]:
    """No custom flag repeats one that the controller writes: ports, addresses, numbers of slices and the scratch place
    are then told twice, and the other parts of the job know the first alone.
    """
    for component in PathwaysJob(value).spec["customComponents"].items():
        known = built_in().get(component["componentType"].text or "")
        for flag in component["customFlags"].items():
            name = (flag.text or "").removeprefix("--").partition("=")[0]
            if known and name in known.flags:
                yield Problem(flag, f"The controller writes --{name} as well.")


class BuiltIn(NamedTuple):
    """What the controller gives a container: names of variables and of flags."""

    variables: frozenset[str]
    flags: frozenset[str]


@cache
def built_in() -> Mapping[str, BuiltIn]:
    """Return what the controller gives each kind of container: read off the JobSet that it makes of a bare job."""
    machine = next(machine for machine in catalog().machines.values() if machine.controller_topologies)
    workers = {"type": machine.name, "topology": next(iter(machine.topologies)), "numSlices": 1}
    template = {"spec": {"containers": [{"name": "main"}]}}
    controller = {"deploymentMode": "default", "elasticSlices": 1, "template": template}
    spec = {"workers": [workers], "controller": controller}
    jobset = jobset_of_pathways_job({"metadata": {"name": "bare"}, "spec": spec})
    head, worker = (job["template"]["spec"]["template"]["spec"] for job in jobset["spec"]["replicatedJobs"])
    sidecars = {container["name"]: container for container in head["initContainers"]}
    return {
        MAIN: _built_in(head["containers"][0]),
        RESOURCE_MANAGER_COMPONENT: _built_in(sidecars[RESOURCE_MANAGER.name]),
        PROXY_COMPONENT: _built_in(sidecars[PROXY.name]),
        WORKER_COMPONENT: _built_in(worker["containers"][0]),
    }


def _built_in(container: Mapping[str, Any]) -> BuiltIn:
    flags = (argument.removeprefix("--").partition("=")[0] for argument in container.get("args", ()))
    return BuiltIn(frozenset(variable["name"] for variable in container["env"]), frozenset(flags))


@resource_rule(
    "pathways-built-in-containers",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy="Give the container another name.",
    source=f"{CONTROLLER}; Kubernetes: names of containers and init containers differ",
)
def container_names_are_free(value: Value, _: Context) -> Iterator[Problem]:
    """No container of the template has the name of one that the controller adds to the head."""
    job = PathwaysJob(value)
    for container in job.pod.containers:
        if container["name"].text in (RESOURCE_MANAGER.name, PROXY.name):
            yield Problem(container["name"], f"The controller adds a container {container['name']} to the head itself.")


@resource_rule(
    "colocated-head",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy=f"Give the template a toleration of {TPU}, and a priority of another value than the workers'.",
    source=f"{CONTROLLER}; JobSet 0.11.1, run with the real scheduler",
    mild_when="head and workers have the same priority",
)
def colocated_head_can_start(value: Value, _: Context) -> Iterator[Problem]:
    """A head that is placed with the workers tolerates the taint of TPU nodes, which a headless one cannot, and has a
    priority of its own: with the workers' it keeps one slice from ever starting, unless there is a pool to spare.
    """
    job = PathwaysJob(value)
    mode = job.controller["deploymentMode"]
    if not job.colocated:
        return
    if job.headless:
        message = f"A headless head with the workers: it cannot be given a toleration of {TPU}."
        yield Problem(mode, message, "Write deploymentMode default, or give the job a template.")
    elif not any(map(_tolerates_tpus, job.pod.spec["tolerations"].items())) and job.pod.spec["tolerations"].certain:
        yield Problem(mode, f"The head is to share TPU nodes, and does not tolerate their taint {TPU}.")
    elif job.pod.spec["priorityClassName"].content == job.worker["priorityClassName"].content:
        message = "Head and workers have the same priority: with JobSet 0.11 and later one slice stays pending."
        yield Problem(mode, message, severity=Severity.WARNING)


def _tolerates_tpus(toleration: Value) -> bool:
    effect = toleration["effect"].text in (None, "", "NoSchedule")
    everything = toleration["key"].absent and toleration["operator"].text == "Exists"
    return effect and (toleration["key"].text == TPU or everything)


@resource_rule(
    "elastic-retries",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy=f"Write maxSliceRestarts {RETRIES_PER_VM}.",
    source=CONTROLLER,
)
def elasticity_keeps_retries(value: Value, _: Context) -> Iterator[Problem]:
    """An elastic job has no fewer worker retries than another: switching elasticity on leaves 1 for each VM of 4."""
    job = PathwaysJob(value)
    restarts = job.worker["maxSliceRestarts"]
    per_vm = 1 if restarts.absent else restarts.number
    if job.elastic_slices > 0 and per_vm is not None and 0 < per_vm < RETRIES_PER_VM:
        yield Problem(
            restarts,
            f"{counted(per_vm, 'restart')} for each VM, and without elastic slices it would be {RETRIES_PER_VM}.",
        )


@resource_rule(
    "pathwaysjob-ignored",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy="Take it away, or say it where it has an effect.",
    source=CONTROLLER,
)
def nothing_is_ignored(value: Value, _: Context) -> Iterator[Problem]:
    """A PathwaysJob says nothing that the controller drops: a sidecar without an image, flags and variables of a
    sidecar, slice restarts without elasticity, metadata of the template, GKE's own labels in the node selector, the
    head's node selector when it is colocated.
    """
    job = PathwaysJob(value)
    for component in job.spec["customComponents"].items():
        if component["componentType"].text == SIDECAR_COMPONENT:
            if component["image"].absent or component["image"].text == "":
                yield Problem(component, "A sidecar without an image: the controller adds none.", "Name its image.")
            for key in ("customFlags", "customEnv"):
                if component[key].items():
                    yield Problem(component[key], f"The controller ignores {key} of the sidecar.")
    for key, entry in job.worker["nodeSelector"].entries():
        if key in (ACCELERATOR_LABEL, TOPOLOGY_LABEL):
            yield Problem(entry, f"The controller overwrites {key}, by machine type and topology.")
    for key in ("labels", "annotations"):
        metadata = job.controller.at("template", "metadata", key)
        if list(metadata.entries()):
            yield Problem(metadata, f"The controller drops the {key} of the template.", "Put them on the PathwaysJob.")
    if job.colocated and list(job.pod.selector.entries()):
        yield Problem(job.pod.selector, "The controller replaces the node selector of a colocated head.")
    if job.elastic_slices <= 0 and job.worker["maxSliceRestarts"].number not in (None, 1):
        yield Problem(job.worker["maxSliceRestarts"], "maxSliceRestarts has no effect without elasticSlices.")


@resource_rule(
    "pathwaysjob-one-pool",
    Severity.ERROR,
    [PATHWAYS_JOB],
    remedy="Select by a label that all pools of the group share.",
    source=f"{CONTROLLER}: the selector goes to all slices",
)
def slices_are_not_in_one_pool(value: Value, _: Context) -> Iterator[Problem]:
    """A job of several slices is not bound to one node pool, which is one slice: the others would wait for ever."""
    job = PathwaysJob(value)
    pool = job.worker["nodeSelector"][POOL_LABEL]
    if pool.text and (job.slices or 0) > 1:
        yield Problem(pool, f"{job.slices} slices are bound to the one node pool {pool}.")


@resource_rule(
    "exclusive-topology-overridden",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy="Take the annotation away: the controller keeps slices apart itself.",
    source="JobSet: the annotation of the JobSet prevails over that of the pod template",
)
def placement_is_not_overridden(value: Value, _: Context) -> Iterator[Problem]:
    """A PathwaysJob has no annotation about exclusive placement: it lands on the JobSet and prevails over the
    controller's own, which keeps each slice to one node pool.
    """
    annotation = value.at("metadata", "annotations", EXCLUSIVE_TOPOLOGY)
    if annotation.text is not None and annotation.text != POOL_LABEL:
        yield Problem(annotation, f"Slices are kept apart by {annotation}, and no longer by {POOL_LABEL}.")


@resource_rule(
    "head-logs-kept",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy="Write restartPolicy Never in the template.",
    source="Kubernetes documentation, Jobs: with OnFailure the pod is removed at the back-off limit, which is 0 here",
)
def head_logs_are_kept(value: Value, _: Context) -> Iterator[Problem]:
    """A head that fails leaves its pod, with its logs: under JobSet's default policy OnFailure the pod is removed."""
    job = PathwaysJob(value)
    policy = job.pod.spec["restartPolicy"]
    if job.pod.main and not policy.unknown and policy.text != "Never":
        yield Problem(
            policy, f"The restart policy of the head is {policy.text or 'OnFailure'}: a failure removes its logs."
        )


@resource_rule(
    "head-not-ready-without-workers",
    Severity.WARNING,
    [PATHWAYS_JOB],
    remedy="Take the readiness probe away.",
    source=f"{CONTROLLER}: startup order InOrder, head first",
)
def head_is_ready_alone(value: Value, _: Context) -> Iterator[Problem]:
    """The head is ready without TPUs: workers are created once it is, so a readiness probe that needs them waits for
    ever.
    """
    for container in PathwaysJob(value).pod.containers:
        if container["readinessProbe"].present:
            yield Problem(container["readinessProbe"], "A readiness probe of the head: workers start once it succeeds.")
