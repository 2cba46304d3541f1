"""What is put into the cluster, and in which order."""

import pulumi
import pytest
import yaml

from components.controller_chart import left_to_controller
from components.jobset_install import switching_on
from components.recorder import Recording
from pathways.resources import Resource
from tests.components.recordings import declare, slice_pools

CHART = "kubernetes:helm.sh/v4:Chart"
MANIFEST = "kubernetes:yaml/v2:ConfigGroup"
JOB = "kubernetes:pathways-job.pathways.domain/v1:PathwaysJob"
JOBSET = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"


def waits_for(recording: Recording, resource: Resource) -> set[str]:
    """URNs of everything that stands before a resource is registered."""
    by_urn = {other.urn: other for other in recording.resources}
    found: set[str] = set()
    ahead = list(resource.options.dependencies)
    while ahead:
        urn = ahead.pop()
        if urn not in found:
            found.add(urn)
            ahead += by_urn[urn].options.dependencies
    return found


def test_jobset_is_pinned_with_its_released_image(dev):
    (chart,) = dev.of_type(CHART)
    assert chart.properties["chart"] == "oci://registry.k8s.io/jobset/charts/jobset"
    assert chart.properties["version"] == "0.11.1"
    assert chart.properties["values"]["image"] == {
        "repository": "registry.k8s.io/jobset/jobset",
        "tag": "v0.11.1",
    }


def test_a_local_chart_has_no_version_to_look_for():
    recording = declare(install={"jobset": {"source": "charts/jobset"}})
    (chart,) = recording.of_type(CHART)
    assert chart.properties["chart"] == "charts/jobset"
    assert "version" not in chart.properties
    assert chart.properties["values"]["image"]["tag"] == "v0.11.1"


def test_the_pathways_job_controller_is_the_published_one_or_a_local_one(dev):
    (manifest,) = dev.of_type(MANIFEST)
    assert manifest.properties["files"] == [
        "https://github.com/google/pathways-job/releases/download/v0.1.4/install.yaml"
    ]
    (manifest,) = declare(install={"pathwaysJob": {"source": "install.yaml"}}).of_type(MANIFEST)
    assert manifest.properties["files"] == ["install.yaml"]


def test_controllers_wait_for_a_node_that_can_run_them(stack):
    (chart,), system_pool = stack.of_type(CHART), stack.named("pathways-system-pool")
    assert system_pool.urn in waits_for(stack, chart)


def test_nothing_reaches_a_webhook_that_does_not_serve(stack):  # cases install-1, install-3
    (chart,), (manifest,) = stack.of_type(CHART), stack.of_type(MANIFEST)
    assert not chart.properties.get("skipAwait")
    assert not manifest.properties.get("skipAwait")
    assert chart.urn in waits_for(stack, manifest)
    for job in stack.of_type(JOB):
        assert {chart.urn, manifest.urn} <= waits_for(stack, job)


def test_a_job_waits_for_slices_priorities_namespace_and_bucket_rights(stack):
    needed = [
        *slice_pools(stack),
        *stack.of_type("kubernetes:scheduling.k8s.io/v1:PriorityClass"),
        *stack.of_type("gcp:storage/bucketIAMMember:BucketIAMMember"),
        stack.named("pathways-jobs-namespace"),
    ]
    for job in stack.of_type(JOB):
        assert {resource.urn for resource in needed} <= waits_for(stack, job)


