"""PathwaysJobs of workloads, and the labels that bind jobs to their nodes."""

import re

from pathways.manifests import (
    HEAD_LABELS,
    group_labels,
    group_selector,
    jobset_of_pathways_job,
    namespace,
    pathways_job,
    priority_class,
)
from tests.settings.stack_files import ABSENT, settings

JOB = ("workloads", 0)


def rendered(*changes):
    stack = settings(*changes)
    return pathways_job(stack, stack.workloads[0])


def test_a_batch_job():
    job = rendered(((*JOB, "priority"), "high-prior-job"), ((*JOB, "env"), {"A": "1"}), ((*JOB, "args"), ["--x"]))
    assert (job["apiVersion"], job["kind"]) == ("pathways-job.pathways.domain/v1", "PathwaysJob")
    assert job["metadata"] == {"name": "hello", "namespace": "pathways"}
    assert job["spec"]["pathwaysVersion"] == "jax-0.8.3"
    assert job["spec"]["pathwaysDir"] == "gs://my-project-pathways-dev-scratch/pathways"
    assert job["spec"]["workers"] == [
        {
            "type": "ct6e-standard-4t",
            "topology": "4x4",
            "numSlices": 2,
            "nodeSelector": {"MultisliceGroup": "v6e", "pathways.dev/machine-type": "ct6e-standard-4t"},
            "terminationGracePeriodSeconds": 60,
            "priorityClassName": "high-prior-job",
        }
    ]
    head = job["spec"]["controller"]["template"]["spec"]
    assert head["nodeSelector"] == HEAD_LABELS
    assert head["priorityClassName"] == "high-prior-job"
    assert head["restartPolicy"] == "Never"
    (main,) = head["containers"]
    assert (main["name"], main["image"], main["args"]) == ("main", "python:3.13", ["--x"])
    assert main["env"] == [{"name": "DATA_LOADER_WORKERS", "value": "8"}, {"name": "A", "value": "1"}]
    assert main["resources"]["limits"] == main["resources"]["requests"] == {"cpu": "8", "memory": "32Gi"}  # case mem-1


def test_a_headless_job_has_no_template():
    changes = [((*JOB, key), ABSENT) for key in ("image", "command")]
    job = rendered(((*JOB, "mode"), "headless"), *changes)
    assert job["spec"]["controller"] == {"deploymentMode": "default", "mainContainerName": "main"}


def test_an_elastic_job_keeps_its_retries():  # case res-2
    def retries(*changes):
        return jobset_of_pathways_job(rendered(*changes))["spec"]["replicatedJobs"][1]["template"]["spec"][
            "backoffLimit"
        ]

    assert retries(((*JOB, "elastic"), {"slices": 1})) == retries() == 16


def test_the_controller_takes_it_and_no_variable_comes_twice():
    head = jobset_of_pathways_job(rendered(((*JOB, "env"), {"A": "1"})))["spec"]["replicatedJobs"][0]
    (main,) = head["template"]["spec"]["template"]["spec"]["containers"]
    names = [variable["name"] for variable in main["env"]]
    assert names == [
        "DATA_LOADER_WORKERS",
        "A",
        "PATHWAYS_HEAD",
        "JAX_PLATFORMS",
        "XCLOUD_ENVIRONMENT",
        "JAX_BACKEND_TARGET",
    ]


def test_a_group_is_told_by_name_size_and_machine_type():
    (group,) = settings().slices
    assert group_labels(group) == {
        "MultisliceGroup": "v6e",
        "MultisliceGroupSize": "3",  # with the spare
        "pathways.dev/machine-type": "ct6e-standard-4t",
    }


def test_jobs_select_nodes_by_labels_that_these_have_and_never_by_the_groups_size():
    (group,) = settings().slices
    assert group_selector(group).items() <= group_labels(group).items()
    assert "MultisliceGroupSize" not in group_selector(group)


def test_no_label_is_one_that_gke_keeps_for_itself():
    (group,) = settings().slices
    assert not [key for key in {**group_labels(group), **HEAD_LABELS} if re.search(r"(google|k8s|kubernetes)\.", key)]


def test_workers_may_mount_the_hosts_folder():
    assert namespace("jobs")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_a_priority_class_is_nobodys_default():
    job_class = priority_class("high-prior-job", 2000)
    assert (job_class["metadata"]["name"], job_class["value"]) == ("high-prior-job", 2000)
    assert (job_class["globalDefault"], job_class["preemptionPolicy"]) == (False, "PreemptLowerPriority")
