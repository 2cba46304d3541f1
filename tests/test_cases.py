"""Cases that people who run TPU slices, JobSets and Pathways on GKE have met, and what holds us to each.

The same ids stand in comments of other tests. A row names the tests that hold us to the case, by the layer (the folder)
that keeps it from happening; "rule:ID" are all examples of that rule (tests/rules/examples), of which each has failing
ones.
"""

import re
from pathlib import Path

import pytest

from pathways.rules import RULES

TESTS = Path(__file__).parent

POOLS = "components/test_pools.py::"
CLUSTER = "components/test_cluster.py::"
IN_CLUSTER = "components/test_in_cluster.py::"
SCRATCH = "components/test_scratch.py::"
SLICES = "tpu/test_slices.py::"
PROBLEMS = "settings/test_problems.py::"
SETTINGS = "settings/test_settings.py::"
CLOUD = "sandbox/cloud/test_node_pool.py::"
LINT = "lint/test_cases.py::"

CASES: dict[str, list[str]] = {
    "topo-1": [
        f"{POOLS}test_capacity_that_comes_and_goes_is_bounded_per_zone",
        "rule:tpu-node-count-matches-topology",
        f"{CLOUD}test_a_slice_with_a_total_maximum_is_refused",
    ],
    "topo-2": [
        f"{POOLS}test_multi_host_tpu7x_has_a_workload_policy_instead_of_compact_placement",
        "rule:tpu-placement-multi-host-only",
        f"{CLOUD}test_tpu7x_with_compact_placement_is_made_and_goes_to_error",
    ],
    "topo-3": [
        f"{POOLS}test_placement_follows_from_generation_and_hosts",
        "rule:tpu-placement-multi-host-only",
        f"{CLOUD}test_a_slice_of_one_host_carries_its_topology_though_none_is_asked_for",
    ],
    "topo-4": [f"{SLICES}test_a_name_is_a_slice", f"{SLICES}test_a_name_that_fits_nothing_is_refused_with_the_nearest"],
    "topo-5": [
        f"{SLICES}test_eight_chips_of_v6e_are_one_host_by_name_and_two_when_asked_for",
        "rule:jobset-hosts",
        "rule:slice-selector-ambiguous",
    ],
    "topo-6": [
        "rule:tpu-node-count-matches-topology",
        "rule:jobset-hosts",
        f"{LINT}test_a_slice_of_two_hosts_is_not_one_of_four",
    ],
    "topo-7": [
        f"{SLICES}test_a_topology_of_another_machine_is_named_with_it",
        "rule:pathwaysjob-topology",
        "rule:jobset-topology",
    ],
    "topo-8": [
        f"{SLICES}test_an_illegal_topology_is_refused_with_the_nearest",
        "rule:tpu-slice-topology-valid",
        "rule:pathwaysjob-topology",
    ],
    "slice-1": [
        "settings/test_workloads.py::test_slices_of_one_host_do_not_work_together",
        "rule:multislice-needs-multi-host",
    ],
    "slice-2": ["rule:multislice-needs-multi-host"],
    "slice-3": [
        f"{SLICES}test_old_generations_are_refused_as_such",
        "rule:tpu-slice-topology-valid",
        "rule:jobset-topology",
    ],
    "cap-1": [
        f"{SETTINGS}test_capacity_is_a_mapping_with_its_kind_for_a_key",
        "rule:capacity-exclusive",
        f"{CLOUD}test_spot_excludes_a_reservation",
    ],
    "cap-2": [
        f"{POOLS}test_each_capacity_says_which_reservation_it_takes",
        "rule:reservation-affinity-well-formed",
    ],
    "cap-3": [
        f"{SETTINGS}test_a_reservation_may_be_written_as_its_path",
        "rule:reservation-affinity-well-formed",
    ],
    "cap-4": ["rule:reservation-large-enough"],
    "cap-5": ["plan/test_groups.py::test_what_is_not_reserved_counts_against_a_regional_quota"],
    "cap-6": [f"{POOLS}test_only_flex_start_does_without_repair", "rule:capacity-comes-and-goes"],
    "sched-1": [
        "rehearsal/test_stack.py::test_workers_of_a_slice_share_a_pool_and_no_two_slices_do",
        "rule:exclusive-topology",
        f"{LINT}test_a_slice_of_two_hosts_is_not_one_of_four",
    ],
    "sched-2": [
        "plan/test_jobs.py::test_a_head_takes_a_node_so_fewer_nodes_than_jobs_make_one_wait",
        "rule:heads-fit-at-once",
    ],
    "sched-3": [
        f"{PROBLEMS}test_a_head_that_is_too_small_is_refused_with_the_sum",
        "rule:head-pool-sized",
        "rule:head-machine-sized",
    ],
    "sched-4": [
        f"{POOLS}test_the_head_pool_scales_between_its_bounds_and_takes_all_pods",
        "rule:head-pool-untainted",
    ],
    "sched-5": [
        "rule:queue-covers-heads",
        "rule:queue-admits-jobs",
        f"{LINT}test_a_queue_for_tpus_alone",
    ],
    "sched-6": ["rule:queue-one-resource-group"],
    "sched-7": [
        "manifests/test_multislice_jobset.py::test_pods_of_other_jobs_stay_out_of_its_group",
        "rehearsal/test_drills.py::test_ours_never_starve",
        "rule:multislice-bound-to-group",
    ],
    "ver-1": ["rule:pathways-versions-agree"],
    "ver-2": ["rule:pathways-version-pinned", f"{LINT}test_the_staging_bucket_and_no_version"],
    "scratch-1": ["rule:scratch-location", f"{LINT}test_the_staging_bucket_and_no_version"],
    "scratch-2": [
        f"{SCRATCH}test_node_accounts_have_the_five_permissions_on_this_bucket_alone",
        "rule:scratch-iam-minimal",
    ],
    "scratch-3": ["rule:scratch-shared"],
    "scratch-4": [
        f"{SCRATCH}test_rules_that_pathways_adds_survive_the_next_deployment",
        "rehearsal/test_cloud_engine.py::test_the_rule_that_pathways_adds_to_its_bucket_survives",
        "rehearsal/test_buckets.py::test_the_rule_survives_update_and_refresh_and_nothing_differs",
    ],
    "scratch-5": [
        f"{SCRATCH}test_prod_results_survive_a_destroy",
        "rehearsal/test_buckets.py::test_destroy_is_refused_and_takes_no_object",
        "rule:bucket-kept-in-prod",
    ],
    "scratch-6": ["rule:scratch-location"],
    "net-1": ["rule:workers-retried", f"{LINT}test_workers_that_nothing_retries_and_that_others_can_join"],
    "net-2": [
        "manifests/test_jobset.py::test_the_jobset_is_the_one_that_the_controller_posted",
        "rule:head-completes",
        f"{LINT}test_workers_that_nothing_retries_and_that_others_can_join",
    ],
    "net-3": [
        "sandbox/cloud/test_autoscaler.py::test_a_port_of_the_host_is_had_once",
        "rule:head-alone-on-its-node",
    ],
    "res-1": ["rule:pathwaysjob-shape", "rule:pathways-flags"],
    "res-2": [f"{SETTINGS}test_elastic_jobs_keep_the_retries_of_others", "rule:elastic-retries"],
    "res-4": [
        "manifests/test_direct_jobset.py::test_maintenance_is_not_a_restart_by_default",
        "rehearsal/test_drills.py::test_the_story_ends_well",
    ],
    "res-3": ["rule:priority-class-exists", "rule:priority-value"],
    "pool-1": [
        "plan/test_update.py::test_a_capacity_edit_destroys_the_slice",
        "plan/test_update.py::test_prod_refuses_what_it_would_lose_until_each_is_named",
    ],
    "pool-2": [
        f"{POOLS}test_what_the_provider_would_not_send_replaces_the_slice_old_one_first",
        "rule:tpu-pool-replaced-on-change",
        "rehearsal/test_cloud_engine.py::test_the_life_of_a_stack",
    ],
    "pool-3": [
        "rule:tpu-placement-multi-host-only",
        f"{CLOUD}test_tpu7x_with_a_workload_policy_runs_and_its_type_never_converges",
    ],
    "pool-4": [f"{CLUSTER}test_upgrades_of_nodes_do_not_come_by_themselves", "rule:no-autoupgrade-surprise"],
    "pool-5": [
        f"{POOLS}test_no_more_pools_than_written_are_asked_for_at_once_and_none_waits_longer_than_it_must",
        f"{POOLS}test_time_outs_grow_with_the_queue",
    ],
    "pool-6": [
        "sandbox/cloud/test_operations.py::test_a_stockout_leaves_a_pool_in_error_that_the_caller_hears_of",
        "rehearsal/test_cloud_engine.py::test_a_stockout_leaves_a_pool_that_the_state_knows",
    ],
    "install-1": [f"{IN_CLUSTER}test_nothing_reaches_a_webhook_that_does_not_serve", "rule:jobset-ordered"],
    "install-2": ["rehearsal/test_stack.py::test_the_job_came_through_the_real_webhook"],
    "install-3": ["rule:kueue-after-jobset"],
    "install-4": [
        f"{PROBLEMS}test_a_name_of_23_characters_is_refused_with_the_label_spelled_out",
        "rule:job-name",
        f"{LINT}test_a_variable_that_pathways_sets_and_a_name_that_is_too_long",
    ],
    "priv-1": [
        f"{CLUSTER}test_the_network_takes_large_packets_and_lets_private_nodes_out",
        "rule:private-nodes-reach-out",
    ],
    "priv-2": [f"{CLUSTER}test_the_control_plane_may_call_webhooks_on_every_node", "rule:webhooks-reachable"],
    "id-1": [
        f"{SCRATCH}test_node_accounts_have_the_five_permissions_on_this_bucket_alone",
        "rule:scratch-iam-minimal",
    ],
    "id-2": [
        f"{POOLS}test_heads_slices_and_controllers_run_as_different_accounts_with_the_node_role_only",
        "rule:node-account-role",
    ],
    "mem-1": [
        "manifests/test_pathways_job.py::test_a_batch_job",
        "rule:head-memory-reserved",
        f"{LINT}test_workers_that_nothing_retries_and_that_others_can_join",
    ],
    "mem-2": [
        "manifests/test_program.py::test_shared_memory_is_half_of_the_memory_by_default",
        "rule:shared-memory-bounded",
    ],
    "env-1": [
        "manifests/test_pathways_job.py::test_the_controller_takes_it_and_no_variable_comes_twice",
        "rule:pathways-built-in-variables",
        f"{LINT}test_a_variable_that_pathways_sets_and_a_name_that_is_too_long",
    ],
}

NUMBERS = {
    "topo": 8,
    "slice": 3,
    "cap": 6,
    "sched": 7,
    "ver": 2,
    "scratch": 6,
    "net": 3,
    "res": 4,
    "pool": 6,
    "install": 4,
    "priv": 2,
    "id": 2,
    "mem": 2,
    "env": 1,
}
"""How many cases there are of each subject."""


def test_every_case_has_a_row() -> None:
    every = {f"{subject}-{number}" for subject, count in NUMBERS.items() for number in range(1, count + 1)}
    assert set(CASES) == every


@pytest.mark.parametrize("case", CASES)
def test_what_a_row_names_exists(case: str) -> None:
    for test in CASES[case]:
        if test.startswith("rule:"):
            assert test.removeprefix("rule:") in {rule.id for rule in RULES}
        else:
            path, _, name = test.partition("::")
            assert re.search(rf"^def {name}\(", (TESTS / path).read_text(encoding="utf-8"), re.MULTILINE), test
