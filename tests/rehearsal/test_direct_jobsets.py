"""JobSets that the product writes itself, on the real API server, JobSet webhooks and scheduler."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import yaml

from pathways.manifests import colocated_head_priorities, manifest_of, priority_class
from pathways.manifests.labels import HEAD_LABELS, group_labels
from pathways.settings import StackSettings
from sandbox.control_plane import ControlPlane
from sandbox.toolchain import Toolchain
from tests.rehearsal.cluster import Cluster, condition, free_ports, node, until
from tests.rehearsal.helm import jobset_chart
from tests.settings.stack_files import ABSENT, settings

pytestmark = pytest.mark.rehearsal

JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
NAME = "jobset.sigs.k8s.io/jobset-name"
TPU = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"}
JOB = ("workloads", 0)
SETTLED_SECONDS = 8

FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "in-job": {"recovery": "inJob"},
    "counting": {"maintenanceCounts": True},
    "exit-codes": {"noRestartOnExitCodes": [2, 3]},
    "headless": {"mode": "headless", "image": ABSENT, "command": ABSENT},
    "elastic": {"elastic": {"slices": 1}},
    "elastic-pausing": {"elastic": {"slices": 2, "mode": "pauseResume"}, "noRestartOnExitCodes": [2]},
    "colocated": {"head": {"colocated": True}},
    "colocated-headless": {"head": {"colocated": True}, "mode": "headless", "image": ABSENT, "command": ABSENT},
    "everything": {
        "elastic": {"slices": 1},
        "head": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "a"}], "serviceAccount": "heads"},
        "workers": {"tolerations": [{"key": "a"}], "serviceAccount": "workers", "sharedMemoryGib": 8},
        "components": {
            "sidecar": {"image": "example/sidecar:jax-0.8.3", "flags": ["--a"], "env": {"A": "1"}},
            "proxy": {"env": {"B": "2"}, "flags": ["--b=1"]},
        },
        "resources": {"sharedMemoryGib": 4},
        "mounts": [{"path": "/data", "claim": "data"}, {"path": "/keys", "secret": "keys", "readOnly": True}],
        "profiling": {"token": {"secret": "profiler"}},
        "persistence": True,
        "port": 8000,
        "metrics": True,
        "timeToLiveSeconds": 60,
        "imagePullPolicy": "IfNotPresent",
        "imagePullSecrets": ["registry"],
        "labels": {"team": "a"},
        "annotations": {"team": "a"},
    },
    "large": {"kind": "multislice", "resources": {"cpus": 20, "memoryGib": 512, "sharedMemoryGib": 256}},
    "odd": {"resources": {"cpus": 1, "memoryGib": 3}},
    "multislice": {"kind": "multislice"},
    "multislice-everything": {
        "kind": "multislice",
        "hostNetwork": False,
        "privileged": True,
        "sharesGroup": True,
        "autocheckpoint": True,
        "noRestartOnExitCodes": [2],
        "resources": {"cpus": 8, "memoryGib": 16, "sharedMemoryGib": 4},
        "mounts": [{"path": "/data", "claim": "data"}],
        "timeToLiveSeconds": 60,
    },
}


def stack(version: str, **values: Any) -> StackSettings:
    install = {"pathwaysJob": {"enabled": False}, "jobset": {"version": version}}
    changes = [((*JOB, key), value) for key, value in values.items()]
    return settings((("install",), install), (("namespace",), "default"), *changes)


def rendered(version: str, **values: Any) -> dict[str, Any]:
    found = stack(version, **values)
    return manifest_of(found, found.workloads[0])


@pytest.fixture(scope="module", params=["0.11.1", "0.12.0"])
def served(request: pytest.FixtureRequest, programs: Toolchain, tmp_path_factory) -> Iterator[tuple[str, Cluster]]:
    """A version of JobSet with its gate for slices, and a cluster of the example's group without its spare."""
    version = request.param
    plane = ControlPlane(tmp_path_factory.mktemp("control-plane"), programs, free_ports())
    try:
        plane.create()
        (group,) = stack(version).slices
        for pool in ("v6e-0", "v6e-1"):
            labels = {**TPU, **group_labels(group)}
            plane.add_nodes([node(pool, number, chips=4, labels=labels) for number in range(4)])
        plane.add_nodes([node("heads", number, labels=HEAD_LABELS) for number in range(2)])
        cluster = Cluster.of(plane)
        install(cluster, programs, version)
        yield version, cluster
    finally:
        plane.delete()


def install(cluster: Cluster, programs: Toolchain, version: str) -> None:
    cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "jobset-system"}}])
    objects = jobset_chart(programs, version)
    for each in objects:
        if each["kind"] == "ConfigMap" and version == "0.12.0":
            (key,) = each["data"]
            gate = {"featureGates": {"RestartJob": True}}
            each["data"][key] = yaml.safe_dump({**yaml.safe_load(each["data"][key]), **gate})
    cluster.apply(objects)
    until(partial(available, cluster), "JobSet is available")


def available(cluster: Cluster) -> bool:
    deployments = cluster.items("/apis/apps/v1/namespaces/jobset-system/deployments")
    return bool(deployments) and all(condition(one, "Available") == "True" for one in deployments)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_taken(served, form):
    version, cluster = served
    manifest = rendered(version, **FORMS[form])
    answer = cluster.post(JOBSETS, manifest, dryRun="All", fieldValidation="Strict")
    assert answer.status_code == 201, answer.text
    assert list(altered(manifest, answer.json())) == []  # else every preview would replace the job


def altered(sent: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Yields what the API server keeps otherwise than it was sent; what it adds is its own."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        for key, value in sent.items():
            yield from altered(value, kept.get(key), f"{path}.{key}")
    elif isinstance(sent, list) and isinstance(kept, list) and len(sent) == len(kept):
        for number, (one, other) in enumerate(zip(sent, kept, strict=True)):
            yield from altered(one, other, f"{path}[{number}]")
    elif sent != kept:
        yield f"{path}: {sent} became {kept}"


def test_a_colocated_head_needs_its_own_priority(served):  # facts/pathways_job.md 1.9
    version, cluster = served
    found = stack(version, head={"colocated": True}, priority="low-prior-job")
    ours = manifest_of(found, found.workloads[0])
    for name, value in {**found.priorities, **colocated_head_priorities(found)}.items():
        assert cluster.post(CLASSES, priority_class(name, value)).status_code == 201
    assert ran(cluster, with_priority(ours, "low-prior-job")) < 9  # eight hosts and a head
    assert ran(cluster, ours) == 9


def with_priority(jobset: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns the JobSet with a head of that priority."""
    changed = copy.deepcopy(jobset)
    changed["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["priorityClassName"] = name
    return changed


def ran(cluster: Cluster, jobset: dict[str, Any]) -> int:
    """Returns how many pods of a JobSet ran before nothing more happened, and takes it away."""
    name = jobset["metadata"]["name"]
    assert cluster.post(JOBSETS, jobset).status_code == 201
    seen, since = 0, time.monotonic()
    while time.monotonic() - since < SETTLED_SECONDS and seen < 9:
        pods = cluster.pods(labelSelector=f"{NAME}={name}")
        running = sum(pod["status"]["phase"] == "Running" for pod in pods)
        if running != seen:
            seen, since = running, time.monotonic()
        time.sleep(0.2)
    cluster.delete(f"{JOBSETS}/{name}")
    until(lambda: not cluster.pods(labelSelector=f"{NAME}={name}"), f"{name} is gone")
    return seen
