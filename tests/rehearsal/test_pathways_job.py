"""JobSet and the PathwaysJob controller on the real control plane."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
import yaml

from sandbox.toolchain import Toolchain
from tests.rehearsal.cluster import POOL, Cluster, annotation, condition, until
from tests.rehearsal.helm import jobset_chart

pytestmark = pytest.mark.rehearsal

GOLDEN = Path(__file__).resolve().parents[1] / "manifests" / "golden"
JOBS = "/apis/pathways-job.pathways.domain/v1/namespaces/default/pathwaysjobs"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
NAME = "jobset.sigs.k8s.io/jobset-name"
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
INDEX = "jobset.sigs.k8s.io/job-index"


def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((GOLDEN / f"{name}.pathwaysjob.yaml").read_text())
    return found


def two_slices(name: str) -> dict[str, Any]:
    """A PathwaysJob of two slices of the cluster's kind."""
    manifest = golden("01-v4-default-2slices")
    manifest["metadata"]["name"] = name
    manifest["spec"]["workers"] = [{"type": "ct6e-standard-4t", "topology": "4x4", "numSlices": 2}]
    return manifest


def create(cluster: Cluster, manifest: dict[str, Any]) -> None:
    answer = cluster.post(JOBS, manifest)
    assert answer.status_code == 201, answer.text


def running(cluster: Cluster, name: str) -> list[dict[str, Any]]:
    pods = cluster.pods(labelSelector=f"{NAME}={name}")
    return [pod for pod in pods if pod["status"]["phase"] == "Running" and condition(pod, "Ready") == "True"]


def statuses(cluster: Cluster, name: str) -> list[tuple[str, str]]:
    conditions = cluster.get(f"{JOBS}/{name}").get("status", {}).get("conditions", [])
    return [(one["type"], one["status"]) for one in conditions]


def remove(cluster: Cluster, name: str) -> None:
    cluster.delete(f"{JOBS}/{name}")
    until(lambda: cluster.pods(labelSelector=f"{NAME}={name}") == [], f"the pods of {name} are gone")


def test_a_pathways_job_of_two_slices_runs_each_slice_on_its_own_pool_and_the_head_on_cpus(installed: Cluster) -> None:
    create(installed, two_slices("hello"))
    until(lambda: len(running(installed, "hello")) == 9, "head and 2 x 4 workers run")
    pools = {one["metadata"]["name"]: one["metadata"]["labels"][POOL] for one in installed.items("/api/v1/nodes")}
    slices: dict[str, set[str]] = defaultdict(set)
    for pod in running(installed, "hello"):
        labels = pod["metadata"]["labels"]
        slices[f"{labels[ROLE]}-{labels[INDEX]}"].add(pools[pod["spec"]["nodeName"]])
    assert slices.pop("pathways-head-0") == {"cpu"}
    assert {len(used) for used in slices.values()} == {1}
    assert len(set.union(*slices.values())) == 2
    until(lambda: statuses(installed, "hello") == [("Pending", "False"), ("Running", "True")], "its status says so")
    remove(installed, "hello")
    assert installed.items(JOBSETS) == []


def test_a_finished_head_completes_the_pathways_job(installed: Cluster) -> None:
    create(installed, two_slices("done"))
    until(lambda: len(running(installed, "done")) == 9, "head and 2 x 4 workers run")
    [head] = installed.pods(labelSelector=f"{NAME}=done,{ROLE}=pathways-head")
    installed.merge(f"/api/v1/namespaces/default/pods/{head['metadata']['name']}", annotation("succeeded"))
    until(lambda: installed.get(f"{JOBS}/done")["status"].get("terminalState") == "Completed", "it is completed")
    assert statuses(installed, "done")[-1] == ("Completed", "True")
    remove(installed, "done")


def jobset_without_its_target() -> dict[str, Any]:
    container = {"name": "main", "image": "python:3.13"}
    replicated = {"name": "workers", "template": {"spec": {"template": {"spec": {"containers": [container]}}}}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "astray"},
        "spec": {
            "replicatedJobs": [replicated],
            "successPolicy": {"operator": "All", "targetReplicatedJobs": ["gone"]},
        },
    }


def test_jobsets_webhook_refuses_what_its_schema_lets_through(installed: Cluster) -> None:
    answer = installed.post(JOBSETS, jobset_without_its_target())
    assert answer.status_code in (403, 422)
    assert "denied the request" in answer.text
    assert "gone" in answer.json()["message"]


# Of the published custom resource, as the API server of 1.33 judged it: who is refused, and in which words.
REFUSED = {
    "20-bad-machine-type": 'spec.workers[0].type: Unsupported value: "ct6e-standard-1t"',
    "22-bad-no-controller": "spec.controller: Required value",
    "25-bad-deployment-mode": 'spec.controller.deploymentMode: Unsupported value: "Default"',
    "26-two-workers": "spec.workers: Too many: 2: must have at most 1 item",
    "27-dup-components": 'spec.customComponents[1]: Duplicate value: {"componentType":"worker"}',
}


