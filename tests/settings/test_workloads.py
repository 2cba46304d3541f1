"""What settings of jobs say together, and how a fault is told."""

import pytest

from pathways.settings import SettingsError
from tests.settings.stack_files import ABSENT, settings

JOB = ("workloads", 0)
DIRECT = (("install",), {"pathwaysJob": {"enabled": False}})
ELASTIC = ((*JOB, "elastic"), {"slices": 1})
HEADLESS = ((*JOB, "image"), ABSENT), ((*JOB, "command"), ABSENT), ((*JOB, "mode"), "headless")
MULTISLICE = ((*JOB, "kind"), "multislice")


def problems(*changes):
    with pytest.raises(SettingsError) as error:
        settings(*changes)
    return {problem.path: problem.message for problem in error.value.problems}


def job(*changes):
    return settings(*changes).workloads[0]


@pytest.mark.parametrize(
    ("changes", "recovery"),
    [
        ([], "inJob"),
        ([ELASTIC], "inJob"),
        ([DIRECT], "job"),
        ([DIRECT, ELASTIC], "slice"),
        ([DIRECT, ELASTIC, ((*JOB, "recovery"), "job")], "job"),
    ],
)
def test_recovery_follows_from_the_install(changes, recovery):
    assert job(*changes).recovery == recovery


def test_jobset_follows_from_the_install():
    assert settings().install.jobset.version == "0.11.1"
    assert settings(DIRECT).install.jobset.version == "0.12.0"
    older = (("install",), {"pathwaysJob": {"enabled": False}, "jobset": {"version": "0.11.1"}})
    assert settings(older).install.jobset.version == "0.11.1"


def test_a_pair_that_does_not_work_is_refused():
    found = problems((("install",), {"jobset": {"version": "0.12.0"}}))
    assert list(found) == ["install.jobset.version"]
    assert "legal with it: 0.11.1" in found["install.jobset.version"]


def test_slices_do_not_restart_alone_with_an_older_jobset():
    install = (("install",), {"pathwaysJob": {"enabled": False}, "jobset": {"version": "0.11.1"}})
    found = problems(install, ELASTIC, ((*JOB, "recovery"), "slice"))
    assert found == {
        "workloads[0].recovery": "slice needs JobSet 0.12.0, install.jobset.version is 0.11.1; take job or inJob"
    }


def test_an_elastic_job_with_an_older_jobset_restarts_as_a_whole():
    install = (("install",), {"pathwaysJob": {"enabled": False}, "jobset": {"version": "0.11.1"}})
    assert job(install, ELASTIC).recovery == "job"


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("recovery", "job", "recovery"),
        ("recovery", "slice", "recovery"),
        ("timeToLiveSeconds", 60, "timeToLiveSeconds"),
        ("imagePullPolicy", "Always", "imagePullPolicy"),
        ("imagePullSecrets", ["a"], "imagePullSecrets"),
        ("sliceRestarts", 9, "sliceRestarts"),
        ("workers", {"sharedMemoryGib": 1}, "workers.sharedMemoryGib"),
        ("workers", {"serviceAccount": "a"}, "workers.serviceAccount"),
        ("workers", {"tolerations": [{"key": "a"}]}, "workers.tolerations"),
        ("components", {"sidecar": {"image": "a", "flags": ["--b"]}}, "components.sidecar.flags"),
    ],
)
def test_what_a_pathwaysjob_cannot_have_is_refused_with_the_way_out(key, value, where):
    found = problems(((*JOB, key), value))
    assert list(found) == [f"workloads[0].{where}"]
    assert "install: {pathwaysJob: {enabled: false}}" in found[f"workloads[0].{where}"]
    if key != "sliceRestarts":  # which needs recovery inJob besides
        job(DIRECT, ((*JOB, key), value), *([ELASTIC] if value == "slice" else []))


@pytest.mark.parametrize("head", [{"nodeSelector": {"a": "b"}}, {"serviceAccount": "a"}, {"colocated": True}])
def test_a_headless_pathwaysjob_cannot_place_its_head(head):
    (where,) = problems(*HEADLESS, ((*JOB, "head"), head))
    assert where.startswith("workloads[0].head.")
    job(*HEADLESS, DIRECT, ((*JOB, "head"), head))
    job(((*JOB, "head"), head))  # a batch job's template can


