"""What a job's program and Pathways' containers are told (features W4 to W8, W11, W14)."""

from tests.manifests.typed import container, direct, of_job, pod, rendered


def main(**values):
    return rendered(*of_job(**values))["spec"]["controller"]["template"]["spec"]["containers"][0]


def variables(**values):
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in main(**values)["env"]}


def components(**values):
    found = rendered(*of_job(**values))["spec"].get("customComponents", [])
    return {each["componentType"]: each for each in found}


def test_the_loader_knows_the_containers_cpus_and_has_shared_memory():  # W7
    resources = {"cpus": 12, "memoryGib": 64, "sharedMemoryGib": 24}
    assert variables(resources=resources)["DATA_LOADER_WORKERS"] == "12"
    template = rendered(*of_job(resources=resources))["spec"]["controller"]["template"]["spec"]
    assert template["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "24Gi"}}]
    assert template["containers"][0]["volumeMounts"] == [{"name": "shared-memory", "mountPath": "/dev/shm"}]


def test_shared_memory_is_half_of_the_memory_by_default():  # case mem-2
    template = rendered()["spec"]["controller"]["template"]["spec"]
    assert template["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}]


def test_the_users_variables_have_the_last_word_and_none_comes_twice():
    env = main(env={"DATA_LOADER_WORKERS": "2"})["env"]
    assert [each for each in env if each["name"] == "DATA_LOADER_WORKERS"] == [
        {"name": "DATA_LOADER_WORKERS", "value": "2"}
    ]


def test_elastic_programs_know_the_smallest_number_of_slices():  # W11
    assert variables(elastic={"slices": 1})["MINIMUM_SLICE_COUNT"] == "1"  # of two
    assert variables(elastic={"slices": 1, "mode": "pauseResume"})["MINIMUM_SLICE_COUNT"] == "2"
    assert variables(elastic={"slices": 2})["MINIMUM_SLICE_COUNT"] == "1"  # none is no training
    assert "MINIMUM_SLICE_COUNT" not in variables()


def test_persistence_and_patience():  # W5
    found = variables(persistence=True, proxyTimeoutSeconds=1800)
    assert found["ENABLE_PATHWAYS_PERSISTENCE"] == "1"  # pathwaysutils takes 1, 0 or nothing
    assert found["PATHWAYS_PROXY_CONNECTION_TIMEOUT_SECS"] == "1800"


def test_the_profiler_is_guarded():  # W8
    loopback = variables(profiling={})
    assert loopback["PATHWAYS_PROFILING_SERVER_HOST"] == "127.0.0.1"
    assert loopback["PATHWAYS_PROFILING_ALLOWED_GCS_BUCKETS"] == (
        "gs://my-project-pathways-dev-scratch/pathways/profiles"
    )
    shared = variables(profiling={"token": {"secret": "profiler"}, "locations": ["gs://my-bucket/p"]})
    assert shared["PATHWAYS_PROFILING_AUTH_TOKEN"] == {"secretKeyRef": {"name": "profiler", "key": "token"}}
    assert shared["PATHWAYS_PROFILING_ALLOWED_GCS_BUCKETS"] == "gs://my-bucket/p"
    assert "PATHWAYS_PROFILING_SERVER_HOST" not in shared


def test_profiles_checkpoints_and_dumps_have_places_where_they_are_declared():  # B5
    assert not {"CHECKPOINT_LOCATION", "PROFILE_LOCATION"} & variables().keys()
    places = (("checkpoints",), {}), (("scratch",), {"profiles": {}, "dumps": {}})
    job = rendered(*places, *of_job(profiling={}, xla={"dump": True}))["spec"]
    env = {each["name"]: each["value"] for each in job["controller"]["template"]["spec"]["containers"][0]["env"]}
    assert env["CHECKPOINT_LOCATION"] == "gs://my-project-pathways-dev-checkpoints/hello"
    assert env["PROFILE_LOCATION"] == "gs://my-project-pathways-dev-scratch/profiles/hello"
    assert env["PATHWAYS_PROFILING_ALLOWED_GCS_BUCKETS"] == "gs://my-project-pathways-dev-scratch/profiles"
    (proxy,) = job["customComponents"]
    assert proxy["customFlags"] == ["--xla_dump_to=gs://my-project-pathways-dev-scratch/hlo/hello/"]


def test_without_a_bucket_programs_are_kept_in_memory():  # B4; golden 15: the field is not required
    without = (("scratch",), {"enabled": False})
    assert "pathwaysDir" not in rendered(without)["spec"]
    jobset = direct(without)
    for spec, name in (("pathways-head", "pathways-rm"), ("worker", "pathways-worker")):
        assert "--gcs_scratch_location=" in container(pod(jobset, spec), name)["args"]


def test_the_compilers_flags_are_the_proxys():  # W8
    xla = {"flags": ["--xla_tpu_scoped_vmem_limit_kib=65536"], "dumpTo": "gs://my-bucket/hlo/"}
    own = {"proxy": {"flags": ["--a=1"], "env": {"X": "1"}}}
    assert components(xla=xla, components=own) == {
        "proxy_server": {
            "componentType": "proxy_server",
            "customFlags": ["--a=1", "--xla_tpu_scoped_vmem_limit_kib=65536", "--xla_dump_to=gs://my-bucket/hlo/"],
            "customEnv": [{"name": "X", "value": "1"}],
        }
    }
    proxy = container(pod(direct(xla=xla), "pathways-head"), "pathways-proxy")
    assert "--xla_dump_to=gs://my-bucket/hlo/" in proxy["args"]


def test_all_components_can_be_told():  # W1, W6
    own = {
        "resourceManager": {"image": "example/server:jax-0.8.3"},
        "workers": {"flags": ["--b=2"]},
        "sidecar": {"image": "example/sidecar:jax-0.8.3"},
    }
    assert set(components(components=own)) == {"pathways_server", "worker", "colocated_python_sidecar"}
    assert rendered(*of_job(metrics=True))["spec"]["controller"]["enableMetricsCollection"] is True


def test_a_job_can_be_of_another_jax_than_the_stack():  # W4
    assert rendered(*of_job(jax="0.9.0"))["spec"]["pathwaysVersion"] == "jax-0.9.0"
    jobset = direct(jax="0.9.0")
    images = {each["image"] for name in ("pathways-head", "worker") for each in every(pod(jobset, name))}
    assert {image.rpartition(":")[2] for image in images if "pathways/" in image} == {"jax-0.9.0"}


def every(spec):
    return [*spec.get("initContainers", []), *spec["containers"]]


def test_autocheckpoint_is_told_and_has_five_minutes():  # W14
    assert variables(autocheckpoint=True)["ENABLE_AUTOCHECKPOINT"] == "true"
    job = rendered(*of_job(autocheckpoint=True))["spec"]
    assert job["workers"][0]["terminationGracePeriodSeconds"] == 300
    assert job["controller"]["template"]["spec"]["terminationGracePeriodSeconds"] == 300


def test_folders_come_from_claims_secrets_and_config_maps():
    mounts = [
        {"path": "/data", "claim": "dataset", "readOnly": True},
        {"path": "/keys", "secret": "keys"},
        {"path": "/etc/train", "configMap": "train"},
    ]
    template = rendered(*of_job(mounts=mounts))["spec"]["controller"]["template"]["spec"]
    assert template["volumes"][:3] == [
        {"name": "mount-0", "persistentVolumeClaim": {"claimName": "dataset"}},
        {"name": "mount-1", "secret": {"secretName": "keys"}},
        {"name": "mount-2", "configMap": {"name": "train"}},
    ]
    assert template["containers"][0]["volumeMounts"][0] == {
        "name": "mount-0",
        "mountPath": "/data",
        "readOnly": True,
    }


def test_labels_and_annotations_are_the_jobs():
    found = rendered(*of_job(labels={"kueue.x-k8s.io/queue-name": "team"}, annotations={"a": "b"}))["metadata"]
    assert found["labels"] == {"kueue.x-k8s.io/queue-name": "team"}
    assert found["annotations"] == {"a": "b"}
