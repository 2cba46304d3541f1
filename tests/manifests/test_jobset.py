"""The JobSet of a PathwaysJob, held to what the real controller v0.1.4 posted (golden/).

NAME.jobset.yaml is the body that it posted for NAME.pathwaysjob.yaml, NAME.error.txt its error or panic.
"""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pathways.manifests import ControllerRefusal, jobset_of_pathways_job

GOLDEN = Path(__file__).parent / "golden"
POSTED = sorted(path.name.removesuffix(".jobset.yaml") for path in GOLDEN.glob("*.jobset.yaml"))
FAILED = sorted(path.name.removesuffix(".error.txt") for path in GOLDEN.glob("*.error.txt"))


def pathways_job(case):
    return yaml.safe_load((GOLDEN / f"{case}.pathwaysjob.yaml").read_text())


def without_noise(value):
    """Drops what serialisation adds: null timestamps, empty mappings and status, and the UID, which the case lacks."""
    if isinstance(value, dict):
        kept = {key: without_noise(item) for key, item in value.items() if key not in ("creationTimestamp", "uid")}
        return {key: item for key, item in kept.items() if item not in ({}, None)}
    if isinstance(value, list):
        return [without_noise(item) for item in value]
    return value


@pytest.mark.parametrize("case", POSTED)
def test_the_jobset_is_the_one_that_the_controller_posted(case):
    posted = yaml.safe_load((GOLDEN / f"{case}.jobset.yaml").read_text())
    assert without_noise(jobset_of_pathways_job(pathways_job(case))) == without_noise(posted)


@pytest.mark.parametrize("case", FAILED)
def test_it_fails_where_the_controller_failed_and_as_it_did(case):
    reason = (GOLDEN / f"{case}.error.txt").read_text().splitlines()[1].partition("createJobSet error: ")[2]
    with pytest.raises(ControllerRefusal) as refusal:
        jobset_of_pathways_job(pathways_job(case))
    assert reason.removeprefix("PANIC: ") in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_every_golden_case_is_here():
    assert len(POSTED) == 18
    assert len(FAILED) == 4


def job(workers=None, controller=None, **spec):
    """Returns a small PathwaysJob: two slices of two hosts of v4, with what is given besides."""
    return {
        "apiVersion": "pathways-job.pathways.domain/v1",
        "kind": "PathwaysJob",
        "metadata": {"name": "job", "namespace": "jobs", "uid": "1-2-3"},
        "spec": {
            "workers": [{"type": "ct4p-hightpu-4t", "topology": "2x2x2", "numSlices": 2, **(workers or {})}],
            "controller": {"deploymentMode": "default", **(controller or {})},
            "pathwaysDir": "gs://bucket/folder",
            **spec,
        },
    }


def replicated_jobs(manifest):
    head, workers = jobset_of_pathways_job(manifest)["spec"]["replicatedJobs"]
    return head["template"]["spec"], workers["template"]["spec"]


@pytest.mark.parametrize(
    ("workers", "elastic_slices", "retries"),
    [  # 4 for each of the two VMs; with elastic slices the CRD's default of 1 takes its place
        ({}, None, 8),
        ({"maxSliceRestarts": 7}, None, 8),
        ({}, 1, 2),
        ({"maxSliceRestarts": 4}, 1, 8),
        ({"maxSliceRestarts": 0}, 1, 8),
        ({"maxSliceRestarts": None}, 1, 2),
    ],
)
def test_worker_retries(workers, elastic_slices, retries):
    _, worker = replicated_jobs(job(workers, {"elasticSlices": elastic_slices}))
    assert worker["backoffLimit"] == retries


def test_a_headless_colocated_head_is_put_on_tpu_nodes():
    head, worker = replicated_jobs(job({"nodeSelector": {"a": "b"}}, {"deploymentMode": "colocate_head_with_workers"}))
    selector = {
        "a": "b",
        "cloud.google.com/gke-tpu-accelerator": "tpu-v4-podslice",
        "cloud.google.com/gke-tpu-topology": "2x2x2",
    }
    assert head["template"]["spec"]["nodeSelector"] == worker["template"]["spec"]["nodeSelector"] == selector


