"""PathwaysJobs and JobSets as rules see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pathways.manifests.controller.job import ACCELERATOR_LABEL, COLOCATED, TOPOLOGY_LABEL
from pathways.manifests.controller.jobset import EXCLUSIVE_TOPOLOGY
from pathways.manifests.labels import MACHINE_TYPE_LABEL
from pathways.quantities import parse_quantity
from pathways.rules.kinds import JOB_SET, JOBS, PATHWAYS_JOB
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.runtime import MAIN_CONTAINER
from pathways.tpu import IllegalSlice, Machine, Slice, catalog, parse_slice

TPU = "google.com/tpu"
INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
PATHWAYS_IMAGE = re.compile(r"(^|/)pathways/(server|proxy_server)([:@]|$)")


@dataclass(frozen=True)
class Pod:
    """A pod's spec. main: its containers that the job waits for. sidecars: its init containers, which may go on."""

    spec: Value

    @property
    def main(self) -> list[Value]:
        return self.spec["containers"].items()

    @property
    def sidecars(self) -> list[Value]:
        return self.spec["initContainers"].items()

    @property
    def containers(self) -> list[Value]:
        return [*self.sidecars, *self.main]

    def asks(self, resource: str) -> Fraction:
        """Return how much the main containers ask for together."""
        return sum((amount for each in self.main if (amount := requested(each, resource))), Fraction(0))

    @cached_property
    def tpus(self) -> int:
        """Chips that the pod asks for."""
        amounts = (requested(container, TPU) for container in self.containers)
        return int(sum(amount for amount in amounts if amount))

    @property
    def selector(self) -> Value:
        return self.spec["nodeSelector"]


def requested(container: Value, resource: str) -> Fraction | None:
    """Return what the scheduler counts for a container: its request, or else its limit."""
    for kind in ("requests", "limits"):
        amount = parse_quantity(container.at("resources", kind, resource).content)
        if amount is not None:
            return amount
    return None


def arguments(container: Value) -> Iterator[tuple[str, str, Value]]:
    """Yield name, text and place of every flag of a container that is written as --name=text."""
    for key in ("command", "args"):
        for argument in container[key].items():
            found = re.fullmatch(r"--([A-Za-z_]+)=(.*)", argument.text or "", re.DOTALL)
            if found:
                yield found[1], found[2], argument


def is_resource_manager(container: Value) -> bool:
    return any(name == "node_type" and text == "resource_manager" for name, text, _ in arguments(container))


def is_pathways(container: Value) -> bool:
    """Whether the container is Pathways' own: by its image, or by flags that no other program has."""
    if PATHWAYS_IMAGE.search(container["image"].text or "") or is_resource_manager(container):
        return True
    return any(name == "resource_manager_address" for name, _, _ in arguments(container))


class ReplicatedJob:
    """One of the replicated jobs of a JobSet."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.job = value.at("template", "spec")
        self.pod = Pod(self.job.at("template", "spec"))

    @property
    def name(self) -> str:
        return self.value["name"].text or ""

    @property
    def replicas(self) -> int | None:
        return 1 if self.value["replicas"].absent else self.value["replicas"].number

    @property
    def parallelism(self) -> int | None:
        """Pods of one job."""
        return 1 if self.job["parallelism"].absent else self.job["parallelism"].number

    @property
    def has_pathways(self) -> bool:
        return any(map(is_pathways, self.pod.containers))

    def annotations(self, key: str) -> list[Value]:
        """Return what is annotated at the job's template and at the pod's, the one that prevails first."""
        places = (self.value.at("template", "metadata"), self.job.at("template", "metadata"))
        return [value for place in places if not (value := place.at("annotations", key)).absent]

    @cached_property
    def machine(self) -> Machine | None:
        """The machine type that the pods are bound to, or the only one that fits what they ask for."""
        labels = self.pod.selector.labels()
        for label in (MACHINE_TYPE_LABEL, INSTANCE_TYPE_LABEL):
            if label in labels:
                return catalog().machines.get(labels[label])
        topology = labels.get(TOPOLOGY_LABEL, "")
        machines = [
            machine
            for machine in machines_of_accelerator(labels.get(ACCELERATOR_LABEL, ""))
            if machine.chips == self.pod.tpus
        ]
        fitting = [machine for machine in machines if topology in machine.topologies]
        return next(iter(fitting or machines), None)

    @cached_property
    def slice(self) -> Slice | None:
        """The slice that each of its jobs runs on, where the pods tell a legal one."""
        topology = self.pod.selector[TOPOLOGY_LABEL].text
        try:
            return parse_slice(self.machine.name, topology) if self.machine and topology else None
        except IllegalSlice:
            return None


class JobSet:
    """A JobSet. Rules about TPUs pass over one whose pods ask for none."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.spec = value["spec"]
        self.jobs = [ReplicatedJob(each) for each in self.spec["replicatedJobs"].items()]

    @cached_property
    def tpu_jobs(self) -> list[ReplicatedJob]:
        return [job for job in self.jobs if job.pod.tpus > 0]

    @cached_property
    def is_pathways(self) -> bool:
        """Whether one program drives all slices through Pathways; else every host runs the program."""
        return any(job.has_pathways for job in self.jobs)

    @property
    def heads(self) -> list[ReplicatedJob]:
        """The replicated jobs with a resource manager or a proxy."""
        return [job for job in self.jobs if job.has_pathways and not job.pod.tpus]

    def exclusive_topology(self, job: ReplicatedJob) -> list[Value]:
        """Return every annotation about exclusive placement that is over a job's pods, the one that prevails first."""
        own = self.value.at("metadata", "annotations", EXCLUSIVE_TOPOLOGY)
        return [*([] if own.absent else [own]), *job.annotations(EXCLUSIVE_TOPOLOGY)]


