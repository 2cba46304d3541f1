"""What the autoscaler decides: tables of pools, nodes and pods."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sandbox.cloud.autoscaler.idleness import Idleness
from sandbox.cloud.autoscaler.nodes import node_of
from sandbox.cloud.autoscaler.patience import Patience
from sandbox.cloud.autoscaler.pods import pod_of
from sandbox.cloud.autoscaler.room import Room
from sandbox.cloud.autoscaler.sizing import ScaledPool, growths, removable
from sandbox.cloud.options import Options
from tests.sandbox.cloud.waiting_pods import HOST, JOB_KEY, POOL, SELECTOR, alone_in, head, leader, on, pod, worker

ZONE = "us-east5-b"
TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}


def node(name, pool, *, zone=ZONE, labels=None, taints=(), **allocatable):
    return node_of(
        {
            "metadata": {
                "name": name,
                "labels": {HOST: name, POOL: pool, "topology.kubernetes.io/zone": zone, **(labels or {})},
            },
            "spec": {"taints": list(taints)},
            "status": {"allocatable": {"pods": "64", **allocatable}},
        }
    )


def cpu_node(name="pattern", zone=ZONE):
    # n2-standard-64 by GKE's formula: 64 vCPU less 240 mc, 256 GiB less 12.1 GiB
    return node(name, "heads", zone=zone, labels={"pathways.dev/pool": "head"}, cpu="63770m", memory="243Gi")


def tpu_node(name="pattern", pool="flex-0"):
    return node(name, pool, labels=SELECTOR, taints=[TPU_TAINT], cpu="179", memory="690Gi", **{"google.com/tpu": "4"})


def heads(there=1, most=2, **changed):
    names = [f"head-{number}" for number in range(there)]
    pool = ScaledPool("heads", {ZONE: names}, (1, most), (1, most), cpu_node(), cost=(0, 64))
    return replace(pool, **changed)


def flex(pool="flex-0", there=0, **changed):
    names = [f"{pool}-{number}" for number in range(there)]
    pattern = tpu_node(pool=pool)
    return replace(ScaledPool(pool, {ZONE: names}, (0, 4), (0, 4), pattern, whole=4, cost=(4, 180)), **changed)


def grown(pools, waiting, nodes=(), bound=()):
    """Nodes that each pool gets."""
    decided = growths(pools, Room(nodes, map(pod_of, bound)), [pod_of(manifest) for manifest in waiting])
    return {growth.pool.id: growth.nodes.total() for growth in decided}


def node_affinity(*terms):
    required = {"nodeSelectorTerms": list(terms)}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("waiting", "grows"),
    [
        (pod("plain"), True),
        (pod("small", {"cpu": "63770m", "memory": "243Gi", "pods": "1"}), True),
        (pod("big", {"cpu": "63771m"}), False),
        (pod("fat", {"memory": "244Gi"}), False),
        (pod("tpu", {"google.com/tpu": "1"}), False),
        (pod("gpu", {"nvidia.com/gpu": "1"}), False),
        (pod("chosen", nodeSelector={"pathways.dev/pool": "head"}), True),
        (pod("elsewhere", nodeSelector={"pathways.dev/pool": "other"}), False),
        (pod("zone", nodeSelector={"topology.kubernetes.io/zone": ZONE}), True),
        (pod("other-zone", nodeSelector={"topology.kubernetes.io/zone": "us-east5-a"}), False),
        (pod("a-host", nodeSelector={HOST: "head-0"}), False),
        (pod("in", affinity=node_affinity(expression(POOL, "In", "a", "heads"))), True),
        (pod("not-in", affinity=node_affinity(expression(POOL, "NotIn", "heads"))), False),
        (pod("either", affinity=node_affinity(expression(POOL, "In", "a"), expression(POOL, "Exists"))), True),
        (pod("without", affinity=node_affinity(expression("cloud.google.com/gke-spot", "DoesNotExist"))), True),
        (pod("none", affinity=node_affinity({})), False),
    ],
    ids=lambda value: value["metadata"]["name"] if isinstance(value, dict) else "",
)
def test_a_pool_grows_only_for_a_pod_that_its_new_node_would_take(waiting, grows):
    full = on("head-0", pod("full", {"cpu": "63770m"}))
    waiting["spec"]["containers"][0]["resources"]["requests"].setdefault("cpu", "1")
    assert grown([heads()], [waiting], [cpu_node("head-0")], [full]) == ({"heads": 1} if grows else {})


@pytest.mark.parametrize(
    ("tolerations", "grows"),
    [
        ([], False),
        ([{"key": "google.com/tpu", "operator": "Exists"}], True),
        ([{"key": "google.com/tpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}], True),
        ([{"key": "google.com/tpu", "value": "present"}], True),
        ([{"key": "google.com/tpu", "value": "absent"}], False),
        ([{"key": "google.com/tpu", "operator": "Exists", "effect": "NoExecute"}], False),
        ([{"operator": "Exists"}], True),
    ],
)
def test_a_taint_must_be_tolerated(tolerations, grows):
    assert grown([flex()], [worker("w", tolerations=tolerations)]) == ({"flex-0": 4} if grows else {})


def test_a_taint_that_only_prefers_keeps_nobody_away():
    soft = node("pattern", "soft", taints=[{"key": "held", "effect": "PreferNoSchedule"}], cpu="4")
    assert grown([heads(pattern=soft)], [pod("plain")]) == {"heads": 1}


def test_a_slice_comes_whole_and_once_for_all_its_workers():
    assert grown([flex("flex-0"), flex("flex-1")], [worker(f"w-{number}", ports=()) for number in range(4)]) == {
        "flex-0": 4
    }
    assert grown([flex("flex-0"), flex("flex-1")], [worker(f"w-{number}") for number in range(5)]) == {
        "flex-0": 4,
        "flex-1": 4,
    }


def test_each_leader_gets_a_slice_of_its_own_as_long_as_there_are_pools():
    pools = [flex("flex-0"), flex("flex-1")]
    assert grown(pools, [leader("a")]) == {"flex-0": 4}
    assert grown(pools, [leader("a"), leader("b")]) == {"flex-0": 4, "flex-1": 4}
    assert grown(pools, [leader("a"), leader("b"), leader("c")]) == {"flex-0": 4, "flex-1": 4}


def test_a_slice_in_which_another_job_runs_is_no_room_for_a_leader():
    pools = [flex("flex-0", there=4), flex("flex-1")]
    there = [tpu_node(f"flex-0-{number}") for number in range(4)]
    assert grown(pools, [leader("b")], there, [on("flex-0-0", leader("a"))]) == {"flex-1": 4}
    assert grown(pools, [leader("b")], there) == {}


def test_the_anti_affinity_of_a_pod_that_is_there_counts_too():
    jealous = pod("jealous", affinity=alone_in(HOST, "jealous"), labels={JOB_KEY: "jealous"})
    other = pod("other", labels={JOB_KEY: "other"})
    assert grown([heads()], [other], [cpu_node("head-0")], [on("head-0", jealous)]) == {"heads": 1}


def test_affinity_with_pods_that_are_elsewhere_is_no_reason_to_grow():
    beside = worker("w-1", labels={JOB_KEY: "a"}, affinity=alone_in(POOL, "a"))
    there = [tpu_node("flex-0-0")]
    assert grown([flex("flex-1")], [beside], there, [on("flex-0-0", leader("a"))]) == {}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_head_needs_a_node_of_its_own(count):
    waiting = [head(f"job-{number}") for number in range(count)]
    assert grown([heads(most=9)], waiting, [cpu_node("head-0")], [on("head-0", head("first"))]) == {"heads": count}
    free = {"heads": count - 1} if count > 1 else {}
    assert grown([heads(most=9)], waiting, [cpu_node("head-0")]) == free


def test_a_port_of_the_host_is_had_once():
    first, second, another = pod("a", ports=[29000]), pod("b", ports=[29000]), pod("c", ports=[29001])
    assert grown([heads()], [second], [cpu_node("head-0")], [on("head-0", first)]) == {"heads": 1}
    assert grown([heads()], [another], [cpu_node("head-0")], [on("head-0", first)]) == {}


def test_nodes_that_are_there_or_to_come_are_used_first():
    assert grown([heads()], [pod("p", {"cpu": "60"})], [cpu_node("head-0")]) == {}
    assert grown([heads()], [pod("p", {"cpu": "60"})], [replace(cpu_node("head-0"), cordoned=True)]) == {"heads": 1}


@pytest.mark.parametrize(
    ("pool", "waiting", "expected"),
    [
        (heads(there=2), 1, {}),
        (heads(there=1, open=False), 1, {}),
        (heads(there=1, most=4), 9, {"heads": 3}),
        (flex(there=4), 1, {}),
        (flex(bounds=(0, 3)), 1, {}),
    ],
    ids=["at its maximum", "busy or resting", "up to its maximum", "a slice that is there", "less than a slice"],
)
def test_bounds(pool, waiting, expected):
    make = worker if pool.whole else head
    assert grown([pool], [make(f"p-{number}") for number in range(waiting)]) == expected


def test_cpu_machines_are_taken_before_tpus():
    anywhere = pod("p", tolerations=[{"operator": "Exists"}])
    assert grown([flex(), heads()], [anywhere]) == {"heads": 1}
    assert grown([flex(), heads(there=2)], [anywhere]) == {"flex-0": 4}


def test_zones_fill_evenly_within_bounds_of_zones_and_of_the_whole():
    zones = {"a": ["x"], "b": [], "c": []}

    def sizes(**bounds):
        pool = replace(heads(nodes=zones), **bounds)
        (growth,) = growths([pool], Room([], []), [pod_of(head(f"j{number}")) for number in range(9)])
        return {zone: len(zones[zone]) + growth.nodes[zone] for zone in zones}

    assert sizes(zone_bounds=(0, 2), bounds=(0, 6)) == {"a": 2, "b": 2, "c": 2}
    assert sizes(zone_bounds=(0, 4), bounds=(0, 4)) == {"a": 2, "b": 1, "c": 1}


def test_the_pods_that_nodes_come_for_are_known():
    (growth,) = growths([flex()], Room([], []), [pod_of(worker(name)) for name in ("w-0", "w-1")])
    assert sorted(one.name for one in growth.pods) == ["w-0", "w-1"]


def test_who_is_more_important_or_older_is_helped_first():
    late = head("late")
    late["metadata"]["creationTimestamp"] = "2026-01-02T00:00:00Z"
    (growth,) = growths([heads()], Room([], []), [pod_of(late), pod_of(head("early"))])
    assert [one.name for one in growth.pods] == ["early-head"]
    (growth,) = growths(
        [heads()], Room([], []), [pod_of(head("early")), pod_of({**late, "spec": {**late["spec"], "priority": 1}})]
    )
    assert [one.name for one in growth.pods] == ["late-head"]


def test_a_pod_asks_for_its_containers_and_sidecars_or_for_its_hungriest_init_container():
    # Kubernetes documentation, "Sidecar Containers": what the scheduler reserves
    def container(cpu, **more):
        return {"name": cpu, "resources": {"requests": {"cpu": cpu}}, **more}

    def asked(*init, overhead=None):
        spec = {"containers": [container("2"), container("500m")], "initContainers": list(init)}
        manifest = pod("p")
        return pod_of({**manifest, "spec": {**spec, **({"overhead": overhead} if overhead else {})}}).requests["cpu"]

    sidecar = {"restartPolicy": "Always"}
    assert asked() == 2500
    assert asked(container("8", **sidecar), container("16", **sidecar)) == 26500
    assert asked(container("20"), container("1", **sidecar)) == 20000
    assert asked(container("8", **sidecar), container("20")) == 28000
    assert asked(overhead={"cpu": "100m"}) == 2600


def test_only_pods_of_daemon_sets_and_of_the_node_itself_are_daemons():
    def daemon(**metadata):
        manifest = pod("p")
        return pod_of({**manifest, "metadata": {**manifest["metadata"], **metadata}}).daemon

    assert daemon(ownerReferences=[{"kind": "DaemonSet", "name": "x"}])
    assert daemon(annotations={"kubernetes.io/config.mirror": "x"})
    assert not daemon(ownerReferences=[{"kind": "Job", "name": "x"}])


@pytest.mark.parametrize(
    ("pool", "idle", "gone"),
    [
        (heads(there=2), {"head-0", "head-1"}, 1),
        (heads(there=2), {"head-1"}, 1),
        (heads(there=2), set(), 0),
        (heads(there=1), {"head-0"}, 0),
        (heads(there=3, most=3, zone_bounds=(0, 3), bounds=(2, 3)), {"head-0", "head-1", "head-2"}, 1),
        (flex(there=4), {"flex-0-0", "flex-0-1", "flex-0-2", "flex-0-3"}, 4),
        (flex(there=4), {"flex-0-0", "flex-0-1", "flex-0-2"}, 0),
        (flex(there=4, zone_bounds=(4, 4), bounds=(4, 4)), {f"flex-0-{number}" for number in range(4)}, 0),
        (flex(there=0), set(), 0),
    ],
)
def test_idle_nodes_go_down_to_the_minimum_and_slices_whole(pool, idle, gone):
    names = removable(pool, idle)
    assert len(names) == gone
    assert set(names) <= idle


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_nodes_are_idle_after_ten_simulated_minutes_without_pods():
    clock, pods = Clock(), [on("head-1", head("job"))]
    host = SimpleNamespace(bound_pods=lambda: pods)
    site = SimpleNamespace(options=Options(time_scale=60), host=host)
    idleness, pools = Idleness(clock), [heads(there=2)]

    def found_within(minutes):
        """All that was found idle while the minutes went by."""
        found = set()
        for _ in range(minutes):
            clock.now += 60
            found |= idleness.of(pools, site)
        return found

    assert found_within(10) == set()  # looked at first after a minute
    assert found_within(4) == {"head-0"}
    pods.clear()
    assert found_within(9) == {"head-0"}
    assert found_within(8) == {"head-0", "head-1"}
    pods.append(on("head-0", head("another")))
    found_within(4)
    assert found_within(4) == {"head-1"}


def test_a_node_is_given_at_least_as_long_as_the_scheduler_may_wait():
    clock = Clock()
    site = SimpleNamespace(options=Options(time_scale=0), host=SimpleNamespace(bound_pods=list))
    idleness = Idleness(clock)
    found = {}
    for second in range(20):
        clock.now += 1
        found[second] = idleness.of([heads(there=1)], site)
    assert not any(found[second] for second in range(10))  # kube-scheduler, podMaxBackoffSeconds: 10
    assert found[15] == {"head-0"}


def test_a_pool_that_could_not_grow_rests_for_five_minutes_then_ten_up_to_thirty():
    # kubernetes/autoscaler: initial-node-group-backoff-duration 5m, max-node-group-backoff-duration 30m
    clock, options = Clock(), Options(time_scale=60)
    patience = Patience(clock)
    rests = []
    for _ in range(5):
        patience.failed("p", options)
        began = clock.now
        while patience.resting():
            clock.now += 60
        rests.append((clock.now - began) / 60)
    assert rests == [5, 10, 20, 30, 30]
    patience.succeeded("p")
    patience.failed("p", options)
    clock.now += 301
    assert patience.resting() == set()
