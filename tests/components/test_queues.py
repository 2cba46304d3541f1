"""Kueue and the teams' queues, as the program declares them."""

import yaml

from pathways.gcp import parse_path
from tests.components.recordings import declare
from tests.components.test_in_cluster import CHART, JOB, hello, waits_for

KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2:"


def queued(**changes):
    """The small stack with two teams and a job of one of them."""
    teams = [{"name": "research", "slices": {"v6e": 1}}, {"name": "product", "slices": {"v6e": 1}}]
    return declare(**{"queues": teams, "workloads": [hello(queue="research")], **changes})


def chart_of(recording, name):
    return next(chart for chart in recording.of_type(CHART) if name in chart.name)


def test_without_queues_there_is_no_kueue():
    assert not [resource for resource in declare().resources if "kueue" in resource.type + resource.name]


def test_kueue_is_pinned_with_its_released_image():
    chart = chart_of(queued(), "kueue").properties
    assert (chart["chart"], chart["version"]) == ("oci://registry.k8s.io/kueue/charts/kueue", "0.17.0")
    image = chart["values"]["controllerManager"]["manager"]["image"]
    assert (image["repository"], image["tag"]) == ("registry.k8s.io/kueue/kueue", "v0.17.0")
    chart = chart_of(queued(install={"kueue": {"source": "charts/kueue"}}), "kueue").properties
    assert chart["chart"] == "charts/kueue"
    assert "version" not in chart


def test_kueue_shares_fairly_and_knows_of_jobs():
    """Without batch/job its webhook panics at every Job: Kueue 0.17.0, in the rehearsal."""
    values = chart_of(queued(), "kueue").properties["values"]
    configuration = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    assert configuration["integrations"]["frameworks"] == ["batch/job", "jobset.x-k8s.io/jobset"]
    assert configuration["fairSharing"]["preemptionStrategies"]


def test_jobset_stands_before_kueue_that_before_queues_and_those_before_jobs():
    recording = queued()
    kueue, (job,) = chart_of(recording, "kueue"), recording.of_type(JOB)
    objects = [resource for resource in recording.resources if resource.type.startswith(KUEUE)]
    assert chart_of(recording, "jobset").urn in waits_for(recording, kueue)
    assert len(objects) == 2 + 1 + 2 + 2  # flavors, cohort, a queue and the way to it for each team
    for each in objects:
        assert kueue.urn in waits_for(recording, each)
    assert {each.urn for each in objects} <= waits_for(recording, job)


def test_the_control_plane_may_call_kueues_api_where_there_is_one():
    """Its Service leads to port 8082: without an answer from there no namespace can be deleted."""
    ports = [each.named("pathways-network-webhooks").properties["allows"][0]["ports"] for each in (declare(), queued())]
    assert ports == [["9443"], ["9443", "8082"]]


def test_a_queue_waits_for_its_flavors_so_that_it_goes_before_them():
    recording = queued()
    flavors = {each.urn for each in recording.of_type(f"{KUEUE}ResourceFlavor")}
    for queue in recording.of_type(f"{KUEUE}ClusterQueue"):
        assert flavors <= waits_for(recording, queue)


def test_a_job_that_changes_its_queue_is_a_new_job():
    (job,) = queued().of_type(JOB)
    paths = [parse_path(path) for path in job.options.replace_on_changes]
    assert paths == [("spec",), ("metadata", "labels", "kueue.x-k8s.io/queue-name")]
