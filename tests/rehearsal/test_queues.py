"""Queues on the real Kueue: two teams share a group's slices, and a job pushes another out of its own team's queue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import yaml

from components.kueue_install import CONFIGURATION
from pathways.manifests import (
    cluster_queues,
    cohort,
    local_queues,
    manifest_of,
    namespace,
    priority_class,
    resource_flavors,
    workload_priority_classes,
)
from pathways.manifests.labels import HEAD_LABELS, group_labels
from pathways.settings import StackSettings, parse_settings
from sandbox.cluster_view import view
from sandbox.control_plane import ControlPlane
from sandbox.toolchain import Toolchain, ensure
from tests.rehearsal.cluster import Cluster, condition, free_ports, node, until
from tests.rehearsal.conftest import PROJECT
from tests.rehearsal.helm import jobset_chart, render

pytestmark = pytest.mark.rehearsal

SHAPE = {"machineType": "ct6e-standard-4t", "topology": "2x4"}
GROUP = {"name": "v6e", **SHAPE, "count": 2, "spares": 1, "capacity": {"spot": {}}}
TPU = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}
WORKERS = "jobset.sigs.k8s.io/replicatedjob-name in (worker, slice)"
PATHWAYS_JOBS = "/apis/pathways-job.pathways.domain/v1/namespaces/teams/pathwaysjobs"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/teams/jobsets"


def job(name: str, queue: str, kind: str = "pathways", priority: str = "usual") -> dict[str, Any]:
    """A job of one slice, which is two hosts."""
    slices = {"group": "v6e", "count": 1}
    return {"name": name, "kind": kind, "queue": queue, "priority": priority, "slices": slices, "image": "a:1"}


def stack(*jobs: dict[str, Any], controller: bool = True) -> StackSettings:
    platform = {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "namespace": "teams",
        "head": {"maxNodes": 3},
        "slices": [GROUP],
        "queues": [{"name": "research", "slices": {"v6e": 1}}, {"name": "product", "slices": {"v6e": 1}}],
        "priorities": {"usual": 1000, "urgent": 2000},
        "workloads": list(jobs),
        "install": {"pathwaysJob": {"enabled": controller}, "jobset": {"version": "0.11.1"}},
    }
    return parse_settings(platform, project="rehearsed", stack="teams", source="Pulumi.teams.yaml")


@pytest.fixture(scope="module")
def programs() -> Toolchain:
    return ensure(["etcd", "kubernetes", "kwok", "jobset-0.11.1", "kueue", "pulumi-resource-kubernetes"])


@pytest.fixture(scope="module")
def teams(programs: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with the group, its spare included, the controllers and both teams' queues."""
    plane = ControlPlane(tmp_path_factory.mktemp("control-plane"), programs, free_ports())
    try:
        plane.create()
        (group,) = stack().slices
        for pool in range(group.pools):
            labels = {**TPU, **group_labels(group)}
            plane.add_nodes([node(f"v6e-{pool}", number, chips=4, labels=labels) for number in range(2)])
        plane.add_nodes([node("heads", number, labels=HEAD_LABELS) for number in range(3)])
        cluster = Cluster.of(plane)
        install(cluster, programs)
        yield cluster
    finally:
        plane.delete()


def install(cluster: Cluster, programs: Toolchain) -> None:
    spaces = ("jobset-system", "kueue-system")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in spaces)
    cluster.apply(jobset_chart(programs, "0.11.1"))
    cluster.apply(yaml.safe_load_all((PROJECT / "sandbox" / "pathways_job" / "install.yaml").read_text()))
    until(partial(available, cluster, "jobset-system"), "JobSet is available")
    image = {"repository": "registry.k8s.io/kueue/kueue", "tag": "v0.17.0"}
    values = {
        "fullnameOverride": "kueue",
        "controllerManager": {"manager": {"image": image}},
        "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(CONFIGURATION)},
    }
    provider = programs.path("pulumi-resource-kubernetes")
    cluster.apply(render(provider, programs.chart("kueue"), "kueue-system", values))
    until(partial(available, cluster, "kueue-system"), "Kueue is available")
    settings = stack()
    cluster.apply([namespace("teams"), *(priority_class(*each) for each in settings.priorities.items())])
    cluster.apply([*resource_flavors(settings), cohort(settings), *cluster_queues(settings)])
    cluster.apply([*local_queues(settings), *workload_priority_classes(settings)])


def available(cluster: Cluster, space: str) -> bool:
    deployments = cluster.items(f"/apis/apps/v1/namespaces/{space}/deployments")
    return bool(deployments) and all(condition(one, "Available") == "True" for one in deployments)


def send(cluster: Cluster, settings: StackSettings, name: str) -> None:
    manifest = next(manifest_of(settings, each) for each in settings.workloads if each.name == name)
    path = PATHWAYS_JOBS if manifest["kind"] == "PathwaysJob" else JOBSETS
    answer = cluster.post(path, manifest)
    assert answer.status_code == 201, answer.text


def running(cluster: Cluster) -> list[str]:
    """Names of the jobs all of whose workers run; each has a slice of two hosts."""
    pods = cluster.pods("teams", labelSelector=WORKERS)
    owners = [
        pod["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"]
        for pod in pods
        if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
    ]
    return sorted(name for name in set(owners) if owners.count(name) == 2)


def await_running(cluster: Cluster, *names: str) -> None:
    until(lambda: running(cluster) == sorted(names), f"{', '.join(names)} and no other jobs run")


def clear(cluster: Cluster) -> None:
    for path in (PATHWAYS_JOBS, JOBSETS):
        for each in cluster.items(path):
            if not each["metadata"].get("ownerReferences"):
                cluster.delete(f"{path}/{each['metadata']['name']}")
    until(lambda: not cluster.pods("teams"), "all jobs are gone")


FORMS = {"PathwaysJob": ("pathways", True), "JobSet": ("pathways", False), "multislice": ("multislice", False)}


@pytest.mark.parametrize("form", FORMS)
def test_what_a_team_leaves_idle_another_uses_until_it_is_wanted_back(teams: Cluster, form: str) -> None:
    """Both slices go to research while product is idle; product then gets its own back, and the spare stays a spare."""
    kind, controller = FORMS[form]
    jobs = [job("first", "research", kind), job("second", "research", kind), job("other", "product", kind)]
    settings = stack(*jobs, controller=controller)
    try:
        send(teams, settings, "first")
        await_running(teams, "first")
        send(teams, settings, "second")
        await_running(teams, "first", "second")

        send(teams, settings, "other")
        until(lambda: "other" in running(teams) and len(running(teams)) == 2, "each team runs a job")
        seen = {each.name: each.waits_in for each in view(teams.plane.kubeconfig).jobs}
        assert sorted(seen.values(), key=str) == [None, None, "research"]  # who waits, as `status` tells

        teams.delete(f"{PATHWAYS_JOBS if controller and kind == 'pathways' else JOBSETS}/other")
        await_running(teams, "first", "second")  # the one that gave way comes back by itself
    finally:
        clear(teams)


def test_an_urgent_job_pushes_out_a_usual_one_of_its_own_team_alone(teams: Cluster) -> None:
    settings = stack(job("usual", "research"), job("theirs", "product"), job("urgent", "research", priority="urgent"))
    try:
        for name in ("usual", "theirs"):
            send(teams, settings, name)
        await_running(teams, "usual", "theirs")
        send(teams, settings, "urgent")
        await_running(teams, "urgent", "theirs")
    finally:
        clear(teams)
