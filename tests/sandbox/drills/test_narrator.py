"""What is told of pods and nodes, and in which words."""

from __future__ import annotations

from typing import Any

from lightkube.resources.core_v1 import Node, Pod

from sandbox.drills.narrator import states

POOL = "cloud.google.com/gke-nodepool"


def node(pool: str, number: int, *, tpu: bool = True, **spec: Any) -> Node:
    labels = {POOL: pool, **({"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"} if tpu else {})}
    return Node.from_dict({"metadata": {"name": f"{pool}-{number}", "labels": labels}, "spec": spec})


def pod(job: str, on: str | None, phase: str = "Running", *, jobset: str = "train", leaving: bool = False) -> Pod:
    labels = {"batch.kubernetes.io/job-name": job, "jobset.sigs.k8s.io/jobset-name": jobset}
    metadata = {"labels": labels, **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if leaving else {})}
    spec = {"containers": [], **({"nodeName": on} if on else {})}
    return Pod.from_dict({"metadata": metadata, "spec": spec, "status": {"phase": phase}})


def test_a_slice_is_its_pool_and_says_where_its_pods_run():
    nodes = [node("v6e-0", number) for number in range(2)]
    pods = [pod("train-worker-0", f"v6e-0-{number}") for number in range(2)]
    assert states(nodes, pods, ["train"]) == {"slice v6e-0": "2 nodes", "train-worker-0": "2 Running on v6e-0"}


def test_pods_outlive_their_nodes():
    told = states([], [pod("train-worker-0", "v6e-0-0")], ["train"])
    assert told == {"train-worker-0": "1 on a node that is gone"}


def test_a_failed_pod_is_failed_wherever_it_was():
    assert states([], [pod("train-worker-0", "v6e-0-0", "Failed")], ["train"]) == {"train-worker-0": "1 Failed"}


def test_pods_that_wait_end_or_start_are_told_apart():
    pods = [
        pod("train-worker-0", None, "Pending"),
        pod("train-worker-0", "heads-0", "Pending"),
        pod("train-worker-0", "heads-0", leaving=True),
        pod("train-worker-0", "heads-0", "Failed", leaving=True),
    ]
    told = states([node("heads", 0, tpu=False)], pods, ["train"])
    assert told == {
        "pool heads": "1 node",
        "train-worker-0": "1 Failed, 1 Pending, 1 Pending on heads, 1 told to end",
    }


def test_nodes_that_take_no_pods_are_named():
    nodes = [node("v6e-0", 0), node("v6e-0", 1, unschedulable=True)]
    assert states(nodes, [], ["train"]) == {"slice v6e-0": "2 nodes, 1 of them closed to new pods"}


def test_other_jobs_are_not_told_of():
    assert states([], [pod("sweep-slice-0", None, "Pending", jobset="sweep")], ["train"]) == {}
