"""Manifests of the kinds that people have: lint says about each what went wrong with it for somebody."""

from pathlib import Path

import pytest

from pathways.lint import Report, lint
from pathways.rules import Environment

CASES = Path(__file__).parent / "cases"
GOLDEN = Path(__file__).resolve().parents[1] / "manifests" / "golden"


def report(path: Path, environment: Environment = Environment.DEV) -> Report:
    return lint({path.name: path.read_bytes()}, environment)


def errors(path: Path, environment: Environment = Environment.DEV) -> set[tuple[int, str]]:
    return {(each.line, each.rule) for each in report(path, environment).remarks if each.severity == "error"}


def warnings(path: Path) -> set[str]:
    return {each.rule for each in report(path).remarks if each.severity == "warning"}


def test_workers_that_nothing_retries_and_that_others_can_join() -> None:  # cases net-1, net-2, sched-1, mem-1
    path = CASES / "jobset-fragile-workers.yaml"
    assert errors(path) == {
        (15, "head-memory-reserved"),
        (16, "head-memory-reserved"),
        (18, "exclusive-topology"),
        (22, "workers-retried"),
    }
    assert {"head-completes", "pathways-version-pinned"} <= warnings(path)


def test_a_slice_of_two_hosts_is_not_one_of_four() -> None:  # cases topo-6, sched-1
    path = CASES / "jobset-multislice-wrong-hosts.yaml"
    assert errors(path) == {(8, "exclusive-topology"), (12, "jobset-hosts"), (13, "jobset-hosts")}
    said = " ".join(each.message for each in report(path).remarks)
    assert "8 chips / 4 = 2 hosts" in said


def test_a_queue_for_tpus_alone() -> None:  # case sched-5
    assert errors(CASES / "kueue-tpu-only-quota.yaml") == {(7, "queue-covers-heads")}


def test_a_variable_that_pathways_sets_and_a_name_that_is_too_long() -> None:  # cases env-1, install-4
    path = CASES / "pathwaysjob-duplicate-env.yaml"
    assert errors(path) == {(4, "job-name"), (17, "pathways-built-in-variables")}
    said = " ".join(each.message for each in report(path).remarks)
    assert "pathways-finetune-large-pathways-head-0-0.pathways-finetune-large" in said
    assert "JAX_PLATFORMS" in said


def test_the_staging_bucket_and_no_version() -> None:  # cases scratch-1, ver-2
    path = CASES / "pathwaysjob-staging-bucket.yaml"
    assert errors(path) == {(9, "scratch-location")}
    assert "pathways-version-pinned" in warnings(path)
    assert {rule for _, rule in errors(path, Environment.PROD)} == {"scratch-location", "pathways-version-pinned"}


REFUSED = {
    "10-custom-components": {(25, "JAX_PLATFORMS"), (36, "TPU_SKIP_MDS_QUERY"), (55, "MEGASCALE_NUM_SLICES")},
    "14-v6e-1x1": {(9, '"1x1" is not a topology of ct6e-standard-4t')},
    "16-zero-slices": {(10, "0 slices")},
    "18-bad-topology": {(9, '"3x3" is not a topology of ct6e-standard-4t')},
    "20-bad-machine-type": {(8, '"ct6e-standard-1t"')},
    "21-bad-empty-workers": {(7, "No workers")},
    "22-bad-no-controller": {(7, "spec.controller is missing")},
    "23-long-name": {(4, "a-name-that-is-23-chars-pathways-head-0-0.a-name-that-is-23-chars")},
    "25-bad-deployment-mode": {(12, '"Default"')},
    "26-two-workers": {(8, "2 entries; 1 at most")},
    "27-dup-components": {(30, '"worker" twice')},
    "28-elastic-more-than-slices": {(13, "5 slices may be away, and the job has 1")},
}
"""What the API server, the controller, the JobSet CRD or its webhook refuses of the golden PathwaysJobs, with its line.
Of 14, 16 and 28 it is what all of them accept and no cluster can run."""

INPUTS = sorted(path.name.removesuffix(".pathwaysjob.yaml") for path in GOLDEN.glob("*.pathwaysjob.yaml"))


@pytest.mark.parametrize("name", INPUTS)
def test_what_a_cluster_refuses_of_the_golden_inputs_is_found_and_no_more(name: str) -> None:
    remarks = report(GOLDEN / f"{name}.pathwaysjob.yaml").remarks
    found = [(each.line, each.message) for each in remarks if each.severity == "error"]
    wanted = REFUSED.get(name, set())
    assert len(found) == len(wanted), found
    for line, text in wanted:
        assert any(at == line and text in message for at, message in found), found


JOBSETS = sorted(path.name.removesuffix(".jobset.yaml") for path in GOLDEN.glob("*.jobset.yaml"))
REFUSED_JOBSETS = {
    "10-custom-components": {"manifest-shape", "pathways-flags"},
    "14-v6e-1x1": {"jobset-topology"},
    "16-zero-slices": {"pathways-flags"},
    "23-long-name": {"job-name"},
    "28-elastic-more-than-slices": {"pathways-flags"},
}


@pytest.mark.parametrize("name", JOBSETS)
def test_the_same_of_the_jobsets_that_the_controller_makes_of_them(name: str) -> None:
    found = {rule for _, rule in errors(GOLDEN / f"{name}.jobset.yaml")}
    assert found == REFUSED_JOBSETS.get(name, set())


def test_checkpoints_in_the_place_that_pathways_deletes_from() -> None:
    path = CASES / "pathwaysjob-checkpoints-in-scratch.yaml"
    assert errors(path) == {(20, "checkpoints-outlive-scratch"), (23, "checkpoints-outlive-scratch")}
