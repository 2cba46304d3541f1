"""What the parts of a stack file say about each other: names that must exist, counts and sizes that must suffice.

Read from the mapping as it is written, so that all of it is checked though other values are wrong. What is not of the
kind that it must be is passed over: its own validator complains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic_core import ValidationError

from pathways.documents import Path
from pathways.heads import HeadDemand
from pathways.runtime import COLOCATED_HEAD_PREFIX, SERVICE_SUFFIX
from pathways.settings.base import ZONE, Settings
from pathways.settings.containers import GIB, Resources
from pathways.settings.direct_form import needs_direct_form
from pathways.settings.head import HeadSettings
from pathways.settings.install import JOBSET_ALONE, can_restart_slices, has_controller
from pathways.settings.pathways_workload import has_head_in_pool
from pathways.tpu import CpuMachine, IllegalSlice, Machine, Slice, cpu_machines, parse_slice, why_not_in_zone
from pathways.wording import did_you_mean, listed, nearest, quoted

Written = Mapping[str, Any]
Found = Iterator[tuple[Path, str]]
Model = TypeVar("Model", bound=Settings)


def cross_check(written: Written) -> Found:
    """Yield path and message of everything that does not fit together."""
    for check in CHECKS:
        yield from check(written)


def equal_names(written: Written) -> Found:
    for key in ("slices", "queues", "workloads", "tpuVms"):
        first: dict[str, int] = {}
        for index, item in _mappings(written, key):
            name = item.get("name")
            if isinstance(name, str) and first.setdefault(name, index) != index:
                yield (key, index, "name"), f"{quoted(name)} is the name of {key}[{first[name]}] as well"


def equal_priorities(written: Written) -> Found:
    first: dict[int, str] = {}
    for name, value in _mapping(written, "priorities").items():
        if type(value) is int and first.setdefault(value, name) != name:
            message = f"{value} is the value of {first[value]} as well: neither would give way to the other"
            yield ("priorities", name), message


def unknown_replaceable_jobs(written: Written) -> Found:
    """A job that is to go is named first, deployed, and taken out then: what is not declared cannot be unprotected."""
    jobs = {str(job.get("name")): None for _, job in _mappings(written, "workloads")}
    named = written.get("replaceable")
    for index, name in enumerate(named if isinstance(named, list) else ()):
        if isinstance(name, str) and name not in jobs:
            message = f"{quoted(name)} is no job; legal: {_listed(jobs)}"
            yield ("replaceable", index), message + did_you_mean(nearest(name, jobs))


def names_that_the_product_gives(written: Written) -> Found:
    """Services of jobs that serve, and priorities of colocated heads."""
    jobs = [(index, job, str(job.get("name"))) for index, job in _mappings(written, "workloads")]
    services = {f"{name}{SERVICE_SUFFIX}": name for _, job, name in jobs if job.get("port") is not None}
    for index, _, name in jobs:
        if name in services:
            yield ("workloads", index, "name"), f"{quoted(name)} is the Service of {services[name]}, which has a port"
    for name in _mapping(written, "priorities"):
        if name.startswith("system-"):
            yield ("priorities", name), "begins with system-, which Kubernetes keeps for itself"
        if name.startswith(COLOCATED_HEAD_PREFIX):
            yield ("priorities", name), f"begins with {COLOCATED_HEAD_PREFIX}, as priorities of colocated heads do"


def undeclared_priorities(written: Written) -> Found:
    declared = _mapping(written, "priorities")
    for index, workload in _mappings(written, "workloads"):
        name = workload.get("priority")
        if isinstance(name, str) and name not in declared:
            message = f"{quoted(name)} is not declared in priorities; legal: {_listed(declared)}"
            yield ("workloads", index, "priority"), message + did_you_mean(nearest(name, declared))


def jobs_outside_of_queues(written: Written) -> Found:
    """A job in no queue takes slices that queues count on."""
    queues = {str(queue.get("name")): None for _, queue in _mappings(written, "queues")}
    for index, workload in _mappings(written, "workloads"):
        name, path = workload.get("queue"), ("workloads", index, "queue")
        if name is None and queues:
            yield path, f"is missing: where there are queues, each job is in one; legal: {_listed(queues)}"
        elif isinstance(name, str) and name not in queues:
            message = f"{quoted(name)} is not declared in queues; legal: {_listed(queues)}"
            yield path, message + did_you_mean(nearest(name, queues))


def more_guaranteed_than_there_is(written: Written) -> Found:
    """Spares are no queue's: they take the place of slices that fail."""
    groups = _groups(written)
    given: dict[str, list[int]] = {}
    for index, queue in _mappings(written, "queues"):
        for name, slices in _mapping(queue, "slices").items():
            path, count = ("queues", index, "slices", name), groups.get(name, {}).get("count")
            if name not in groups:
                message = f"{quoted(name)} is no group of slices; legal: {_listed(groups)}"
                yield path, message + did_you_mean(nearest(name, groups))
            elif type(slices) is int and type(count) is int:
                before = given.setdefault(name, [])
                before.append(slices)
                if sum(before) > count:
                    sums = f"{' + '.join(map(str, before))} = {sum(before)}" if len(before) > 1 else str(slices)
                    yield path, f"{sums} slices are guaranteed, {quoted(name)} has {count}; lower it or add slices"