def test_grace_and_priority_of_the_workers_are_theirs_alone():
    head, worker = replicated_jobs(job({"terminationGracePeriodSeconds": 0, "priorityClassName": "high"}))
    assert worker["template"]["spec"]["terminationGracePeriodSeconds"] == 0
    assert worker["template"]["spec"]["priorityClassName"] == "high"
    assert not {"terminationGracePeriodSeconds", "priorityClassName"} & set(head["template"]["spec"])


def test_a_main_container_of_another_name_is_told_nothing():
    template = {"spec": {"containers": [{"name": "train", "image": "i", "env": [{"name": "A", "value": "1"}]}]}}
    head, _ = replicated_jobs(job(controller={"template": template}))
    assert head["template"]["spec"]["containers"] == template["spec"]["containers"]


def test_the_manifest_is_left_as_it_was():
    template = {"spec": {"containers": [{"name": "main", "image": "i"}], "initContainers": [{"name": "prep"}]}}
    manifest = job(controller={"template": template})
    before = yaml.safe_dump(manifest)
    jobset_of_pathways_job(manifest)
    assert yaml.safe_dump(manifest) == before


def test_the_owner_is_the_pathways_job():
    (owner,) = jobset_of_pathways_job(job())["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"], owner["controller"]) == ("PathwaysJob", "job", "1-2-3", True)


@pytest.mark.parametrize(
    ("manifest", "place"),
    [
        ({"spec": []}, "PathwaysJob.spec"),
        ({"spec": {"workers": {}}}, "spec.workers"),
        ({"spec": {"workers": [3]}}, "spec.workers[0]"),
        (job({"numSlices": "2"}), "spec.workers[0].numSlices"),
        (job({"numSlices": 2**31}), "spec.workers[0].numSlices"),
        (job({"numSlices": True}), "spec.workers[0].numSlices"),
        (job({"topology": 8}), "spec.workers[0].topology"),
        (job({"nodeSelector": {"a": 1}}), "spec.workers[0].nodeSelector.a"),
        (job(controller={"template": "x"}), "spec.controller.template"),
        (job(controller={"template": {"spec": {"containers": "x"}}}), "spec.controller.template.spec.containers"),
        (job(pathwaysVersion=0.8), "spec.pathwaysVersion"),
        (job(customComponents=[{"componentType": "worker", "customFlags": [1]}]), "customComponents[0].customFlags[0]"),
        (job(customComponents=[{"componentType": "worker", "customEnv": [1]}]), "customComponents[0].customEnv[0]"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(manifest, place):
    with pytest.raises(ControllerRefusal, match=r"wanted|no whole number") as refusal:
        jobset_of_pathways_job(manifest)
    assert place in str(refusal.value)


@pytest.mark.parametrize("topology", ["4x2x2", "2x2x2 ", "2X2X2", "4x4x12", ""])
def test_a_topology_is_taken_in_the_controllers_spelling_alone(topology):
    with pytest.raises(ControllerRefusal, match="invalid TPU topology for worker type"):
        jobset_of_pathways_job(job({"topology": topology}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths(value, path=()):
    """Yields the path of every value in a manifest."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


CASES = {case: pathways_job(case) for case in (*POSTED, *FAILED)}
PLACES = [(case, path) for case, manifest in CASES.items() for path in paths(manifest)]


@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_makes_a_jobset_or_one_line(place, value):
    case, path = place
    target = manifest = copy.deepcopy(CASES[case])
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    try:
        assert jobset_of_pathways_job(manifest)["kind"] == "JobSet"
    except ControllerRefusal as refusal:
        line = str(refusal)
    else:
        line = "fine"
    assert len(line.splitlines()) == 1
