"""What a workload becomes in Kubernetes."""

from __future__ import annotations

from pathways.manifests.controller.jobset import HEAD
from pathways.manifests.multislice_jobset import multislice_jobset
from pathways.manifests.objects import Manifest
from pathways.manifests.overrides import merged
from pathways.manifests.pathways_job import pathways_job
from pathways.manifests.pathways_jobset import pathways_jobset
from pathways.runtime import SERVICE_SUFFIX
from pathways.settings import MultisliceWorkload, PathwaysWorkload, StackSettings, Workload


def manifest_of(settings: StackSettings, workload: Workload) -> Manifest:
    """Return the object that a workload becomes: a PathwaysJob where its controller is installed, else a JobSet; a
    JobSet always without Pathways. The workload's overrides are in it.
    """
    if isinstance(workload, MultisliceWorkload):
        rendered = multislice_jobset(settings, workload)
    elif settings.install.pathways_job.enabled:
        rendered = pathways_job(settings, workload)
    else:
        rendered = pathways_jobset(settings, workload)
    overridden: Manifest = merged(rendered, workload.overrides.patch)
    return overridden


def service_of(settings: StackSettings, workload: Workload) -> Manifest | None:
    """Return the Service that leads to a job's program, where it serves on a port."""
    if not isinstance(workload, PathwaysWorkload) or workload.port is None:
        return None
    selector = {"jobset.sigs.k8s.io/jobset-name": workload.name, "jobset.sigs.k8s.io/replicatedjob-name": HEAD}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"{workload.name}{SERVICE_SUFFIX}", "namespace": settings.namespace},
        "spec": {"selector": selector, "ports": [{"port": workload.port, "targetPort": workload.port}]},
    }


def accounts_off_the_host_network(settings: StackSettings) -> list[str]:
    """Return the service accounts as which jobs reach Google Cloud, by Workload Identity; others do as their nodes."""
    jobs = [job for job in settings.workloads if isinstance(job, MultisliceWorkload) and not job.host_network]
    return list(dict.fromkeys(job.workers.service_account or "default" for job in jobs))


def service_accounts(settings: StackSettings) -> list[str]:
    """Return the service accounts that jobs name, and that the stack therefore makes."""
    heads = [job.head for job in settings.workloads if isinstance(job, PathwaysWorkload)]
    pods = [*heads, *(job.workers for job in settings.workloads)]
    named = dict.fromkeys(each.service_account for each in pods if each.service_account)
    return [name for name in named if name != "default"]