def test_restarts_that_mean_nothing_are_refused():
    found = problems(DIRECT, ELASTIC, ((*JOB, "sliceRestarts"), 3))
    assert "a slice starts again as often as it fails" in found["workloads[0].sliceRestarts"]
    found = problems(((*JOB, "noRestartOnExitCodes"), [2]), ((*JOB, "maintenanceCounts"), False))
    assert set(found) == {"workloads[0].noRestartOnExitCodes", "workloads[0].maintenanceCounts"}


def test_a_headless_job_has_no_container_of_its_own():
    found = problems(*HEADLESS, ((*JOB, "port"), 8000), ((*JOB, "mounts"), [{"path": "/a", "claim": "b"}]))
    assert set(found) == {"workloads[0].port", "workloads[0].mounts"}


def test_the_kind_of_a_job():
    assert job(MULTISLICE).kind == "multislice"
    assert problems(((*JOB, "kind"), "multislce")) == {
        "workloads[0].kind": '"multislce" is none of pathways, multislice; did you mean "multislice"?'
    }
    assert problems(((*JOB, "kind"), ABSENT)) == {"workloads[0].kind": "is missing"}


def test_an_empty_choice_is_told_as_empty():
    assert problems(((*JOB, "recovery"), None)) == {"workloads[0].recovery": "is empty; legal: inJob, slice, job"}


def test_keys_are_those_of_the_jobs_kind():
    found = problems(MULTISLICE, ((*JOB, "elastic"), {"slices": 1}))
    assert list(found) == ["workloads[0].elastic"]
    assert "is not a key here" in found["workloads[0].elastic"]
    assert " elastic " not in found["workloads[0].elastic"]
    assert "hostNetwork" in found["workloads[0].elastic"]


def test_multislice_names_leave_room_for_their_pods():
    assert job(MULTISLICE, ((*JOB, "name"), "n" * 40)).name
    assert "40 are possible" in problems(MULTISLICE, ((*JOB, "name"), "n" * 41))["workloads[0].name"]


def test_slices_of_one_host_do_not_work_together():
    shape = (("slices", 0, "tpu"), "v6e-4")
    found = problems(MULTISLICE, shape)
    assert "2 slices of a single host" in found["workloads[0].slices.count"]
    job(MULTISLICE, shape, ((*JOB, "slices", "count"), 1))


def test_a_checkpoint_has_its_time():
    autocheckpoint = ((*JOB, "autocheckpoint"), True)
    assert job(autocheckpoint).grace_seconds == 300
    found = problems(autocheckpoint, ((*JOB, "terminationGraceSeconds"), 60))
    assert found["workloads[0].terminationGraceSeconds"] == "60 is too short for autocheckpoint; 300 at least"


def test_overrides_leave_a_job_its_name():
    found = problems(((*JOB, "overrides"), {"kind": "Job", "metadata": {"name": "a"}}))
    assert set(found) == {"workloads[0].overrides.kind", "workloads[0].overrides.metadata.name"}
    assert "a mapping is wanted" in problems(((*JOB, "overrides"), {"spec": None}))["workloads[0].overrides.spec"]


def test_what_kubernetes_takes_only_once():
    mounts = [{"path": "/a", "claim": "b"}, {"path": "/a/", "secret": "c"}]
    found = problems(DIRECT, ((*JOB, "mounts"), mounts), ((*JOB, "imagePullSecrets"), ["a", "a"]))
    assert set(found) == {"workloads[0].mounts[1].path", "workloads[0].imagePullSecrets[1]"}


def test_ports_of_pathways_are_its_own():
    assert "29000 is Pathways' own" in problems(((*JOB, "port"), 29000))["workloads[0].port"]
    assert job(((*JOB, "port"), 8080)).port == 8080
    beside_workers = ((*JOB, "head"), {"colocated": True})
    assert "8080 is Pathways' own" in problems(beside_workers, ((*JOB, "port"), 8080))["workloads[0].port"]


def test_names_that_the_product_gives_are_taken():
    server = {**settings().workloads[0].model_dump(include={"image"}), "name": "hello-server", "kind": "multislice"}
    slices = {"slices": {"group": "v6e", "count": 2}}
    first = {"name": "hello", "kind": "pathways", "image": "a", "port": 8000, **slices}
    found = problems((("workloads",), [first, {**server, **slices}]))
    assert found == {"workloads[1].name": '"hello-server" is the Service of hello, which has a port'}
    assert list(problems((("priorities",), {"colocated-head-of-hello": 3}))) == ["priorities.colocated-head-of-hello"]