@pytest.mark.parametrize("name", [file.name.split(".")[0] for file in sorted(GOLDEN.glob("*.pathwaysjob.yaml"))])
def test_the_custom_resource_accepts_and_refuses_as_the_published_one(installed: Cluster, name: str) -> None:
    answer = installed.post(JOBS, golden(name), dryRun="All")
    if name in REFUSED:
        assert answer.status_code == 422
        assert REFUSED[name] in answer.json()["message"]
    else:
        assert answer.status_code == 201, answer.text


def without(manifest: dict[str, Any], *path: str) -> dict[str, Any]:
    changed = deepcopy(manifest)
    inner = changed["spec"]
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return changed


def with_value(manifest: dict[str, Any], value: Any, *path: str | int) -> dict[str, Any]:
    changed = deepcopy(manifest)
    inner: Any = changed["spec"]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


BASE = golden("01-v4-default-2slices")
MAIN = {"name": "main-workload", "image": "python:3.12"}
UPDATES = [
    ("no change", BASE, None),
    ("maxRestarts change", with_value(BASE, 3, "maxRestarts"), "maxRestarts is immutable"),
    ("maxRestarts removed", without(BASE, "maxRestarts"), None),
    ("pathwaysDir change", with_value(BASE, "gs://other", "pathwaysDir"), "pathwaysDir is immutable"),
    ("pathwaysDir removed", without(BASE, "pathwaysDir"), None),
    ("pathwaysVersion added", with_value(BASE, "jax-0.8.3", "pathwaysVersion"), None),
    ("workers.numSlices change", with_value(BASE, 3, "workers", 0, "numSlices"), "workers are immutable"),
    (
        "workers.nodeSelector change",
        with_value(BASE, {"a": "b"}, "workers", 0, "nodeSelector"),
        "workers are immutable",
    ),
    (
        "deploymentMode change",
        with_value(BASE, "colocate_head_with_workers", "controller", "deploymentMode"),
        "deploymentMode is immutable",
    ),
    ("mainContainerName change", with_value(BASE, "other", "controller", "mainContainerName"), None),
    ("elasticSlices change", with_value(BASE, 1, "controller", "elasticSlices"), None),
    ("enableMetricsCollection added", with_value(BASE, True, "controller", "enableMetricsCollection"), None),
    (
        "template image change",
        with_value(BASE, [MAIN], "controller", "template", "spec", "containers"),
        "userPodTemplate is immutable",
    ),
    ("template removed", without(BASE, "controller", "template"), None),
    ("customComponents added", with_value(BASE, [{"componentType": "worker"}], "customComponents"), None),
    ("controller removed", without(BASE, "controller"), "spec.controller: Required value"),
]


@pytest.fixture(scope="module")
def probed(installed: Cluster) -> dict[str, Any]:
    """A PathwaysJob in the cluster, for which there are no nodes."""
    create(installed, BASE)
    made: dict[str, Any] = installed.get(f"{JOBS}/{BASE['metadata']['name']}")
    return made


def try_update(cluster: Cluster, path: str, changed: dict[str, Any]) -> httpx2.Response:
    """What an update would be answered with, once the controller has not just written the status."""
    while True:
        version = cluster.get(path)["metadata"]["resourceVersion"]
        metadata = {**changed["metadata"], "resourceVersion": version}
        answer = cluster.http.put(path, json={**changed, "metadata": metadata}, params={"dryRun": "All"})
        if answer.status_code != httpx2.codes.CONFLICT:
            return answer


@pytest.mark.parametrize(("change", "changed", "refusal"), UPDATES, ids=[update[0] for update in UPDATES])
def test_updates_are_accepted_and_refused_as_by_the_published_resource(
    installed: Cluster, probed: dict[str, Any], change: str, changed: dict[str, Any], refusal: str | None
) -> None:
    answer = try_update(installed, f"{JOBS}/{probed['metadata']['name']}", changed)
    if refusal is None:
        assert answer.status_code == 200, f"{change}: {answer.text}"
    else:
        assert answer.status_code == 422, f"{change}: {answer.text}"
        assert refusal in answer.json()["message"]


@pytest.mark.parametrize("name", ["18-bad-topology", "10-custom-components", "23-long-name"])
def test_what_the_controller_or_jobset_refuses_fails_without_a_condition(installed: Cluster, name: str) -> None:
    manifest = golden(name)
    create(installed, manifest)
    path = f"{JOBS}/{manifest['metadata']['name']}"
    until(lambda: installed.get(path).get("status", {}).get("terminalState") == "Failed", "it is marked as failed")
    assert "conditions" not in installed.get(path)["status"]
    assert installed.http.get(f"{JOBSETS}/{manifest['metadata']['name']}").status_code == 404
    installed.delete(path)


