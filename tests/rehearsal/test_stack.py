"""A small stack, deployed, changed and taken away, in the order of a working day.

The tests of this file share one sandbox and build on each other: each states what the last command must have left.
"""

from __future__ import annotations

import json
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.rehearsal.rehearsal import Rehearsal

pytestmark = pytest.mark.rehearsal

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
POOL = "cloud.google.com/gke-nodepool"
JOB = "jobset.sigs.k8s.io/jobset-name"
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_INDEX = "jobset.sigs.k8s.io/job-index"

BIG = {"name": "big", "tpu": "v6e-16", "count": 2, "spares": 1, "capacity": {"spot": {}}}
SMALL = {
    "name": "small",
    "machineType": "ct6e-standard-4t",
    "topology": "2x4",
    "count": 2,
    "capacity": {"onDemand": {}},
}
PLATFORM: dict[str, Any] = {
    "environment": "dev",
    "zone": "us-east5-b",
    "jax": "0.8.3",
    "head": {"minNodes": 1, "maxNodes": 2},
    "slices": [BIG, SMALL],
    "priorities": {"high-prior-job": 2000, "low-prior-job": 1000},
    "workloads": [
        {
            "name": "train",
            "kind": "pathways",
            "slices": {"group": "big", "count": 2},
            "priority": "high-prior-job",
            "image": "python:3.13",
            "command": ["python", "-c", "print(1)"],
        }
    ],
}
BIG_POOLS = {"big-0", "big-1", "big-2"}
SMALL_POOLS = {"small-0", "small-1"}


