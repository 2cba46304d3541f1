"""Multislice jobs without Pathways (features M1 to M3), held to the manifest of the documents (seeds/003)."""

from pathways.manifests import manifest_of
from tests.manifests.typed import jobs
from tests.settings.stack_files import settings


def jobset(*changes, **values):
    job = {
        "name": "multislice-job",
        "kind": "multislice",
        "slices": {"group": "v6e", "count": 2},
        "image": "python:3.13",
        "command": ["python", "train.py"],
        **values,
    }
    stack = settings((("workloads",), [job]), *changes)
    return manifest_of(stack, stack.workloads[0])


def pod(*changes, **values):
    return jobs(jobset(*changes, **values))["slice"]["template"]["spec"]


def test_a_job_for_each_slice_and_a_pod_for_each_host():
    manifest = jobset(jobRestarts=4, maintenanceCounts=True)
    assert manifest["apiVersion"] == "jobset.x-k8s.io/v1alpha2"
    assert manifest["metadata"]["annotations"] == {
        "alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"
    }
    spec = manifest["spec"]
    assert spec["failurePolicy"] == {"maxRestarts": 4}
    assert spec["replicatedJobs"][0]["replicas"] == 2
    job = jobs(manifest)["slice"]
    assert (job["parallelism"], job["completions"], job["backoffLimit"]) == (4, 4, 0)


def test_it_is_bound_to_its_group_and_never_by_the_groups_size():
    assert pod()["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
        "MultisliceGroup": "v6e",
        "pathways.dev/machine-type": "ct6e-standard-4t",
    }


def test_pods_of_other_jobs_stay_out_of_its_group():
    (term,) = pod()["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "MultisliceGroup"
    assert term["namespaceSelector"] == {}  # of every namespace
    assert {"key": "jobset.sigs.k8s.io/jobset-name", "operator": "NotIn", "values": ["multislice-job"]} in (
        term["labelSelector"]["matchExpressions"]
    )
    assert "podAffinity" not in pod()["affinity"]  # it does not hold: facts/sandbox.md
    assert "affinity" not in pod(sharesGroup=True)


def test_the_host_network_is_optional_and_privileges_are_asked_for():
    assert (pod()["hostNetwork"], pod()["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    assert not {"hostNetwork", "dnsPolicy"} & pod(hostNetwork=False).keys()
    assert "securityContext" not in pod()["containers"][0]
    assert pod(privileged=True)["containers"][0]["securityContext"] == {"privileged": True}


def test_the_container_has_the_hosts_chips_and_the_ports():
    (main,) = pod()["containers"]
    assert main["resources"]["limits"] == {"google.com/tpu": "4"}
    assert [port["containerPort"] for port in main["ports"]] == [8471, 8080, 8431]


def test_what_gke_injects_is_not_written():  # M3
    (main,) = pod(env={"A": "1"})["containers"]
    assert main["env"] == [{"name": "A", "value": "1"}]


def test_its_places_are_told_as_far_as_it_has_rights_there():  # B5: nodes alone have rights on the scratch bucket
    places = (("checkpoints",), {}), (("scratch",), {"profiles": {}})
    checkpoints = {"name": "CHECKPOINT_LOCATION", "value": "gs://my-project-pathways-dev-checkpoints/multislice-job"}
    profiles = {"name": "PROFILE_LOCATION", "value": "gs://my-project-pathways-dev-scratch/profiles/multislice-job"}
    assert pod(*places)["containers"][0]["env"] == [checkpoints, profiles]
    assert pod(*places, hostNetwork=False)["containers"][0]["env"] == [checkpoints]


def test_hosts_can_be_shared_out():
    (main,) = pod(resources={"cpus": 100, "memoryGib": 400, "sharedMemoryGib": 64})["containers"]
    assert main["resources"]["requests"] == {"cpu": "100", "memory": "400Gi", "google.com/tpu": "4"}
    assert {"name": "DATA_LOADER_WORKERS", "value": "100"} in main["env"]
    assert main["volumeMounts"] == [{"name": "shared-memory", "mountPath": "/dev/shm"}]
    (volume,) = pod()["volumes"]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "360Gi"}  # half of the host's