def controller_pod(cluster: Cluster, namespace: str) -> dict[str, Any]:
    [pod] = cluster.pods(namespace)
    return pod


def kill(installed: Cluster, process: str) -> None:
    [killed] = [one.pid for one in installed.plane.processes() if one.name == process]
    os.kill(killed, signal.SIGKILL)


def restarts(installed: Cluster, namespace: str) -> int:
    [status] = controller_pod(installed, namespace)["status"]["containerStatuses"]
    return int(status["restartCount"])


def test_jobset_s_controller_when_killed_is_not_ready_until_it_serves_again(installed: Cluster) -> None:
    before = restarts(installed, "jobset-system")
    kill(installed, "jobset-controller")
    until(lambda: condition(controller_pod(installed, "jobset-system"), "Ready") == "False", "its pod is not ready")
    until(lambda: condition(controller_pod(installed, "jobset-system"), "Ready") == "True", "its pod is ready again")
    assert restarts(installed, "jobset-system") == before + 1


def test_the_pathways_job_controller_when_killed_is_started_again_and_its_pod_tells_so(installed: Cluster) -> None:
    """It is back so soon that the moment in which its pod is not ready may be missed."""
    before = restarts(installed, "pathways-job-system")
    kill(installed, "pathways-job-controller")
    until(lambda: restarts(installed, "pathways-job-system") == before + 1, "its pod tells of the restart")
    until(lambda: condition(controller_pod(installed, "pathways-job-system"), "Ready") == "True", "its pod is ready")


def test_after_a_stop_the_webhooks_serve_when_resume_returns(installed: Cluster) -> None:
    create(installed, two_slices("lasting"))
    until(lambda: len(running(installed, "lasting")) == 9, "head and 2 x 4 workers run")
    before = {pod["metadata"]["uid"] for pod in running(installed, "lasting")}
    installed.plane.stop()
    installed.plane.resume()
    assert {pod["metadata"]["uid"] for pod in running(installed, "lasting")} == before
    remove(installed, "lasting")
    create(installed, two_slices("next"))
    until(lambda: len(running(installed, "next")) == 9, "head and 2 x 4 workers run")
    remove(installed, "next")


def test_a_deployment_without_pods_has_no_process(installed: Cluster) -> None:
    path = "/apis/apps/v1/namespaces/pathways-job-system/deployments/pathways-job-controller-manager"

    def names() -> set[str]:
        return {process.name for process in installed.plane.processes()}

    installed.merge(path, {"spec": {"replicas": 0}})
    until(lambda: installed.pods("pathways-job-system") == [], "its pod is gone")
    assert "pathways-job-controller" not in names()
    installed.merge(path, {"spec": {"replicas": 1}})
    until(lambda: "pathways-job-controller" in names(), "its process runs again")


def test_an_unknown_version_cannot_be_pulled_and_the_old_one_serves_on(installed: Cluster) -> None:
    path = "/apis/apps/v1/namespaces/jobset-system/deployments/jobset-controller"
    template = installed.get(path)["spec"]["template"]
    container = {**template["spec"]["containers"][0], "image": "registry.k8s.io/jobset/jobset:v0.1.0"}
    installed.merge(path, {"spec": {"template": {"spec": {"containers": [container]}}}})

    def reasons() -> set[str]:
        statuses = [
            one for pod in installed.pods("jobset-system") for one in pod["status"].get("containerStatuses", [])
        ]
        return {one["state"]["waiting"]["reason"] for one in statuses if "waiting" in one["state"]}

    [serving] = [one.pid for one in installed.plane.processes() if one.name == "jobset-controller"]
    until(lambda: "ErrImagePull" in reasons(), "its pod says that the image cannot be pulled")
    assert [one.pid for one in installed.plane.processes() if one.name == "jobset-controller"] == [serving]
    assert condition(installed.get(path), "Available") == "True"


def test_another_version_takes_over(installed: Cluster, programs: Toolchain) -> None:
    installed.apply(jobset_chart(programs, "0.12.0"))
    path = "/apis/apps/v1/namespaces/jobset-system/deployments/jobset-controller"

    def rolled_out() -> bool:
        deployment = installed.get(path)
        status = deployment["status"]
        return status.get("observedGeneration") == deployment["metadata"]["generation"] and (
            status.get("replicas"),
            status.get("updatedReplicas"),
            status.get("readyReplicas"),
        ) == (1, 1, 1)

    until(rolled_out, "the new controller has replaced the old one")
    [process] = [one.pid for one in installed.plane.processes() if one.name == "jobset-controller"]
    assert "jobset-0.12.0" in psutil.Process(process).exe()
    refused = installed.post(JOBSETS, jobset_without_its_target())
    assert "denied the request" in refused.text