def too_few_heads_for_queues(written: Written) -> Found:
    """A guaranteed slice is worth nothing to a Pathways job without a node for its head."""
    queues = [queue for _, queue in _mappings(written, "queues") if _mapping(queue, "slices")]
    heads = [job for _, job in _mappings(written, "workloads") if has_head_in_pool(job)]
    nodes = _mapping(written, "head").get("maxNodes")
    if heads and type(nodes) is int and nodes < len(queues):
        yield (
            ("head", "maxNodes"),
            f"{nodes} is less than the {len(queues)} queues with slices of their own; raise it",
        )


def headless_jobs_that_would_be_misled(written: Written) -> Found:
    """Source: Kueue 0.17: a pod without a node selector takes the next flavor where the first has no quota at all."""
    jobs = [job for _, job in _mappings(written, "workloads") if has_head_in_pool(job)]
    nodes = _mapping(written, "head").get("maxNodes")
    if not has_controller(written.get("install")) or type(nodes) is not int or nodes >= len(jobs):
        return
    for index, job in _mappings(written, "workloads"):
        if job.get("mode") == "headless" and job.get("queue") is not None:
            message = (
                "a headless PathwaysJob has no node selector, and its queue would send its head to a TPU host when"
            )
            remedy = f"raise head.maxNodes to {len(jobs)}, or write install: {{pathwaysJob: {{enabled: false}}}}"
            yield ("workloads", index, "mode"), f"{message} all {nodes} nodes for heads are taken; {remedy}"


def unknown_groups(written: Written) -> Found:
    groups = _groups(written)
    for path, request in _requests(written):
        name = request.get("group")
        if isinstance(name, str) and name not in groups:
            message = f"{quoted(name)} is no group of slices; legal: {_listed(groups)}"
            yield (*path, "group"), message + did_you_mean(nearest(name, groups))


def generations_that_the_zone_lacks(written: Written) -> Found:
    """Where lists are not complete, the plan's rule warns instead."""
    zone = written.get("zone")
    if not isinstance(zone, str) or not re.fullmatch(ZONE, zone):
        return
    slices = [_slice(item) for key in ("slices", "tpuVms") for _, item in _mappings(written, key)]
    wanted = dict.fromkeys(slice_.generation for slice_ in slices if slice_ is not None)
    lacking = [generation for generation in wanted if generation.is_offered_in(zone) is False]
    if lacking:
        yield ("zone",), "; ".join(fault for each in lacking if (fault := why_not_in_zone(each, zone)))


def too_many_slices_wanted(written: Written) -> Found:
    groups = _groups(written)
    for path, request in _requests(written):
        group, wanted = groups.get(str(request.get("group")), {}), request.get("count")
        count, spares = group.get("count"), group.get("spares")
        if type(wanted) is int and type(count) is int and wanted > count:
            has = f"{count} (and {spares} spare)" if type(spares) is int and spares > 0 else str(count)
            message = f"{wanted} slices wanted, group {quoted(group['name'])} has {has}; lower it or add slices"
            yield (*path, "count"), message