def test_replaceable_jobs_are_declared():
    assert problems((("replaceable",), ["helo"])) == {
        "replaceable[0]": '"helo" is no job; legal: hello; did you mean "hello"?'
    }


@pytest.mark.parametrize(
    ("key", "value", "where", "message"),
    [
        ("xla", {"flags": ["--tpu=1"]}, "xla.flags[0]", "is not a flag of XLA, such as"),
        ("xla", {"dumpTo": "/tmp"}, "xla.dumpTo", "is not a place in Cloud Storage"),
        ("mounts", [{"path": "/dev/shm", "claim": "a"}], "mounts[0].path", "resources.sharedMemoryGib is its size"),
        ("labels", {"team": "a b"}, "labels.team", "is not a label's value"),
        ("annotations", {"bad key": "a"}, 'annotations["bad key"]', "is not a key of Kubernetes"),
        ("mounts", [{"path": "data", "claim": "a"}], "mounts[0].path", "is no absolute path"),
        ("mounts", [{"path": "/data"}], "mounts[0]", "has 0 of claim, secret and configMap; exactly one is wanted"),
        ("resources", {"sharedMemoryGib": 64}, "resources.sharedMemoryGib", "is not less than memoryGib, 32"),
        ("head", {"tolerations": [{"key": "a", "value": "b"}]}, "head.tolerations[0].value", "is of operator: Equal"),
    ],
)
def test_one_fault(key, value, where, message):
    found = problems(((*JOB, key), value))
    assert list(found) == [f"workloads[0].{where}"]
    assert message in found[f"workloads[0].{where}"]


def test_jobs_without_a_head_need_no_head_node():
    jobs = [{**settings().workloads[0].model_dump(include={"name"}), "name": f"job-{number}"} for number in range(3)]
    multislice = {"kind": "multislice", "image": "a", "slices": {"group": "v6e", "count": 2}}
    stack = settings((("workloads",), [{**each, **multislice} for each in jobs]), (("head",), {}))
    assert stack.head.max_nodes == 1


@pytest.mark.parametrize(
    ("changes", "where", "message"),
    [
        ([((*JOB, "env"), {"TPU_WORKER_ID": "0"}), MULTISLICE], "workloads[0].env.TPU_WORKER_ID", "is what GKE tells"),
        ([((*JOB, "resources"), {"cpus": 5000}), MULTISLICE], "workloads[0].resources", "ct6e-standard-4t has 180"),
        (
            [((*JOB, "head"), {"colocated": True}), ((*JOB, "resources"), {"memoryGib": 700})],
            "workloads[0].resources",
            "ct6e-standard-4t has 720",
        ),
        ([((*JOB, "mounts"), [{"path": "/", "claim": "a"}])], "workloads[0].mounts[0].path", "no plain path"),
        (
            [((*JOB, "mounts"), [{"path": "/a/../dev/shm", "claim": "a"}])],
            "workloads[0].mounts[0].path",
            "no plain path",
        ),
        ([((*JOB, "mounts"), [{"path": "//dev/shm", "claim": "a"}])], "workloads[0].mounts[0].path", "no plain path"),
        (
            [((*JOB, "overrides"), {"metadata": {"finalizers": ["a"]}})],
            "workloads[0].overrides.metadata.finalizers",
            "legal: labels annotations",
        ),
        ([(("priorities",), {"system-a": 5})], "priorities.system-a", "Kubernetes keeps for itself"),
        ([(("monitoring",), {"emails": ["a@b.c", "a@b.c"]})], "monitoring.emails[1]", "that of emails[0] as well"),
        ([((*JOB, "labels"), {"a..b/c": "d"})], 'workloads[0].labels["a..b/c"]', "is not a key of Kubernetes"),
    ],
)
def test_what_could_never_run_is_refused(changes, where, message):
    found = problems(*changes)
    assert list(found) == [where]
    assert message in found[where]


def test_multislice_jobs_may_choose_jaxs_platforms():
    assert job(MULTISLICE, ((*JOB, "env"), {"JAX_PLATFORMS": "tpu,cpu"})).env == {"JAX_PLATFORMS": "tpu,cpu"}


def test_colocated_heads_need_no_head_node():
    jobs = [
        {
            "name": name,
            "kind": "pathways",
            "image": "a",
            "slices": {"group": "v6e", "count": 1},
            "head": {"colocated": True},
        }
        for name in ("a", "b")
    ]
    assert settings((("workloads",), jobs), (("head",), {})).head.max_nodes == 1
