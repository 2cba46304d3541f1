"""A job is the same on the cluster in both forms, where the controller's own recovery is wanted.

The jobs are those of golden/ that are legal, written as settings; what the real controller posted is compared with.
"""

import copy
from pathlib import Path

import pytest
import yaml

from pathways.manifests import jobset_of_pathways_job, manifest_of
from pathways.settings import parse_settings

GOLDEN = Path(__file__).parent / "golden"

BATCH = {"image": "python:3.13", "command": ["python", "-c", "print(1)"]}
CASES = {
    "01-v4-default-2slices": {"slices": 2, "job": {**BATCH, "jobRestarts": 10}},
    "02-v5e-4t-headless": {"slices": 2, "job": {"mode": "headless", "jobRestarts": 1}},
    "03-v5e-8t-single-host": {"slices": 1, "job": {**BATCH, "jax": "0.5.3"}},
    "05-v6e-4t-colocate": {"slices": 2, "job": {**BATCH, "head": {"colocated": True}}},
    "07-tpu7x-default": {"slices": 2, "job": BATCH},
    "08-elastic": {"slices": 2, "job": {**BATCH, "elastic": {"slices": 1}, "sliceRestarts": 4}},
    "11-sidecar-no-image": {"slices": 1, "job": BATCH},
    "12-user-template-metadata-init-sidecar": {"slices": 1, "job": BATCH},
    "33-elastic-explicit-zero-slice-restarts": {"slices": 2, "job": {**BATCH, "elastic": {"slices": 1}}},
}
"""What each case says, as a person would write it in a stack file; shape and name are taken from the case."""

ADDED = ("creationTimestamp", "status", "nodeSelector", "terminationGracePeriodSeconds", "priorityClassName")
"""What serialisation adds, and a stack on purpose."""


def golden(case, kind):
    return yaml.safe_load((GOLDEN / f"{case}.{kind}.yaml").read_text())


def stack(case, *, controller):
    given, told = golden(case, "pathwaysjob"), CASES[case]
    (workers,) = given["spec"]["workers"]
    job = {"jobRestarts": 0, "recovery": "inJob", **copy.deepcopy(told["job"])}
    mapping = {
        "environment": "dev",
        "zone": "us-east5-b",
        "jax": "0.8.3",
        "namespace": "default",
        "scratch": {"bucket": "bkt", "prefix": "tmp"},
        "install": {"pathwaysJob": {"enabled": controller}},
        "slices": [
            {
                "name": "group",
                "machineType": workers["type"],
                "topology": workers["topology"],
                "count": told["slices"],
                "capacity": {"onDemand": {}},
            }
        ],
        "workloads": [
            {
                "name": given["metadata"]["name"],
                "kind": "pathways",
                "slices": {"group": "group", "count": told["slices"]},
                **job,
            }
        ],
    }
    mapping["zone"] = ZONES[workers["type"].split("-")[0]]
    return parse_settings(mapping, project="my-project", stack="dev", source="test")


ZONES = {
    "ct4p": "us-central2-b",
    "ct5lp": "us-west4-a",
    "ct5p": "us-east5-a",
    "ct6e": "us-east5-b",
    "tpu7x": "us-central1-c",
}


def manifest(case, *, controller):
    settings = stack(case, controller=controller)
    return manifest_of(settings, settings.workloads[0])


def without_owner(jobset):
    jobset = copy.deepcopy(jobset)
    jobset["metadata"].pop("ownerReferences")
    return jobset


@pytest.mark.parametrize("case", CASES)
def test_both_forms_put_the_same_jobset_on_the_cluster(case):
    by_controller = jobset_of_pathways_job(manifest(case, controller=True))
    assert manifest(case, controller=False) == without_owner(by_controller)


@pytest.mark.parametrize("case", CASES)
def test_the_workers_are_those_that_the_real_controller_made(case):
    posted = golden(case, "jobset")["spec"]["replicatedJobs"][1]
    ours = manifest(case, controller=False)["spec"]["replicatedJobs"][1]
    assert comparable(ours) == comparable(posted)


@pytest.mark.parametrize("case", CASES)
def test_the_head_has_the_containers_that_the_real_controller_made(case):
    posted = golden(case, "jobset")["spec"]
    ours = manifest(case, controller=False)["spec"]
    assert servers(ours) == servers(posted)
    kept = {"startupPolicy", "failurePolicy", "successPolicy", "coordinator"}
    assert comparable({key: ours.get(key) for key in kept}) == comparable({key: posted.get(key) for key in kept})


def servers(spec):
    pod = spec["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    every = [*pod.get("initContainers", []), *pod["containers"]]
    return [comparable(container) for container in every if container["name"].startswith("pathways-")]


def comparable(value):
    """Drops what serialisation and a stack add, and names the version that the cases leave out."""
    if isinstance(value, dict):
        kept = {key: comparable(item) for key, item in value.items() if key not in ADDED}
        return {key: item for key, item in kept.items() if item not in ({}, None)}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str) and "/pathways/" in value:
        return value.replace(":latest", ":jax-0.8.3")
    return value


def test_every_legal_case_is_here():
    """Those that golden/VERDICTS.md accepts throughout, without those that no settings can say (14, 15, 16, 28)."""
    rows = (GOLDEN / "VERDICTS.md").read_text().splitlines()[2:]
    accepted = {row.split("|")[1].strip() for row in rows if "JobSet posted" in row and "REJECT" not in row}
    unsaid = {"14-v6e-1x1", "15-no-dir-no-version", "16-zero-slices", "28-elastic-more-than-slices"}
    assert accepted - unsaid == set(CASES)
