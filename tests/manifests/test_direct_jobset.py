"""What a JobSet of ours can do and a PathwaysJob cannot."""

import pytest

from pathways.manifests import colocated_head_priorities, connection_to, service_accounts, service_of
from tests.manifests.typed import DIRECT, HEADLESS, container, direct, jobs, pod, rendered
from tests.settings.stack_files import settings

HEAD, WORKER = "pathways-head", "worker"
NEVER = {"restartPolicy": "Never"}


def test_a_slice_restarts_alone_by_the_rule_that_was_measured():  # facts/sandbox.md, "Recovery"
    jobset = direct(elastic={"slices": 1}, jobRestarts=3)
    policy = jobset["spec"]["failurePolicy"]
    assert policy["maxRestarts"] == 3
    assert policy["rules"][0] == {
        "name": "slice",
        "action": "RestartJobAndIgnoreMaxRestarts",
        "targetReplicatedJobs": ["worker"],
    }
    worker = jobs(jobset)[WORKER]
    assert worker["backoffLimit"] == 0
    assert worker["template"]["spec"]["restartPolicy"] == pod(jobset, HEAD)["restartPolicy"] == "Never"
    assert "podFailurePolicy" not in worker  # any failure of a worker restarts its slice
    assert "--num_elastic_slices=1" in container(pod(jobset, HEAD), "pathways-proxy")["args"]


def test_the_gate_is_on_only_where_a_job_needs_it():
    assert settings(DIRECT).jobset_feature_gates == ()
    elastic = ("workloads", 0, "elastic")
    assert settings(DIRECT, (elastic, {"slices": 1})).jobset_feature_gates == ("RestartJob",)
    assert settings((elastic, {"slices": 1})).jobset_feature_gates == ()  # with the PathwaysJob controller


def test_maintenance_is_not_a_restart_by_default():  # case res-4
    jobset = direct()
    assert jobset["spec"]["failurePolicy"] == {
        "maxRestarts": 1,
        "rules": [
            {
                "name": "maintenance",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["PodFailurePolicy"],
            }
        ],
    }
    disrupted = {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    for job in jobs(jobset).values():
        assert job["podFailurePolicy"] == {"rules": [disrupted]}
        assert job["template"]["spec"]["restartPolicy"] == "Never"  # which pod failure policies ask for


def test_maintenance_counts_where_that_is_wanted():
    jobset = direct(maintenanceCounts=True)
    assert jobset["spec"]["failurePolicy"] == {"maxRestarts": 1}
    assert not any("podFailurePolicy" in job for job in jobs(jobset).values())


def test_some_exit_codes_end_the_job():
    jobset = direct(noRestartOnExitCodes=[3, 2])
    assert jobset["spec"]["failurePolicy"]["rules"][0]["action"] == "FailJobSet"
    assert jobs(jobset)[HEAD]["podFailurePolicy"]["rules"][0] == {
        "action": "FailJob",
        "onExitCodes": {"containerName": "main", "operator": "In", "values": [2, 3]},
    }


def test_retries_are_never_lowered_by_elasticity():
    def retries(**values):
        return jobs(direct(recovery="inJob", **values))[WORKER]["backoffLimit"]

    assert retries() == retries(elastic={"slices": 1}) == 16  # four hosts
    assert retries(sliceRestarts=6) == retries(sliceRestarts=6, elastic={"slices": 1}) == 24


def test_a_headless_head_has_its_place():
    jobset = direct(
        *HEADLESS,
        priority="high-prior-job",
        head={
            "nodeSelector": {"pool": "mine"},
            "serviceAccount": "notebooks",
            "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "heads", "effect": "NoSchedule"}],
        },
    )
    head = pod(jobset, HEAD)
    assert head["nodeSelector"] == {"pathways.dev/pool": "head", "pool": "mine"}
    assert head["serviceAccountName"] == "notebooks"
    assert head["tolerations"] == [{"key": "dedicated", "operator": "Equal", "value": "heads", "effect": "NoSchedule"}]
    assert (head["priorityClassName"], head["terminationGracePeriodSeconds"]) == ("high-prior-job", 60)
    assert "successPolicy" not in jobset["spec"]


def test_workers_have_their_place_and_shared_memory():
    jobset = direct(
        workers={
            "serviceAccount": "trainers",
            "tolerations": [{"key": "cloud.google.com/gke-queued"}],
            "sharedMemoryGib": 16,
        }
    )
    worker = pod(jobset, WORKER)
    assert worker["serviceAccountName"] == "trainers"
    assert worker["tolerations"] == [{"key": "cloud.google.com/gke-queued", "operator": "Exists"}]
    assert {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}} in worker["volumes"]
    mounts = container(worker, "pathways-worker")["volumeMounts"]
    assert {mount["mountPath"] for mount in mounts} == {"/tmp", "/dev/shm"}