def slices_that_the_controller_refuses(written: Written) -> Found:
    """The PathwaysJob controller knows fewer machine types and topologies than there are."""
    groups = _groups(written)
    for path, request in _requests(written, kind="pathways"):
        slice_ = _slice(groups.get(str(request.get("group")), {}))
        if slice_ is not None and slice_.pathways_instance_type is None:
            message = f"{quoted(request['group'])} has slices that the PathwaysJob controller does not take ({slice_})"
            yield (*path, "group"), f"{message}; legal for it: {_legal_for_controller(slice_)}"


def slices_that_cannot_work_together(written: Written) -> Found:
    """Source: GKE documentation, Multislice: environments of single-host slices are not supported."""
    groups = _groups(written)
    for path, request in _requests(written, kind="multislice"):
        slice_, count = _slice(groups.get(str(request.get("group")), {})), request.get("count")
        if slice_ is not None and slice_.hosts == 1 and type(count) is int and count > 1:
            message = f"{count} slices of a single host ({slice_}) do not work together; write 1, or take larger slices"
            yield (*path, "count"), message


def settings_of_direct_jobsets(written: Written) -> Found:
    """What a PathwaysJob has no field for."""
    if not has_controller(written.get("install")):
        return
    remedy = "write install: {pathwaysJob: {enabled: false}}, and jobs are JobSets; or take it away"
    for index, workload in _mappings(written, "workloads"):
        for path, what in needs_direct_form(workload):
            yield ("workloads", index, *path), f"{what}: {remedy}"


def slice_recovery_without_its_jobset(written: Written) -> Found:
    install = _mapping(written, "install")
    if has_controller(install) or can_restart_slices(install):
        return
    version = _mapping(install, "jobset").get("version")
    for index, workload in _mappings(written, "workloads"):
        if workload.get("recovery") == "slice":
            message = f"slice needs JobSet {JOBSET_ALONE}, install.jobset.version is {version}; take job or inJob"
            yield ("workloads", index, "recovery"), message


def head_too_small(written: Written) -> Found:
    """Resource manager, proxy and the job's own container are one pod, on one node of the head pool."""
    pool = _mapping(written, "head")
    machine = cpu_machines().get(str(pool.get("machineType", HeadSettings.model_fields["machine_type"].default)))
    if machine is None:
        return
    heads = {str(job.get("name")): demand for _, job in _mappings(written, "workloads") if (demand := _head(job))}
    too_large = {job: demand for job, demand in heads.items() if not demand.fits(machine)}
    if too_large:
        job, demand = max(too_large.items(), key=lambda item: sum(item[1].memory))
        remedy = did_you_mean(_smallest_machine(demand, machine)) or "; lower the job's resources"
        yield ("head", "machineType"), f"{demand.excess_over(machine)} by the head of {quoted(job)}{remedy}"


def hosts_too_small(written: Written) -> Found:
    """What runs on the hosts of slices: heads beside workers, and programs without Pathways."""
    groups = _groups(written)
    for index, workload in _mappings(written, "workloads"):
        slice_ = _slice(groups.get(str(_mapping(workload, "slices").get("group")), {}))
        machine = slice_.machine if slice_ else None
        if machine is None or has_head_in_pool(workload):
            continue
        for what, wanted, offered in _asked_of_host(workload, machine):
            if offered is not None and wanted > offered:
                message = f"{wanted} {what} are asked of a host, {machine.name} has {offered}; lower it"
                yield ("workloads", index, "resources"), message


def _asked_of_host(workload: Written, machine: Machine) -> Iterator[tuple[str, int, int | None]]:
    if workload.get("kind") == "multislice":
        own = _mapping(workload, "resources")
        cpus, memory = own.get("cpus"), own.get("memoryGib")
    else:
        demand = _demand(workload)
        cpus, memory = (math.ceil(sum(demand.cpus)), math.ceil(sum(demand.memory) / GIB)) if demand else (None, None)
    yield "CPUs", cpus if type(cpus) is int else 0, machine.vcpus
    yield "GiB", memory if type(memory) is int else 0, machine.memory_gb


