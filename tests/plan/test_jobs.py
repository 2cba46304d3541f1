"""Which jobs run together, which wait, and which give way to which."""

from pathways.plan.groups import plan_groups
from pathways.plan.jobs import plan_heads, plan_jobs
from tests.plan.stacks import V6E, job, pools, settings

GROUP = {**V6E, "count": 4, "spares": 1}
PRIORITIES = {"high": 2000, "low": 100}


def planned(*jobs, heads=8, slices=(GROUP,)):
    described = settings(
        slices=list(slices), priorities=PRIORITIES, workloads=list(jobs), head={"minNodes": 1, "maxNodes": heads}
    )
    found, occupancy = plan_jobs(described, plan_groups(described, pools(described)))
    return {each.name: each for each in found}, {each.group: (each.used, each.free) for each in occupancy}


def test_a_job_needs_the_chips_and_hosts_of_its_slices():
    jobs, occupancy = planned(job("train", "v6e", 4))
    assert (jobs["train"].chips, jobs["train"].hosts) == (64, 16)
    assert jobs["train"].runs
    assert occupancy == {"v6e": (4, 1)}


def test_a_head_is_resource_manager_proxy_and_the_jobs_own_container():
    # 8 + 16 CPUs and 32 + 100 GB for Pathways (132e9 bytes are 122.9 GiB); 8 CPUs and 32 GiB for the job by default.
    jobs, _ = planned(job("batch", "v6e", 1), job("open", "v6e", 1, mode="headless"))
    assert (jobs["batch"].head.cpus, jobs["batch"].head.memory_gib) == (32, 154.9)
    assert (jobs["open"].head.cpus, jobs["open"].head.memory_gib) == (24, 122.9)


def test_the_first_of_equals_goes_first_and_the_other_waits_for_slices():
    jobs, occupancy = planned(job("first", "v6e", 3), job("second", "v6e", 3))
    assert jobs["first"].runs
    assert jobs["second"].waits_for == "3 slices of v6e, 2 free"
    assert (jobs["first"].pushes_out, jobs["second"].gives_way_to) == ((), ())
    assert occupancy == {"v6e": (3, 2)}


def multislice(name, count, **more):
    slices = {"group": "v6e", "count": count}
    return {"name": name, "kind": "multislice", "slices": slices, "image": "a:1", **more}


def test_a_multislice_job_has_its_group_to_itself_unless_it_shares_it():
    jobs, _ = planned(multislice("alone", 2), job("beside", "v6e", 1))
    assert jobs["alone"].runs
    assert jobs["beside"].waits_for == "alone, which has group v6e to itself"
    jobs, _ = planned(job("first", "v6e", 1), multislice("alone", 2))
    assert jobs["alone"].waits_for == "first, as it has group v6e to itself"
    jobs, _ = planned(multislice("one", 2, sharesGroup=True), job("beside", "v6e", 1))
    assert jobs["one"].runs
    assert jobs["beside"].runs


def test_a_higher_priority_goes_first_and_pushes_out_the_lower():
    jobs, _ = planned(job("filler", "v6e", 3, priority="low"), job("train", "v6e", 4, priority="high"))
    assert jobs["train"].runs
    assert jobs["filler"].waits_for == "3 slices of v6e, 1 free"
    assert jobs["train"].pushes_out == ("filler",)
    assert jobs["filler"].gives_way_to == ("train",)


def test_a_job_without_a_priority_has_zero():
    jobs, _ = planned(job("plain", "v6e", 1), job("low", "v6e", 1, priority="low"))
    assert jobs["plain"].priority == 0
    assert jobs["plain"].gives_way_to == ("low",)


def test_low_priority_work_may_run_on_spares():  # hot swap
    jobs, occupancy = planned(job("train", "v6e", 4, priority="high"), job("filler", "v6e", 1, priority="low"))
    assert (jobs["train"].on_spares, jobs["filler"].on_spares) == (0, 1)
    assert jobs["filler"].gives_way_to == ("train",)
    assert occupancy == {"v6e": (5, 0)}


def test_jobs_of_different_groups_do_not_meet():
    other = {**V6E, "name": "other", "count": 1, "spares": 0}
    jobs, occupancy = planned(job("a", "v6e", 4, priority="high"), job("b", "other", 1), slices=(GROUP, other))
    assert jobs["a"].pushes_out == ()
    assert occupancy == {"v6e": (4, 1), "other": (1, 0)}


def test_a_head_takes_a_node_so_fewer_nodes_than_jobs_make_one_wait():  # case sched-2
    other = {**V6E, "name": "other", "count": 1, "spares": 0}
    jobs, _ = planned(job("a", "v6e", 1), job("b", "other", 1, priority="high"), heads=1, slices=(GROUP, other))
    assert jobs["b"].runs
    assert jobs["a"].waits_for == "a node for its head, 1 at most"
    assert jobs["b"].pushes_out == ("a",)


def test_what_a_head_node_leaves_to_pods():
    # n2-standard-64 by GKE's formula: 64 - (0.06 + 0.01 + 2 x 0.005 + 60 x 0.0025) CPUs;
    # 256 - (1 + 0.8 + 0.8 + 6.72 + 128 x 0.02) GiB, less 100 MiB.
    heads = plan_heads(settings().head)
    assert heads.cpus == 63.77
    assert round(heads.memory_gib, 2) == round(256 - 11.88 - 100 / 1024, 2)