def test_a_job_waits_for_its_own_group_only():
    groups = [{"name": name, "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}} for name in ("near", "far")]
    job = {"name": "j", "kind": "pathways", "slices": {"group": "near", "count": 1}, "image": "python:3.13"}
    recording = declare(slices=groups, workloads=[job])
    (recorded,) = recording.of_type(JOB)
    pools = {pool.urn: pool.properties["name"] for pool in slice_pools(recording)}
    assert {pools[urn] for urn in recorded.options.dependencies if urn in pools} == {"near-0"}


def test_a_changed_job_is_a_new_job(stack):
    for job in stack.of_type(JOB):
        assert job.options.replace_on_changes[0] == "spec"
        assert job.options.delete_before_replace
        assert "pulumi.com/waitFor" not in job.properties["metadata"].get("annotations", {})


@pytest.mark.parametrize(
    ("environment", "replaceable", "protected"), [("prod", [], True), ("prod", ["hello"], False), ("dev", [], False)]
)
def test_a_job_in_prod_is_kept_unless_it_is_named(environment, replaceable, protected):
    recording = declare(environment=environment, replaceable=replaceable, workloads=[hello()])
    (job,) = recording.of_type(JOB)
    assert job.options.protect is protected


def hello(**values):
    slices = {"group": "v6e", "count": 1}
    return {"name": "hello", "kind": "pathways", "slices": slices, "image": "a:1", **values}


def direct(**values):
    """A program without the PathwaysJob controller, with one job."""
    return declare(install={"pathwaysJob": {"enabled": False}}, workloads=[hello(**values)])


def test_without_the_controller_jobs_are_jobsets_of_a_newer_jobset():
    recording = direct()
    assert not recording.of_type(MANIFEST)
    assert not recording.of_type(JOB)
    (chart,) = recording.of_type(CHART)
    assert (chart.properties["version"], chart.properties["values"]["image"]["tag"]) == ("0.12.0", "v0.12.0")
    (job,) = recording.of_type(JOBSET)
    assert job.options.replace_on_changes[0] == "spec"
    assert job.options.delete_before_replace


def transformed(type_token, props):
    """Returns what becomes of an object of JobSet's chart when a feature is switched on, and when none is."""
    args = pulumi.ResourceTransformArgs(
        custom=True, type_=type_token, name="x", props=props, opts=pulumi.ResourceOptions()
    )
    assert switching_on([])(args) is None
    return switching_on(["RestartJob"])(args).props


def test_feature_gates_are_written_into_jobsets_configuration_and_its_controller_starts_anew():
    """The controller reads its configuration once, so the Deployment must change with it."""
    written = {"controller_manager_config.yaml": "kind: Configuration\nleaderElection: {leaderElect: true}\n"}
    config_map = transformed("kubernetes:core/v1:ConfigMap", {"metadata": {"name": "configuration"}, "data": written})
    assert yaml.safe_load(config_map["data"]["controller_manager_config.yaml"]) == {
        "kind": "Configuration",
        "leaderElection": {"leaderElect": True},
        "featureGates": {"RestartJob": True},
    }
    volumes = [{"name": "manager-config", "configMap": {"name": "configuration"}}, {"name": "cert", "secret": {}}]
    deployment = transformed("kubernetes:apps/v1:Deployment", {"spec": {"template": {"spec": {"volumes": volumes}}}})
    (changed, _) = deployment["spec"]["template"]["spec"]["volumes"]
    assert changed["configMap"]["name"] == config_map["metadata"]["name"] != "configuration"


def test_what_a_job_names_is_made():
    recording = direct(port=8000, head={"serviceAccount": "heads", "colocated": True})
    (account,) = recording.of_type("kubernetes:core/v1:ServiceAccount")
    assert account.properties["metadata"] == {"name": "heads", "namespace": "pathways"}
    (service,) = recording.of_type("kubernetes:core/v1:Service")
    assert service.properties["spec"]["ports"] == [{"port": 8000, "targetPort": 8000}]
    (priority,) = recording.of_type("kubernetes:scheduling.k8s.io/v1:PriorityClass")
    assert (priority.properties["metadata"]["name"], priority.properties["value"]) == ("colocated-head-of-hello", 1)
    (job,) = recording.of_type(JOBSET)
    assert {account.urn, priority.urn} <= waits_for(recording, job)


def test_headless_jobs_say_how_to_connect():
    job = {key: value for key, value in hello(mode="headless").items() if key != "image"}
    assert "port-forward" in declare(workloads=[job]).outputs["connect"]["hello"]["forward"]


def test_the_job_of_the_dev_stack(dev):
    (job,) = dev.of_type(JOB)
    assert job.properties["metadata"]["name"] == "hello"
    assert job.properties["metadata"]["namespace"] == "pathways"
    (worker,) = job.properties["spec"]["workers"]
    assert (worker["type"], worker["topology"], worker["numSlices"]) == ("ct6e-standard-4t", "4x4", 2)
    assert worker["nodeSelector"].items() <= slice_pools(dev)[0].properties["nodeConfig"]["labels"].items()
    assert job.properties["spec"]["pathwaysDir"] == "gs://my-project-dev-pathways-dev-scratch/pathways"


@pytest.mark.parametrize(("value", "secret"), [({"secure": "v1:abc"}, True), ("plain", False)])
def test_a_job_with_an_encrypted_variable_is_secret_in_the_state(value, secret):
    job = {"name": "j", "kind": "pathways", "slices": {"group": "v6e", "count": 2}, "image": "python:3.13"}
    (recorded,) = declare(workloads=[{**job, "env": {"TOKEN": value}}]).of_type(JOB)
    assert recorded.secrets == (("spec",) if secret else ())


def test_no_priority_is_the_default_of_other_pods(prod):
    classes = prod.of_type("kubernetes:scheduling.k8s.io/v1:PriorityClass")
    assert {c.properties["metadata"]["name"]: c.properties["value"] for c in classes} == {
        "high-prior-job": 2000,
        "low-prior-job": 1000,
    }
    for priority in classes:
        assert priority.properties["globalDefault"] is False
        assert priority.properties["preemptionPolicy"] == "PreemptLowerPriority"
        assert priority.options.delete_before_replace


def test_objects_in_the_cluster_go_with_it(stack):
    (cluster,) = stack.of_type("gcp:container/cluster:Cluster")
    objects = [resource for resource in stack.resources if resource.type.startswith("kubernetes:")]
    assert len(objects) >= 6
    assert {resource.options.deleted_with for resource in objects} == {cluster.urn}


@pytest.mark.parametrize(
    ("type_token", "name", "ignored"),
    [
        ("kubernetes:core/v1:Secret", "pathways-jobset-chart:jobset-system/jobset-webhook-server-cert", ["data"]),
        ("kubernetes:core/v1:Secret", "pathways-jobset-chart:jobset-system/another", None),
        ("kubernetes:core/v1:ConfigMap", "pathways-jobset-chart:jobset-system/jobset-webhook-server-cert", None),
    ],
)
def test_the_controllers_certificate_is_its_own(type_token, name, ignored):
    options = pulumi.ResourceOptions(protect=True)
    args = pulumi.ResourceTransformArgs(custom=True, type_=type_token, name=name, props={"data": {}}, opts=options)
    result = left_to_controller("jobset-webhook-server-cert")(args)
    assert (result.opts.ignore_changes if result else None) == ignored
    if result:
        assert result.props == {"data": {}}
        assert result.opts.protect is True