def places_that_jobs_lack(written: Written) -> Found:
    """Profiles and dumps of the compiler go to the scratch bucket, where jobs name no other place."""
    scratch = _mapping(written, "scratch")
    for index, workload in _mappings(written, "workloads"):
        profiling, path = workload.get("profiling"), ("workloads", index)
        if scratch.get("enabled") is False and isinstance(profiling, dict) and profiling.get("locations") is None:
            message = "is missing: scratch.enabled is false, and there is no other place; write gs://BUCKET/PREFIX"
            yield (*path, "profiling", "locations"), message
        xla = _mapping(workload, "xla")
        if xla.get("dump") is True and "dumpTo" not in xla and "dumps" not in scratch:
            message = "is to go to scratch.dumps, which is missing; write scratch: {dumps: {}}, or a place in dumpTo"
            yield (*path, "xla", "dump"), message


CHECKS: Sequence[Callable[[Written], Found]] = (
    equal_names,
    equal_priorities,
    undeclared_priorities,
    jobs_outside_of_queues,
    more_guaranteed_than_there_is,
    too_few_heads_for_queues,
    headless_jobs_that_would_be_misled,
    unknown_replaceable_jobs,
    names_that_the_product_gives,
    unknown_groups,
    generations_that_the_zone_lacks,
    too_many_slices_wanted,
    slices_that_the_controller_refuses,
    slices_that_cannot_work_together,
    settings_of_direct_jobsets,
    slice_recovery_without_its_jobset,
    head_too_small,
    hosts_too_small,
    places_that_jobs_lack,
)


def _head(workload: Written) -> HeadDemand | None:
    """Return what a job's head asks of the head pool, or None where it has none there, or its resources are wrong."""
    if not has_head_in_pool(workload):
        return None
    return _demand(workload)


def _demand(workload: Written) -> HeadDemand | None:
    own = _valid(Resources, workload.get("resources", {}))
    if own is None:
        return None
    return HeadDemand.of_controller(None if workload.get("mode") == "headless" else (own.cpus, own.memory_bytes))


def _smallest_machine(demand: HeadDemand, machine: CpuMachine) -> list[str]:
    """Return the smallest machine type that suffices, of the same series where there is one; empty if none does."""
    fitting = [other for other in cpu_machines().values() if demand.fits(other)]
    series = [other for other in fitting if other.series == machine.series] or fitting
    return [other.name for other in sorted(series, key=lambda other: other.vcpus)[:1]]


def _legal_for_controller(slice_: Slice) -> str:
    """Return what the controller takes in place of the slice: other topologies, or other machine types."""
    if slice_.machine.pathways_type:
        return listed(list(slice_.machine.controller_topologies))
    return " ".join(machine.name for machine in slice_.generation.machines if machine.pathways_type)


def _slice(group: Written) -> Slice | None:
    """Return the slice of a group, or None where its own validator finds fault with it."""
    tpu, machine_type, topology = (group.get(key) for key in ("tpu", "machineType", "topology"))
    try:
        if isinstance(tpu, str):
            return parse_slice(tpu)
        if isinstance(machine_type, str) and isinstance(topology, str):
            return parse_slice(machine_type, topology)
    except IllegalSlice:
        pass
    return None


def _valid(model: type[Model], written: Any) -> Model | None:
    try:
        return model.model_validate(written)
    except ValidationError:
        return None


def _groups(written: Written) -> dict[str, Written]:
    """Return the groups by name; of equal names the first."""
    groups: dict[str, Written] = {}
    for _, group in _mappings(written, "slices"):
        if isinstance(group.get("name"), str):
            groups.setdefault(group["name"], group)
    return groups


def _requests(written: Written, kind: str | None = None) -> Iterator[tuple[Path, Written]]:
    for index, workload in _mappings(written, "workloads"):
        if kind in (None, workload.get("kind")):
            yield ("workloads", index, "slices"), _mapping(workload, "slices")


def _mapping(written: Written, key: str) -> Written:
    value = written.get(key)
    return value if isinstance(value, dict) else {}


def _mappings(written: Written, key: str) -> Iterator[tuple[int, Written]]:
    items = written.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def _listed(names: Mapping[str, Any]) -> str:
    return listed(list(names)) or "none is declared"
