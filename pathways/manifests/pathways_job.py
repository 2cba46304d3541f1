"""The PathwaysJob of a workload."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.manifests.colocation import TPU_TOLERATION, head_priority_class
from pathways.manifests.controller.containers import (
    PROXY_COMPONENT,
    RESOURCE_MANAGER_COMPONENT,
    SIDECAR_COMPONENT,
    WORKER_COMPONENT,
)
from pathways.manifests.controller.job import COLOCATED
from pathways.manifests.labels import HEAD_LABELS, group_selector
from pathways.manifests.main_container import main_container, placement, plain_value, share_memory, variable, volumes
from pathways.manifests.objects import Manifest, job_metadata
from pathways.manifests.program import program_variables
from pathways.quantities import binary_quantity
from pathways.runtime import MAIN_CONTAINER, image_tag
from pathways.settings import Component, PathwaysWorkload, StackSettings


def pathways_job(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    """Return the PathwaysJob. Its workers are bound to the group's nodes, a batch job's head to the head pool.

    The head of a headless job has no template, hence no selector: only the taint of TPU nodes keeps it on the CPU pool.
    """
    spec: Manifest = {
        "maxRestarts": workload.job_restarts,
        **({"pathwaysDir": settings.scratch.location} if settings.scratch.enabled else {}),
        "pathwaysVersion": image_tag(settings.jax_of(workload)),
        "controller": _controller(settings, workload),
        "workers": [_workers(settings, workload)],
    }
    if components := list(_components(settings, workload)):
        spec["customComponents"] = components
    return {
        "apiVersion": "pathways-job.pathways.domain/v1",
        "kind": "PathwaysJob",
        "metadata": job_metadata(settings, workload),
        "spec": spec,
    }


def _controller(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    mode = COLOCATED if workload.head.colocated else "default"
    controller: Manifest = {"deploymentMode": mode, "mainContainerName": MAIN_CONTAINER}
    if workload.metrics:
        controller["enableMetricsCollection"] = True
    if workload.elastic:
        controller["elasticSlices"] = workload.elastic.slices
    if workload.mode == "batch":
        controller["template"] = {"spec": _batch_head(settings, workload)}
    return controller


def _workers(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    group = settings.group(workload.slices.group)
    workers: Manifest = {
        "type": group.slice.machine_type,
        "topology": group.slice.topology_text,
        "numSlices": workload.slices.count,
        "nodeSelector": {**workload.workers.node_selector, **group_selector(group)},
        "terminationGracePeriodSeconds": workload.grace_seconds,
    }
    if workload.elastic:
        workers["maxSliceRestarts"] = workload.retries_per_host
    if workload.priority:
        workers["priorityClassName"] = workload.priority
    return workers


def _batch_head(settings: StackSettings, workload: PathwaysWorkload) -> Manifest:
    """Return the pod spec of a head, but for what the controller adds.

    It is never restarted in place: a restart would fail the job and take the pod, with its logs, away.
    """
    own = workload.resources
    amount = {"cpu": str(own.cpus), "memory": binary_quantity(own.memory_gib * 1024)}
    resources = {"requests": amount, "limits": dict(amount)}
    main = main_container(MAIN_CONTAINER, workload, program_variables(settings, workload), resources)
    if workload.port:
        main["ports"] = [{"containerPort": workload.port}]
    pod = {"restartPolicy": "Never", **head_placement(workload), "containers": [main]}
    if mounted := list(volumes(workload)):
        pod["volumes"] = mounted
    share_memory(pod, own.shared_memory, main)
    return pod


def head_placement(workload: PathwaysWorkload) -> Manifest:
    """Return what a head's pod spec says of where it runs, as whom, how urgently, and how long its end may take."""
    pod: Manifest = {"terminationGracePeriodSeconds": workload.grace_seconds, **placement(workload.head)}
    if workload.head.colocated:
        pod["tolerations"] = [*pod.get("tolerations", ()), dict(TPU_TOLERATION)]
    else:
        pod["nodeSelector"] = {**HEAD_LABELS, **workload.head.node_selector}
    if priority := head_priority_class(workload):
        pod["priorityClassName"] = priority
    return pod


def _components(settings: StackSettings, workload: PathwaysWorkload) -> Iterator[Manifest]:
    """Yield what a job says of Pathways' own containers."""
    own = workload.components
    yield from _component(RESOURCE_MANAGER_COMPONENT, own.resource_manager)
    yield from _component(PROXY_COMPONENT, own.proxy, compiler_flags(settings, workload))
    yield from _component(WORKER_COMPONENT, own.workers)
    if own.sidecar:
        yield {"componentType": SIDECAR_COMPONENT, "image": own.sidecar.image}


def _component(kind: str, component: Component, flags: tuple[str, ...] = ()) -> Iterator[Manifest]:
    found: Manifest = {}
    if component.image:
        found["image"] = component.image
    if all_flags := [*component.flags, *flags]:
        found["customFlags"] = all_flags
    if component.env:
        found["customEnv"] = [variable(name, plain_value(value)) for name, value in component.env.items()]
    if found:
        yield {"componentType": kind, **found}


def compiler_flags(settings: StackSettings, workload: PathwaysWorkload) -> tuple[str, ...]:
    """Return XLA's flags. The compiler runs in the proxy, so they are its."""
    xla = workload.xla
    place = f"{settings.scratch.dump_location}/{workload.name}/" if xla.dump else xla.dump_to
    return (*xla.flags, *((f"--xla_dump_to={place}",) if place else ()))