class PathwaysJob:
    """A PathwaysJob."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.spec = value["spec"]
        self.worker = self.spec["workers"][0]
        self.controller = self.spec["controller"]
        self.pod = Pod(self.controller.at("template", "spec"))

    @property
    def slices(self) -> int | None:
        return self.worker["numSlices"].number

    @property
    def elastic_slices(self) -> int:
        return self.controller["elasticSlices"].number or 0

    @property
    def headless(self) -> bool:
        return self.controller["template"].absent

    @property
    def colocated(self) -> bool:
        return self.controller["deploymentMode"].text == COLOCATED

    @property
    def main_container_name(self) -> str | None:
        name = self.controller["mainContainerName"]
        return MAIN_CONTAINER if name.absent else name.text

    @property
    def main_container(self) -> Value | None:
        named = (each for each in self.pod.main if each["name"].text == self.main_container_name)
        return next(named, None)

    @cached_property
    def slice(self) -> Slice | None:
        machine, topology = self.worker["type"].text, self.worker["topology"].text
        try:
            return parse_slice(machine, topology) if machine and topology else None
        except IllegalSlice:
            return None


@dataclass(frozen=True)
class Workers:
    """The TPU pods of a job. slices: that it wants; at: where it says so. selector: of their nodes, as it is asked for.

    pathways: whether one program drives them all.
    """

    job: Value
    at: Value
    slices: int | None
    slice: Slice | None
    selector: dict[str, str]
    pathways: bool


def workers_of(job: Value) -> list[Workers]:
    """Return the workers of a PathwaysJob or of a JobSet, one for each shape of slice that it has."""
    if job.resource.kind == PATHWAYS_JOB:
        pathways = PathwaysJob(job)
        place, slice_ = pathways.worker["numSlices"], pathways.slice
        selector = {**pathways.worker["nodeSelector"].labels(), **(tpu_selector(slice_) if slice_ else {})}
        return [Workers(job, place, pathways.slices, slice_, selector, pathways=True)]
    jobset = JobSet(job)
    return [
        Workers(job, each.value["replicas"], each.replicas, each.slice, each.pod.selector.labels(), jobset.is_pathways)
        for each in jobset.tpu_jobs
    ]


def tpu_selector(slice_: Slice) -> dict[str, str]:
    """Return the labels that GKE gives to the nodes of a slice."""
    return {ACCELERATOR_LABEL: slice_.accelerator, TOPOLOGY_LABEL: slice_.topology_text}


def all_workers(stack: Stack) -> Iterator[Workers]:
    for job in stack.each(*JOBS):
        yield from workers_of(job)


def job_name(job: Value) -> str:
    return job.at("metadata", "name").text or job.resource.name


def pods_of(job: Value) -> list[Pod]:
    """Return the pods that a job describes itself; not those that the controller adds."""
    if job.resource.kind == JOB_SET:
        return [each.pod for each in JobSet(job).jobs]
    return [PathwaysJob(job).pod]


def machines_of_accelerator(accelerator: str) -> list[Machine]:
    """Return the machine types whose nodes have that accelerator label."""
    return [machine for machine in catalog().machines.values() if machine.generation.accelerator == accelerator]
