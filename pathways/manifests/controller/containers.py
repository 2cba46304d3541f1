"""The containers that the controller adds to a job's pods."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pathways.manifests.controller.job import Job
from pathways.runtime import (
    HEAD_PORTS,
    PROXY,
    PROXY_IMAGE,
    PROXY_PORT,
    RESOURCE_MANAGER,
    RESOURCE_MANAGER_PORT,
    SERVER_IMAGE,
    SIDECAR_PORT,
    WORKER_PORT,
    WORKER_PORTS,
)

Container = dict[str, Any]

RESOURCE_MANAGER_COMPONENT = "pathways_server"
PROXY_COMPONENT = "proxy_server"
WORKER_COMPONENT = "worker"
SIDECAR_COMPONENT = "colocated_python_sidecar"

WORKER_CONTAINER = "pathways-worker"

SHARED_FOLDER = {"name": "shared-tmp", "mountPath": "/tmp"}
SHARED_VOLUME = {"name": "shared-tmp", "hostPath": {"path": "/tmp", "type": "DirectoryOrCreate"}}


def _from_label(name: str, label: str) -> Container:
    """Return a variable whose value is one of the labels that JobSet puts on the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['jobset.sigs.k8s.io/{label}']"}}}


def _from_annotation(name: str, annotation: str) -> Container:
    path = f"metadata.annotations['jobset.sigs.k8s.io/{annotation}']"
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


HEAD_ADDRESS = _from_label("PATHWAYS_HEAD", "coordinator")
JOBSET_NAME = _from_annotation("JOBSET_NAME", "jobset-name")
REPLICATED_JOB_NAME = _from_annotation("REPLICATED_JOB_NAME", "replicatedjob-name")


def main_variables() -> list[Container]:
    """Return what the job's own container is told."""
    return [
        deepcopy(HEAD_ADDRESS),
        {"name": "JAX_PLATFORMS", "value": "proxy"},
        {"name": "XCLOUD_ENVIRONMENT", "value": "GCP"},
        {"name": "JAX_BACKEND_TARGET", "value": f"grpc://$(PATHWAYS_HEAD):{PROXY_PORT}"},
    ]


def resource_manager(job: Job) -> Container:
    """Return the container that knows the slices."""
    return {
        "name": RESOURCE_MANAGER.name,
        "image": _image(job, RESOURCE_MANAGER_COMPONENT, SERVER_IMAGE),
        "imagePullPolicy": "Always",
        "args": [
            f"--server_port={RESOURCE_MANAGER_PORT}",
            f"--gcs_scratch_location={job.scratch}",
            "--node_type=resource_manager",
            f"--instance_count={job.slices}",
            f"--instance_type={job.instance_type}",
            *_metrics(job),
            *job.components.flags(RESOURCE_MANAGER_COMPONENT),
        ],
        "env": [
            deepcopy(REPLICATED_JOB_NAME),
            deepcopy(JOBSET_NAME),
            _from_label("HOST_ADDRESS", "coordinator"),
            {"name": "TPU_SKIP_MDS_QUERY", "value": "true"},
            *job.components.variables(RESOURCE_MANAGER_COMPONENT),
        ],
        "ports": _ports(*HEAD_PORTS[1:]),
        "resources": {"limits": RESOURCE_MANAGER.limits},
    }


def proxy(job: Job) -> Container:
    """Return the container that programs connect to. Of its flags, the number of elastic slices comes last."""
    elastic = [f"--num_elastic_slices={job.elastic_slices}"] if job.elastic_slices > 0 else []
    return {
        "name": PROXY.name,
        "image": _image(job, PROXY_COMPONENT, PROXY_IMAGE),
        "imagePullPolicy": "Always",
        "args": [
            f"--server_port={PROXY_PORT}",
            f"--resource_manager_address=$(PATHWAYS_HEAD):{RESOURCE_MANAGER_PORT}",
            f"--gcs_scratch_location={job.scratch}",
            *_metrics(job),
            *job.components.flags(PROXY_COMPONENT),
            *elastic,
        ],
        "env": [deepcopy(HEAD_ADDRESS), *job.components.variables(PROXY_COMPONENT)],
        "ports": _ports(PROXY_PORT),
        "resources": {"limits": PROXY.limits},
    }


def worker(job: Job) -> Container:
    """Return the container that drives the chips of one host."""
    return {
        "name": WORKER_CONTAINER,
        "image": _image(job, WORKER_COMPONENT, SERVER_IMAGE),
        "imagePullPolicy": "Always",
        "args": [
            f"--server_port={WORKER_PORT}",
            f"--resource_manager_address=$(PATHWAYS_HEAD):{RESOURCE_MANAGER_PORT}",
            f"--gcs_scratch_location={job.scratch}",
            *_metrics(job),
            *job.components.flags(WORKER_COMPONENT),
        ],
        "env": [
            {"name": "TPU_MIN_LOG_LEVEL", "value": "0"},
            {"name": "TF_CPP_MIN_LOG_LEVEL", "value": "0"},
            {"name": "XCLOUD_ENVIRONMENT", "value": "GCP"},
            {"name": "MEGASCALE_GRPC_ENABLE_XOR_TRACER", "value": "false"},
            _from_label("MEGASCALE_NUM_SLICES", "replicatedjob-replicas"),
            deepcopy(JOBSET_NAME),
            deepcopy(REPLICATED_JOB_NAME),
            _from_label("MEGASCALE_SLICE_ID", "job-index"),
            deepcopy(HEAD_ADDRESS),
            _from_label("MEGASCALE_COORDINATOR_ADDRESS", "coordinator"),
            *job.components.variables(WORKER_COMPONENT),
        ],
        "ports": _ports(*WORKER_PORTS),
        "resources": {"limits": {"google.com/tpu": str(job.chips_per_vm)}},
        "volumeMounts": [dict(SHARED_FOLDER)],
    }


def colocated_python_sidecars(job: Job) -> list[Container]:
    """Return the sidecar of the workers, if the job gives an image for it; its flags and variables are ignored."""
    image = job.components.image(SIDECAR_COMPONENT)
    if not image:
        return []
    sidecar = {
        "name": "colocated-python-sidecar",
        "image": image,
        "imagePullPolicy": "Always",
        "restartPolicy": "Always",
        # The quotes inside are the controller's.
        "env": [{"name": "GRPC_SERVER_ADDRESS", "value": f"'0.0.0.0:{SIDECAR_PORT}'"}],
        "ports": _ports(SIDECAR_PORT),
        "volumeMounts": [dict(SHARED_FOLDER)],
    }
    return [sidecar]


def _image(job: Job, component: str, repository: str) -> str:
    return job.components.image(component) or f"{repository}:{job.image_tag}"


def _metrics(job: Job) -> list[str]:
    return ["--enable_metrics_collection=true"] if job.metrics else []


def _ports(*numbers: int) -> list[Container]:
    return [{"containerPort": number} for number in numbers]
