"""The control plane by itself: its processes, its nodes, and pods that run until they are told to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from sandbox.control_plane import ControlPlane
from sandbox.toolchain import Toolchain
from tests.rehearsal.cluster import POOL, Cluster, annotation, condition, free_ports, job, node, until

pytestmark = pytest.mark.rehearsal

PROJECT = Path(__file__).resolve().parents[2]
COMPONENTS = {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"}


def phases(cluster: Cluster, name: str) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in cluster.pods(labelSelector=f"job-name={name}"))


def run(cluster: Cluster, manifest: dict[str, object]) -> None:
    assert cluster.post("/apis/batch/v1/namespaces/default/jobs", manifest).status_code == 201


def tell(cluster: Cluster, name: str, outcome: str) -> None:
    for pod in cluster.pods(labelSelector=f"job-name={name}"):
        cluster.merge(f"/api/v1/namespaces/default/pods/{pod['metadata']['name']}", annotation(outcome))


def test_every_component_runs_and_every_node_is_ready(cluster: Cluster) -> None:
    assert {process.name for process in cluster.plane.processes() if process.alive} == COMPONENTS
    nodes = cluster.items("/api/v1/nodes")
    assert len(nodes) == 14
    assert {condition(one, "Ready") for one in nodes} == {"True"}


def test_nothing_listens_but_on_loopback(cluster: Cluster) -> None:
    listening = [
        connection
        for process in cluster.plane.processes()
        for connection in psutil.Process(process.pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_only_who_has_a_token_is_answered(cluster: Cluster) -> None:
    stranger = cluster.http.build_request("GET", "/api/v1/nodes", headers={"Authorization": "Bearer wrong"})
    assert cluster.http.send(stranger).status_code == 401


def test_pods_of_a_job_run_until_they_are_told_to_end(cluster: Cluster) -> None:
    sidecar = {"name": "sidecar", "image": "proxy:1", "restartPolicy": "Always"}
    run(cluster, job("lasting", initContainers=[{"name": "setup", "image": "setup:1"}, sidecar], hostNetwork=True))
    until(lambda: phases(cluster, "lasting") == ["Running", "Running"], "both pods run")
    time.sleep(3)
    pods = cluster.pods(labelSelector="job-name=lasting")
    assert [pod["status"]["phase"] for pod in pods] == ["Running", "Running"]
    assert {condition(pod, "Ready") for pod in pods} == {"True"}
    setup, proxy = pods[0]["status"]["initContainerStatuses"]
    assert "terminated" in setup["state"]
    assert (proxy["ready"], proxy["started"], "running" in proxy["state"]) == (True, True, True)
    assert pods[0]["status"]["podIP"] == pods[0]["status"]["hostIP"]
    tell(cluster, "lasting", "succeeded")
    until(
        lambda: condition(cluster.get("/apis/batch/v1/namespaces/default/jobs/lasting"), "Complete") == "True",
        "the Job is complete",
    )


def test_a_pod_that_is_told_to_fail_fails_its_job(cluster: Cluster) -> None:
    run(cluster, job("failing"))
    until(lambda: phases(cluster, "failing") == ["Running", "Running"], "both pods run")
    tell(cluster, "failing", "failed")
    until(
        lambda: condition(cluster.get("/apis/batch/v1/namespaces/default/jobs/failing"), "Failed") == "True",
        "the Job has failed",
    )


def seconds_until_gone(
    cluster: Cluster, name: str, grace: int = 30, annotations: dict[str, str] | None = None
) -> float:
    """Makes a pod and deletes it; returns how long it took to end."""
    path = f"/api/v1/namespaces/default/pods/{name}"
    lone = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {
            "terminationGracePeriodSeconds": grace,
            "containers": [{"name": "main", "image": "python:3.13"}],
        },
    }
    assert cluster.post("/api/v1/namespaces/default/pods", lone).status_code == 201
    until(lambda: cluster.get(path)["status"]["phase"] == "Running", "the pod runs")
    began = time.monotonic()
    cluster.delete(path)
    assert "deletionTimestamp" in cluster.get(path)["metadata"]
    until(lambda: cluster.http.get(path).status_code == 404, "the pod is gone")
    return time.monotonic() - began


def test_a_deleted_pod_has_its_grace_and_is_gone_soon(cluster: Cluster) -> None:
    assert seconds_until_gone(cluster, "lone") < 10  # of the 30 s that its grace lasts


@pytest.mark.parametrize(("wanted", "grace", "given"), [(6, 30, 6), (30, 6, 6)])
def test_a_pod_that_saves_takes_as_long_as_it_wants_and_its_grace_allows(
    cluster: Cluster, wanted: int, grace: int, given: int
) -> None:
    annotation = {"sandbox.pathways.dev/saves-for": str(wanted)}
    assert given - 1 < seconds_until_gone(cluster, f"saving-{wanted}", grace, annotation) < given + 5


def test_tpu_pods_tolerate_the_taint_of_tpu_nodes_without_saying_so(cluster: Cluster) -> None:
    asking = {"limits": {"google.com/tpu": "4"}}
    run(cluster, job("chips", containers=[{"name": "main", "image": "python:3.13", "resources": asking}]))
    until(lambda: phases(cluster, "chips") == ["Running", "Running"], "both pods run")
    for pod in cluster.pods(labelSelector="job-name=chips"):
        assert pod["spec"]["nodeName"].startswith("gke-test-v6e")
    cluster.http.delete("/apis/batch/v1/namespaces/default/jobs/chips", params={"propagationPolicy": "Foreground"})
    until(lambda: phases(cluster, "chips") == [], "the pods are gone")


def test_labels_and_taints_of_living_nodes_change_in_place(cluster: Cluster) -> None:
    before = {one["metadata"]["name"]: one["metadata"]["uid"] for one in cluster.items("/api/v1/nodes")}
    tpu = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
    mine = {"key": "team", "value": "a", "effect": "NoSchedule"}
    cluster.plane.update_nodes("v6e-2", {"MultisliceGroup": "g"}, [tpu, mine])
    nodes = cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=v6e-2")
    assert {one["metadata"]["labels"]["MultisliceGroup"] for one in nodes} == {"g"}
    assert all(one["spec"]["taints"] == [tpu, mine] for one in nodes)
    cluster.plane.update_nodes("v6e-2", {"MultisliceGroup": None}, [tpu])
    nodes = cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=v6e-2")
    assert not any("MultisliceGroup" in one["metadata"]["labels"] for one in nodes)
    assert all(one["spec"]["taints"] == [tpu] for one in nodes)
    assert {one["metadata"]["name"]: one["metadata"]["uid"] for one in cluster.items("/api/v1/nodes")} == before


def test_nodes_that_go_take_their_pods_along_and_no_others(cluster: Cluster) -> None:
    cluster.plane.add_nodes([node("short-lived", number, labels={"who": "me"}) for number in range(3)])
    run(cluster, job("moving", nodeSelector={"who": "me"}))
    until(lambda: phases(cluster, "moving") == ["Running", "Running"], "both pods run")
    cluster.plane.remove_nodes("short-lived", ["gke-test-short-lived-2"])
    assert len(cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=short-lived")) == 2
    cluster.plane.remove_nodes("short-lived")
    assert cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=short-lived") == []
    assert "Running" not in phases(cluster, "moving")
    assert len(cluster.items("/api/v1/nodes")) == 14


def test_a_budget_holds_an_eviction_only_for_a_while(cluster: Cluster) -> None:
    cluster.plane.add_nodes([node("guarded", 0, labels={"who": "guarded"})])
    run(cluster, job("guarded", nodeSelector={"who": "guarded"}))
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "guarded"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"job-name": "guarded"}}},
    }
    assert cluster.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget).status_code == 201
    until(lambda: phases(cluster, "guarded") == ["Running", "Running"], "both pods run")
    began = time.monotonic()
    cluster.plane.remove_nodes("guarded")
    assert time.monotonic() - began > 5
    assert cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=guarded") == []


@pytest.mark.parametrize("component", sorted(COMPONENTS))
def test_a_component_that_is_killed_comes_back(cluster: Cluster, component: str) -> None:
    def state() -> tuple[int, bool]:
        [found] = [one for one in cluster.plane.processes() if one.name == component]
        return found.pid, found.alive

    killed, _ = state()
    os.kill(killed, signal.SIGKILL)
    until(lambda: state()[0] != killed and state()[1], f"{component} runs again")
    until(cluster.healthy, "the API server is ready")
    name = f"after-{component}"
    run(cluster, job(name))
    until(lambda: phases(cluster, name) == ["Running", "Running"], "a new Job's pods run")


def test_nodes_come_and_go_while_the_api_server_is_killed(cluster: Cluster) -> None:
    [server] = [one.pid for one in cluster.plane.processes() if one.name == "kube-apiserver"]
    os.kill(server, signal.SIGKILL)
    cluster.plane.add_nodes([node("stormy", number) for number in range(4)])
    assert len(cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=stormy")) == 4
    cluster.plane.remove_nodes("stormy")
    assert cluster.items("/api/v1/nodes", labelSelector=f"{POOL}=stormy") == []


def test_after_a_stop_everything_is_as_it_was(cluster: Cluster) -> None:
    def pods() -> set[tuple[str, str]]:
        return {(pod["metadata"]["uid"], pod["status"]["phase"]) for pod in cluster.pods()}

    before, pids = pods(), [process.pid for process in cluster.plane.processes()]
    endpoint = cluster.plane.endpoint()
    cluster.plane.stop()
    assert cluster.plane.processes() == []
    assert cluster.plane.endpoint() is None
    assert not any(psutil.pid_exists(pid) for pid in pids)
    cluster.plane.resume()
    assert cluster.plane.endpoint() == endpoint
    assert pods() == before
    assert {condition(one, "Ready") for one in cluster.items("/api/v1/nodes")} == {"True"}
    run(cluster, job("after-stop"))
    until(lambda: phases(cluster, "after-stop") == ["Running", "Running"], "a new Job's pods run")


def test_a_deleted_cluster_leaves_nothing_and_the_next_one_is_empty(programs: Toolchain, tmp_path: Path) -> None:
    plane = ControlPlane(tmp_path, programs, free_ports())
    assert plane.endpoint() is None
    try:
        plane.create()
        plane.add_nodes([node("cpu", 0)])
        pids = [process.pid for process in plane.processes()]
        plane.delete()
        assert plane.endpoint() is None
        assert not any(psutil.pid_exists(pid) for pid in pids)
        assert not (tmp_path / "etcd").exists()
        plane.resume()
        assert plane.processes() == []
        plane.create()
        assert Cluster.of(plane).items("/api/v1/nodes") == []
    finally:
        plane.delete()


HOST = """
import json, sys, time
from pathlib import Path
from sandbox.control_plane import ControlPlane
from sandbox.toolchain import ensure
from tests.rehearsal.cluster import node
plane = ControlPlane(Path(sys.argv[1]), ensure(["etcd", "kubernetes", "kwok"]), json.loads(sys.argv[2]))
plane.create()
plane.add_nodes([node("cpu", 0)])
print(json.dumps([process.pid for process in plane.processes()]), flush=True)
time.sleep(600)
"""


def test_of_a_host_that_is_killed_no_process_is_left_and_no_data_is_lost(programs: Toolchain, tmp_path: Path) -> None:

    ports = free_ports()
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), json.dumps(ports)], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )
    assert host.stdout is not None
    pids = json.loads(host.stdout.readline())
    assert len(pids) == len(COMPONENTS)
    host.kill()
    host.wait()
    until(lambda: not any(psutil.pid_exists(pid) for pid in pids), "no process is left", 5)
    plane = ControlPlane(tmp_path, programs, ports)
    try:
        plane.resume()
        assert [one["metadata"]["name"] for one in Cluster.of(plane).items("/api/v1/nodes")] == ["gke-test-cpu-0"]
    finally:
        plane.delete()