def platform(**changed: Any) -> dict[str, Any]:
    return {**PLATFORM, **changed}


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A sandbox that is up with PLATFORM; taken away at the end, whatever happened."""
    rehearsal = Rehearsal(tmp_path_factory.mktemp("day"), "day")
    rehearsal.write(PLATFORM)
    rehearsal.run("up")
    yield rehearsal
    if rehearsal.home.exists():
        rehearsal.run("down")


def nodes_of(day: Rehearsal) -> dict[str, list[dict[str, Any]]]:
    """Nodes by pool, as the API server has them."""
    pools: dict[str, list[dict[str, Any]]] = {}
    for node in day.kubectl("nodes"):
        pools.setdefault(node["metadata"]["labels"][POOL], []).append(node)
    return pools


def pods_of(day: Rehearsal, job: str) -> list[dict[str, Any]]:
    return day.kubectl("pods", "--all-namespaces", "--selector", f"{JOB}={job}")


def pool_calls(day: Rehearsal, after: int) -> list[tuple[str, str]]:
    """What was done to node pools since a place in the journal: call and pool, in the order of beginning."""
    entries = [entry for entry in day.journal(type=NODE_POOL) if entry["seq"] > after and entry["call"] != "read"]
    return [(entry["call"], entry["id"].rsplit("/", 1)[-1]) for entry in entries]


def place(day: Rehearsal) -> int:
    return max(entry["seq"] for entry in day.journal())


def test_each_slice_is_a_pool_with_the_nodes_and_labels_that_gke_gives(day: Rehearsal) -> None:
    pools = nodes_of(day)
    assert set(pools) == BIG_POOLS | SMALL_POOLS | {"heads", "system"}
    for name in BIG_POOLS:  # 16 chips, 4 on a host
        assert len(pools[name]) == 4
        for node in pools[name]:
            labels = node["metadata"]["labels"]
            assert labels["cloud.google.com/gke-tpu-accelerator"] == "tpu-v6e-slice"
            assert labels["cloud.google.com/gke-tpu-topology"] == "4x4"
            assert labels["cloud.google.com/gke-accelerator-count"] == "4"
            assert labels["cloud.google.com/gke-spot"] == "true"
            assert labels["node.kubernetes.io/instance-type"] == "ct6e-standard-4t"
            assert labels["topology.kubernetes.io/zone"] == "us-east5-b"
            assert (labels["MultisliceGroup"], labels["MultisliceGroupSize"]) == ("big", "3")
            assert node["status"]["capacity"]["google.com/tpu"] == "4"
            assert {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"} in node["spec"]["taints"]
    for name in SMALL_POOLS:  # 8 chips on two hosts of 4, not on one of 8
        assert len(pools[name]) == 2
        assert {node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] for node in pools[name]} == {"2x4"}
        assert "cloud.google.com/gke-spot" not in pools[name][0]["metadata"]["labels"]
    assert [node["spec"].get("taints") for node in pools["heads"] + pools["system"]] == [None, None]


def test_the_order_of_operations_is_cluster_then_pools_and_at_most_four_pools_at_once(day: Rehearsal) -> None:
    cluster = next(entry for entry in day.journal("create", CLUSTER))
    pools = day.journal("create", NODE_POOL)
    assert len(pools) == 7
    assert all(pool["outcome"] == "ok" and pool["retries"] == [] for pool in pools)
    assert min(pool["started"] for pool in pools) >= cluster["ended"]
    for pool in pools:
        assert sum(other["started"] <= pool["started"] < other["ended"] for other in pools) <= 4


def test_workers_of_a_slice_share_a_pool_and_no_two_slices_do(day: Rehearsal) -> None:
    place_of_node = {node["metadata"]["name"]: pool for pool, nodes in nodes_of(day).items() for node in nodes}
    workers = [pod for pod in pods_of(day, "train") if pod["metadata"]["labels"][ROLE] == "worker"]
    assert len(workers) == 8
    assert {pod["status"]["phase"] for pod in workers} == {"Running"}
    pools: dict[str, set[str]] = {}
    for pod in workers:
        pools.setdefault(pod["metadata"]["labels"][JOB_INDEX], set()).add(place_of_node[pod["spec"]["nodeName"]])
    assert sorted(map(len, pools.values())) == [1, 1]
    assert len(set.union(*pools.values())) == 2
    assert set.union(*pools.values()) < BIG_POOLS


def test_the_head_runs_on_the_cpu_pool_with_its_sidecars(day: Rehearsal) -> None:
    (head,) = [pod for pod in pods_of(day, "train") if pod["metadata"]["labels"][ROLE] == "pathways-head"]
    (node,) = nodes_of(day)["heads"]
    assert head["spec"]["nodeName"] == node["metadata"]["name"]
    assert head["status"]["phase"] == "Running"
    sidecars = {each["name"]: each["ready"] for each in head["status"]["initContainerStatuses"]}
    assert sidecars == {"pathways-rm": True, "pathways-proxy": True}


def test_the_job_came_through_the_real_webhook(day: Rehearsal) -> None:
    """The mutating webhook, not our function, makes the completion mode Indexed and publishes addresses early."""
    (jobset,) = day.kubectl("jobsets", "--all-namespaces")
    (owner,) = jobset["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("PathwaysJob", "train", True)
    assert jobset["spec"]["network"]["publishNotReadyAddresses"] is True
    modes = {job["template"]["spec"]["completionMode"] for job in jobset["spec"]["replicatedJobs"]}
    assert modes == {"Indexed"}


def test_priority_classes_are_declared_and_none_is_the_default(day: Rehearsal) -> None:
    classes = {each["metadata"]["name"]: each for each in day.kubectl("priorityclasses")}
    assert classes["high-prior-job"]["value"] == 2000
    assert classes["low-prior-job"]["value"] == 1000
    assert not any(each.get("globalDefault") for each in classes.values())
    assert {pod["spec"]["priority"] for pod in pods_of(day, "train")} == {2000}


def test_the_scratch_bucket_has_its_rules_and_only_the_node_accounts_have_rights_on_it(day: Rehearsal) -> None:
    (bucket,) = day.journal("create", "gcp:storage/bucket:Bucket")
    inputs = bucket["inputs"]
    assert inputs["location"] == "us-east5"
    assert inputs["uniformBucketLevelAccess"] is True
    assert inputs["publicAccessPrevention"] == "enforced"
    assert inputs["softDeletePolicy"]["retentionDurationSeconds"] == 0
    actions = {rule["action"]["type"]: rule["condition"] for rule in inputs["lifecycleRules"]}
    assert set(actions) == {"Delete", "AbortIncompleteMultipartUpload"}
    assert actions["Delete"]["matchesPrefixes"] == ["pathways/"]
    assert actions["Delete"]["age"] >= 1
    (role,) = day.journal("create", "gcp:projects/iAMCustomRole:IAMCustomRole")
    assert set(role["inputs"]["permissions"]) == {
        "storage.buckets.get",
        "storage.buckets.update",
        "storage.objects.list",
        "storage.objects.create",
        "storage.objects.get",
    }
    members = day.journal("create", "gcp:storage/bucketIAMMember:BucketIAMMember")
    pools = [entry["inputs"] for entry in day.journal("create", NODE_POOL) if not entry["id"].endswith("/system")]
    accounts = {pool["nodeConfig"]["serviceAccount"] for pool in pools}
    assert {each["inputs"]["member"] for each in members} == {f"serviceAccount:{account}" for account in accounts}
    assert {each["inputs"]["role"] for each in members} == {role["id"]}


def test_status_tells_nodes_jobs_and_pods(day: Rehearsal) -> None:
    told = json.loads(day.run("status", "--json"))
    assert len(told["nodes"]) == 3 * 4 + 2 * 2 + 2
    assert all(node["ready"] for node in told["nodes"])
    assert {(job["kind"], job["name"], job["ready"]) for job in told["jobs"]} == {
        ("PathwaysJob", "train", True),
        ("JobSet", "train", True),
    }
    assert len(told["pods"]) == 9
    assert {pod["slice"] for pod in told["pods"]} - BIG_POOLS == {None}
    assert told["versions"]["jobset-0.11.1"] == "0.11.1"
    assert set(told["ports"]) >= {"apiserver", "cloud"}


def test_a_preview_right_after_up_is_empty(day: Rehearsal) -> None:
    assert "nothing to change" in day.run("preview")


def test_a_preview_after_refresh_is_empty(day: Rehearsal) -> None:
    day.run("refresh")
    assert "nothing to change" in day.run("preview")


def test_only_loopback_is_listened_on_and_credentials_are_private(day: Rehearsal) -> None:
    told = json.loads((day.home / "daemon.json").read_text())
    daemon = psutil.Process(told["pid"])
    family = [daemon, *daemon.children(recursive=True)]
    assert len(family) >= 6  # etcd, API server, controller manager, scheduler, kwok, JobSet
    listening = [c for process in family for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert listening
    addresses = {ip_address(connection.laddr.ip) for connection in listening}
    assert {str(getattr(address, "ipv4_mapped", None) or address) for address in addresses} <= {"127.0.0.1", "::1"}
    assert day.home.stat().st_mode & 0o077 == 0
    secret_words = ("token", "PRIVATE KEY", "passphrase")
    for file in day.home.rglob("*"):
        if not file.is_file() or file.suffix not in (".kubeconfig", ".key", ".csv", ".json"):
            continue
        if any(word in file.read_text(errors="ignore") for word in secret_words):
            assert file.stat().st_mode & 0o077 == 0, file


def test_a_removed_slice_removes_one_pool_and_relabels_the_rest_in_place(day: Rehearsal) -> None:
    before = place(day)
    uids = {node["metadata"]["uid"] for name in ("big-0", "big-1") for node in nodes_of(day)[name]}
    day.write(platform(slices=[{**BIG, "spares": 0}, SMALL]))
    day.run("up")
    assert sorted(pool_calls(day, before)) == [("delete", "big-2"), ("update", "big-0"), ("update", "big-1")]
    pools = nodes_of(day)
    assert set(pools) == {"big-0", "big-1", "heads", "system"} | SMALL_POOLS
    kept = [node for name in ("big-0", "big-1") for node in pools[name]]
    assert {node["metadata"]["uid"] for node in kept} == uids
    assert {node["metadata"]["labels"]["MultisliceGroupSize"] for node in kept} == {"2"}


def test_a_topology_edit_replaces_exactly_that_groups_pools_delete_before_create(day: Rehearsal) -> None:
    before = place(day)
    day.write(platform(slices=[{**BIG, "spares": 0}, {**SMALL, "topology": "4x4"}]))
    day.run("up")
    calls = pool_calls(day, before)
    assert sorted(calls) == sorted((call, pool) for call in ("delete", "create") for pool in SMALL_POOLS)
    for pool in SMALL_POOLS:
        assert calls.index(("delete", pool)) < calls.index(("create", pool))
        nodes = nodes_of(day)[pool]
        assert len(nodes) == 4  # 16 chips, 4 on a host
        assert {node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] for node in nodes} == {"4x4"}


def test_the_sandbox_survives_the_loss_of_all_its_processes(day: Rehearsal) -> None:
    """As after a reboot: the next command starts what is not running, on the old data."""
    uids = {node["metadata"]["uid"] for nodes in nodes_of(day).values() for node in nodes}
    daemon = psutil.Process(json.loads((day.home / "daemon.json").read_text())["pid"])
    family = [*daemon.children(recursive=True), daemon]
    for process in family:
        process.kill()
    psutil.wait_procs(family, timeout=10)
    assert "nothing to change" in day.run("up")
    assert {node["metadata"]["uid"] for nodes in nodes_of(day).values() for node in nodes} == uids


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"slices": [{**BIG, "spare": 1}]}, "slices[0].spare"),
        ({"zone": None}, "zone"),
    ],
)
def test_a_misspelt_or_missing_key_is_one_clear_error_and_changes_nothing(
    day: Rehearsal, changed: dict[str, Any], said: str
) -> None:
    before = place(day)
    state = day.state()
    day.write({key: value for key, value in platform(**changed).items() if value is not None})
    told = day.run("up", code=1)
    assert said in told
    assert "Traceback" not in told
    assert "1 error" in told
    assert place(day) == before
    assert day.state() == state


def test_an_edited_job_is_replaced_and_the_preview_says_so(day: Rehearsal) -> None:
    """The custom resource is immutable: the API server refuses an edit of its template or of its workers."""
    (before,) = day.kubectl("pathwaysjobs", "--all-namespaces")
    edited = {**PLATFORM["workloads"][0], "image": "python:3.14"}
    day.write(platform(slices=[{**BIG, "spares": 0}, {**SMALL, "topology": "4x4"}], workloads=[edited]))
    assert "1 replace" in day.run("preview")
    day.run("up")
    (after,) = day.kubectl("pathwaysjobs", "--all-namespaces")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    (main,) = after["spec"]["controller"]["template"]["spec"]["containers"]
    assert main["image"] == "python:3.14"
    assert "nothing to change" in day.run("preview")


def test_a_job_that_has_ended_is_told_and_not_waited_for(day: Rehearsal) -> None:
    (head,) = [pod for pod in pods_of(day, "train") if pod["metadata"]["labels"][ROLE] == "pathways-head"]
    metadata = head["metadata"]
    finish = "sandbox.pathways.dev/finish=succeeded"
    day.tell("annotate", "pod", metadata["name"], "--namespace", metadata["namespace"], finish)
    ended = "--for=jsonpath={.status.terminalState}=Completed"
    day.tell("wait", "jobset/train", "--namespace", metadata["namespace"], ended, "--timeout=60s")
    assert "Completed" in day.run("up")


def test_down_leaves_no_resource_node_process_or_port(day: Rehearsal) -> None:
    day.write(platform(slices=[{**BIG, "spares": 0}, {**SMALL, "topology": "4x4"}]))
    told = json.loads((day.home / "daemon.json").read_text())
    daemon = psutil.Process(told["pid"])
    family = [daemon, *daemon.children(recursive=True)]
    store = Path(day.home / "cloud")
    copied = day.folder / "journal.jsonl"
    deleted = _down_keeping_the_journal(day, store / "journal.jsonl", copied)
    assert not day.home.exists()
    assert [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE] == []
    for port in told["ports"].values():
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
    created = {
        (entry["type"], entry["id"]) for entry in deleted if entry["call"] == "create" and entry["outcome"] == "ok"
    }
    gone = {(entry["type"], entry["id"]) for entry in deleted if entry["call"] == "delete" and entry["outcome"] == "ok"}
    assert created <= gone
    ended = {entry["type"]: entry["ended"] for entry in deleted if entry["call"] == "delete"}
    assert ended[NODE_POOL] <= ended[CLUSTER] <= ended["gcp:compute/network:Network"]


def _down_keeping_the_journal(day: Rehearsal, journal: Path, copied: Path) -> list[dict[str, Any]]:
    """`down` removes the sandbox, journal and all: a hard link keeps it for us."""
    copied.hardlink_to(journal)
    day.run("down")
    return [json.loads(line) for line in copied.read_text().splitlines()]
