"""Quotas of queues, as derived from slices and heads."""

from fractions import Fraction
from typing import Any

import pytest

from pathways.manifests import cluster_queues, cohort, manifest_of, resource_flavors, workload_priority_classes
from pathways.manifests.labels import HEAD_LABELS, group_labels
from pathways.quantities import parse_quantity
from pathways.resources import Resource
from pathways.rules.check import check
from pathways.rules.model import Context, Use
from pathways.settings import StackSettings
from pathways.shares import Share, shares
from tests.plan.stacks import V6E, job, settings

V5P = {"name": "v5p", "tpu": "v5p-16", "count": 4, "capacity": {"onDemand": {}}}
TEAMS = [{"name": "research", "slices": {"v5p": 2, "v6e": 1}}, {"name": "product", "slices": {"v5p": 1}, "weight": 3}]


def stack(*jobs: dict[str, Any], heads: int = 6, **changed: Any) -> StackSettings:
    values = {"zone": "us-east5-a", "slices": [V5P, V6E], "queues": TEAMS, "workloads": list(jobs), **changed}
    return settings(head={"machineType": "n2-standard-64", "maxNodes": heads}, **values)


def quotas(manifest: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Quota by flavor and resource."""
    (group,) = manifest["spec"]["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "memory", "google.com/tpu", "pods"]
    return {
        flavor["name"]: {each["name"]: each["nominalQuota"] for each in flavor["resources"]}
        for flavor in group["flavors"]
    }


def test_a_team_is_guaranteed_the_chips_and_hosts_of_its_slices():
    """v5p-16: 8 chips on 2 hosts of 208 vCPUs and 448 GB. Pods: the workers, and a head beside those of each slice."""
    research, product = cluster_queues(stack())
    assert quotas(research)["slices-v5p"] == {
        "cpu": str(2 * 2 * 208),
        "memory": f"{2 * 2 * 448}Gi",
        "google.com/tpu": str(2 * 8),
        "pods": str(2 * 2 + 2),
    }
    assert quotas(research)["slices-v6e"]["google.com/tpu"] == "16"
    assert quotas(product)["slices-v6e"] == dict.fromkeys(["cpu", "memory", "google.com/tpu", "pods"], "0")


def test_what_no_team_is_guaranteed_is_the_cohorts_and_spares_are_no_ones():
    left = quotas(cohort(stack()))
    assert left["slices-v5p"]["google.com/tpu"] == "8"  # 1 of 4
    assert left["slices-v6e"]["google.com/tpu"] == "16"  # 1 of 2, and not the spare
    assert {queue["spec"]["cohortName"] for queue in cluster_queues(stack())} == {"pathways"}


def test_heads_are_counted_by_pods_as_host_ports_let_one_onto_a_node():
    """n2-standard-64 leaves 63.77 CPUs to pods, where two heads of 32 CPUs would fit otherwise."""
    research, product = cluster_queues(stack())
    assert quotas(research)["heads"] == {
        "cpu": f"{3 * 63770}m",
        "memory": quotas(research)["heads"]["memory"],
        "google.com/tpu": "0",
        "pods": "3",
    }
    assert quotas(product)["heads"]["pods"] == "1"
    assert quotas(cohort(stack()))["heads"]["pods"] == "2"


@pytest.mark.parametrize(
    ("nodes", "research", "product", "left"),
    [(2, 1, 1, 0), (3, 2, 1, 0), (4, 3, 1, 0), (6, 3, 1, 2)],
)
def test_too_few_heads_are_shared_like_slices_and_each_team_has_one(nodes, research, product, left):
    found = shares(stack(heads=nodes))
    assert {name: share.heads for name, share in found.guaranteed.items()} == {"research": research, "product": product}
    assert found.left.heads == left


def test_a_team_without_slices_of_its_own_has_no_head_either():
    found = shares(stack(queues=[{"name": "guests"}, *TEAMS]))
    assert found.guaranteed["guests"] == Share({}, 0)


@pytest.mark.parametrize("nodes", [2, 5, 7, 64])
def test_quotas_are_written_as_the_api_server_writes_them(nodes):
    """Anything else would be a change at every preview: no fraction, no unit that a larger one can replace."""
    for flavor in quotas(cohort(stack(heads=nodes))).values():
        for resource, amount in flavor.items():
            number = parse_quantity(amount)
            assert number is not None
            if resource == "cpu":
                assert amount == (str(int(number)) if number.denominator == 1 else f"{number * 1000}m")
            elif resource == "memory" and number:
                unit = next(power for power in (4, 3, 2) if number / Fraction(1024**power) % 1 == 0)
                assert amount.endswith({4: "Ti", 3: "Gi", 2: "Mi"}[unit])


def test_flavors_select_what_jobs_select_themselves():
    """Kueue writes a flavor's labels into the node selectors of a job, which must not change by that."""
    found = stack(job("a", "v5p", 1, queue="research"))
    labels = {each["metadata"]["name"]: each["spec"]["nodeLabels"] for each in resource_flavors(found)}
    manifest = manifest_of(found, found.workloads[0])
    head, workers = manifest["spec"]["controller"]["template"]["spec"], manifest["spec"]["workers"][0]
    assert labels["heads"].items() <= head["nodeSelector"].items()
    assert labels["slices-v5p"].items() <= workers["nodeSelector"].items()
    assert labels["slices-v5p"].items() <= group_labels(found.slices[0]).items()
    assert labels["heads"] == HEAD_LABELS


@pytest.mark.parametrize("kind", ["pathways", "multislice"])
@pytest.mark.parametrize("controller", [True, False])
def test_a_job_names_its_queue_and_its_priority(kind, controller):
    found = stack(
        job("a", "v5p", 1, kind=kind, queue="research", priority="high", labels={"team": "a"}),
        priorities={"high": 2000},
        install={"pathwaysJob": {"enabled": controller}},
    )
    assert manifest_of(found, found.workloads[0])["metadata"]["labels"] == {
        "team": "a",
        "kueue.x-k8s.io/queue-name": "research",
        "kueue.x-k8s.io/priority-class": "high",
    }
    assert [(each["metadata"]["name"], each["value"]) for each in workload_priority_classes(found)] == [("high", 2000)]


def test_a_head_beside_workers_does_not_lift_its_job_above_others():
    """Kueue takes the first PriorityClass among a job's pods, and such a head has one of its own."""
    found = stack(job("a", "v5p", 1, queue="research", head={"colocated": True}))
    labels = manifest_of(found, found.workloads[0])["metadata"]["labels"]
    (priority,) = workload_priority_classes(found)
    assert labels["kueue.x-k8s.io/priority-class"] == priority["metadata"]["name"]
    assert priority["value"] == 0


def test_queued_jobs_let_others_into_their_group():
    """Kueue starts a job with all its slices or not at all; kept out by pods, it would hold quota without running."""
    found = stack(job("a", "v5p", 1, kind="multislice", queue="research"))
    (slices,) = manifest_of(found, found.workloads[0])["spec"]["replicatedJobs"]
    assert "affinity" not in slices["template"]["spec"]["template"]["spec"]


def test_the_rules_hold_queues_to_what_kueue_wants():
    found = stack(job("a", "v5p", 1, queue="research"))
    objects = [*resource_flavors(found), cohort(found), *cluster_queues(found)]
    resources = [
        Resource(f"kubernetes:{each['apiVersion']}:{each['kind']}", each["metadata"]["name"], each) for each in objects
    ]
    assert check(resources, Context(), Use.LINT) == []