def test_the_sidecar_has_flags_and_variables():
    sidecar = {"image": "example/sidecar:jax-0.8.3", "flags": ["--threads=8"], "env": {"LOG": "1"}}
    worker = pod(direct(components={"sidecar": sidecar}), WORKER)
    (found,) = worker["initContainers"]
    assert (found["image"], found["args"]) == ("example/sidecar:jax-0.8.3", ["--threads=8"])
    assert {"name": "LOG", "value": "1"} in found["env"]


def test_images_are_pulled_as_told():
    jobset = direct(imagePullPolicy="IfNotPresent", imagePullSecrets=["registry"])
    for spec in (pod(jobset, HEAD), pod(jobset, WORKER)):
        assert spec["imagePullSecrets"] == [{"name": "registry"}]
        every = [*spec.get("initContainers", []), *spec["containers"]]
        assert {each["imagePullPolicy"] for each in every} == {"IfNotPresent"}


def test_it_goes_away_by_itself():
    assert direct(timeToLiveSeconds=3600)["spec"]["ttlSecondsAfterFinished"] == 3600
    assert "ttlSecondsAfterFinished" not in direct()["spec"]


@pytest.mark.parametrize("install", [{}, {"pathwaysJob": {"enabled": False}}])
def test_a_colocated_head_has_a_priority_of_its_own_value(install):  # facts/pathways_job.md 1.9
    changes = [
        (("install",), install),
        (("workloads", 0, "head"), {"colocated": True}),
        (("workloads", 0, "priority"), "low-prior-job"),
    ]
    stack = settings(*changes)
    classes = colocated_head_priorities(stack)
    assert classes == {"colocated-head-of-hello": 1001}
    manifest = rendered(*changes)
    spec = manifest["spec"]
    head = spec["controller"]["template"]["spec"] if manifest["kind"] == "PathwaysJob" else pod(manifest, HEAD)
    assert head["priorityClassName"] == "colocated-head-of-hello"
    assert {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"} in head["tolerations"]


def test_a_colocated_heads_value_is_nobodys():
    stack = settings((("workloads", 0, "head"), {"colocated": True}), (("priorities",), {"a": 1, "b": 2}))
    assert colocated_head_priorities(stack) == {"colocated-head-of-hello": 3}


def test_two_colocated_heads_have_two_values():
    job = {"kind": "pathways", "image": "a", "slices": {"group": "v6e", "count": 1}, "head": {"colocated": True}}
    stack = settings((("workloads",), [{**job, "name": "a"}, {**job, "name": "b"}]), (("priorities",), {}))
    assert colocated_head_priorities(stack) == {"colocated-head-of-a": 1, "colocated-head-of-b": 2}


def test_a_default_that_is_written_out_changes_nothing():
    plain = direct(*HEADLESS, recovery="inJob")
    assert direct(*HEADLESS, recovery="inJob", head={"colocated": False}) == plain


def test_a_headless_job_says_how_to_connect():
    stack = settings(*HEADLESS)
    lines = connection_to(stack, stack.workloads[0])
    assert lines["forward"] == "kubectl port-forward --namespace pathways job/hello-pathways-head-0 29000:29000"
    assert "JAX_PLATFORMS=proxy" in lines["environment"]
    assert "JAX_BACKEND_TARGET=grpc://127.0.0.1:29000" in lines["environment"]
    batch = settings()
    assert connection_to(batch, batch.workloads[0]) is None


def test_a_server_is_reached_by_a_service():
    stack = settings((("workloads", 0, "port"), 8000))
    service = service_of(stack, stack.workloads[0])
    assert service["metadata"] == {"name": "hello-server", "namespace": "pathways"}
    assert service["spec"]["selector"] == {
        "jobset.sigs.k8s.io/jobset-name": "hello",
        "jobset.sigs.k8s.io/replicatedjob-name": "pathways-head",
    }
    (main,) = rendered((("workloads", 0, "port"), 8000))["spec"]["controller"]["template"]["spec"]["containers"]
    assert main["ports"] == [{"containerPort": 8000}]


def test_service_accounts_are_made_once_and_never_the_default_one():
    head = {"serviceAccount": "a"}
    stack = settings(DIRECT, (("workloads", 0, "head"), head), (("workloads", 0, "workers"), {"serviceAccount": "a"}))
    assert service_accounts(stack) == ["a"]
    stack = settings(DIRECT, (("workloads", 0, "head"), {"serviceAccount": "default"}))
    assert service_accounts(stack) == []
