"""Examples about PathwaysJobs, JobSets, priorities and queues."""

from dataclasses import replace

from pathways.resources import Resource
from tests.rules.a_stack import EXCLUSIVE, GONE, PATHWAYS_JOB, changed
from tests.rules.examples.example import DEV, PROD, Example

CONTROLLER = "spec.controller"
HEAD = "spec.controller.template.spec"
WORKERS = "spec.workers[0]"
MAIN = f"{HEAD}.containers[0]"
HEAD_JOB = "spec.replicatedJobs[0]"
HEAD_POD = f"{HEAD_JOB}.template.spec.template.spec"
JOB = "spec.replicatedJobs[1]"
POD = f"{JOB}.template.spec.template.spec"
ACCELERATOR = f'{POD}.nodeSelector["cloud.google.com/gke-tpu-accelerator"]'
TOPOLOGY = f'{POD}.nodeSelector["cloud.google.com/gke-tpu-topology"]'
ANNOTATION = f'{JOB}.template.metadata.annotations["{EXCLUSIVE}"]'
NO_RESTARTS = {"spec.failurePolicy": GONE}
TOLERATION = [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]
COLOCATED = {f"{CONTROLLER}.deploymentMode": "colocate_head_with_workers"}
ORDERED = {"spec.startupPolicy": {"startupPolicyOrder": "InOrder"}}
DATA = {f"{HEAD}.volumes": [{"name": "data", "emptyDir": {}}]}
ELASTIC = {f"{CONTROLLER}.elasticSlices": 1}
FLAVOR = "spec.resourceGroups[0].flavors[0]"


def component(kind: str, **content: object) -> dict[str, object]:
    return {"spec.customComponents": [{"componentType": kind, **content}]}


def restart_rule(action: str, **more: object) -> dict[str, object]:
    return {"spec.failurePolicy": {"maxRestarts": 0, "rules": [{"name": "r", "action": action, **more}]}}


def jobs_with_prefixes(count: int) -> tuple[Resource, ...]:
    """Jobs besides the stack's own, each with a prefix of its own in the scratch bucket."""
    return tuple(changed(PATHWAYS_JOB, {"spec.pathwaysDir": f"gs://p-scratch/run-{each}"}) for each in range(count))


MANIFESTS = [
    Example("manifest-shape", "train", {f"{WORKERS}.numSlices": "2"}, 'numSlices is "2"; a whole number is wanted'),
    Example("manifest-shape", "train", {f"{WORKERS}.topology": GONE}, "workers[0].topology is missing"),
    Example("manifest-shape", "train", {CONTROLLER: GONE}, "spec.controller is missing"),
    Example("manifest-shape", "train", {f"{CONTROLLER}.deploymentMode": "Default"}, 'did you mean "default"?'),
    Example("manifest-shape", "train", {f"{WORKERS}.type": "ct6e-standard-1t"}, "ct6e-standard-4t"),
    Example(
        "manifest-shape",
        "train",
        {"spec.workers[1]": {"type": "ct5p-hightpu-4t", "topology": "2x2x2", "numSlices": 1}},
        "2 entries; 1 at most",
    ),
    Example(
        "manifest-shape",
        "train",
        {"spec.customComponents": [{"componentType": "worker"}, {"componentType": "worker"}]},
        'has "worker" twice',
    ),
    Example("manifest-shape", "train", {f"{MAIN}.env[0].value": 3}, "Put it in quotes"),
    Example("manifest-shape", "train", {f"{MAIN}.resources.limits.memory": "32 GB"}, "an amount"),
    Example("manifest-shape", "train", {f"{MAIN}.env[1]": {"name": "EPOCHS", "value": "4"}}, 'has "EPOCHS" twice'),
    Example("manifest-shape", "train", {f"{HEAD}.containers": []}, "0 entries; 1 at least"),
    Example("manifest-shape", "train", {"metadata.labels": {"team": "a team"}}, '"a team", which is not a label'),
    Example("manifest-shape", "train", {"metadata.labels": {"team": "a" * 64}}, "which is not a label's value"),
    Example("manifest-shape", "train", {"metadata.labels": {"team": "a" * 63, "empty": ""}}),
    Example("manifest-shape", "direct", {"spec.replicatedJobs[0].replicas": "1"}, "Write it without quotes"),
    Example("manifest-shape", "direct", {f"{JOB}.template.spec.parallelism": [4]}, "is a list; a whole number"),
    Example("manifest-shape", "direct", {f"{JOB}.template.spec.template": GONE}, "template.spec.template is missing"),
    Example("manifest-shape", "high", {"value": GONE}, "value is missing"),
    Example("manifest-shape", "all", {f"{FLAVOR}.resources[0].nominalQuota": "many"}, "an amount"),
    Example(
        "manifest-unknown-field", "train", {"spec.pathwaysVersoin": "jax-0.8.3"}, 'did you mean "pathwaysVersion"?'
    ),
    Example("manifest-unknown-field", "train", {f"{HEAD}.nodeselector": {}}, "nodeSelector", "warning"),
    Example("manifest-unknown-field", "direct", {"spec.replicatedjobs": []}, "replicatedJobs", "warning"),
]

PATHWAYS_JOBS = [
    Example("pathwaysjob-topology", "train", {f"{WORKERS}.topology": "4x2"}, 'did you mean "2x4"?'),
    Example("pathwaysjob-topology", "train", {f"{WORKERS}.topology": "1x1"}, "is one of ct6e-standard-1t"),
    Example(
        "pathwaysjob-topology",
        "train",
        {f"{WORKERS}.type": "ct5p-hightpu-4t", f"{WORKERS}.topology": "4x16x20"},
        "The controller knows 96 topologies",
    ),
    Example("pathwaysjob-shape", "train", {f"{WORKERS}.numSlices": 0}, "0 slices become one"),
    Example("pathwaysjob-shape", "train", {f"{WORKERS}.numSlices": -1}, "numSlices is negative"),
    Example("pathwaysjob-shape", "train", {"spec.workers": []}, "No workers"),
    Example("pathwaysjob-shape", "train", {"spec.maxRestarts": -1}, "maxRestarts is negative"),
    Example(
        "pathwaysjob-shape", "train", {f"{CONTROLLER}.elasticSlices": 3}, "3 slices may be away, and the job has 2"
    ),
    Example("pathwaysjob-shape", "train", {f"{CONTROLLER}.elasticSlices": 2}),
    Example(
        "pathwaysjob-shape",
        "train",
        {f"{CONTROLLER}.mainContainerName": "trainer"},
        'the name "trainer"; there are "main"',
    ),
    Example(
        "pathways-built-in-variables", "train", {f"{MAIN}.env[0].name": "JAX_PLATFORMS"}, "sets JAX_PLATFORMS as well"
    ),
    Example(
        "pathways-built-in-variables",
        "train",
        component("pathways_server", customEnv=[{"name": "TPU_SKIP_MDS_QUERY", "value": "false"}]),
        "TPU_SKIP_MDS_QUERY",
    ),
    Example(
        "pathways-built-in-variables",
        "train",
        component("worker", customEnv=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
        "A comes twice",
    ),
    Example(
        "pathways-built-in-variables",
        "train",
        component("proxy_server", customEnv=[{"name": "TPU_SKIP_MDS_QUERY", "value": "false"}]),
    ),
    Example(
        "pathways-built-in-flags",
        "train",
        component("worker", customFlags=["--server_port=1"]),
        "--server_port",
        "warning",
    ),
    Example("pathways-built-in-flags", "train", component("worker", customFlags=["--node_type=x"])),
    Example(
        "pathways-built-in-containers", "train", {f"{HEAD}.initContainers": [{"name": "pathways-rm"}]}, "pathways-rm"
    ),
    Example("colocated-head", "train", COLOCATED, "does not tolerate their taint google.com/tpu"),
    Example("colocated-head", "train", {**COLOCATED, f"{CONTROLLER}.template": GONE}, "headless"),
    Example(
        "colocated-head",
        "train",
        {**COLOCATED, f"{HEAD}.tolerations": TOLERATION, f"{HEAD}.priorityClassName": "high"},
        "same priority",
        "warning",
    ),
    Example(
        "colocated-head", "train", {**COLOCATED, f"{HEAD}.tolerations": TOLERATION, f"{HEAD}.priorityClassName": "low"}
    ),
    Example("elastic-retries", "train", ELASTIC, "1 restart for each VM", "warning"),
    Example("elastic-retries", "train", {**ELASTIC, f"{WORKERS}.maxSliceRestarts": 4}),
    Example("elastic-retries", "train", {**ELASTIC, f"{WORKERS}.maxSliceRestarts": 0}),
    Example("pathwaysjob-ignored", "train", component("colocated_python_sidecar"), "without an image", "warning"),
    Example(
        "pathwaysjob-ignored",
        "train",
        component("colocated_python_sidecar", image="x:1", customFlags=["--a"]),
        "customFlags of the sidecar",
        "warning",
    ),
    Example(
        "pathwaysjob-ignored",
        "train",
        {f'{WORKERS}.nodeSelector["cloud.google.com/gke-tpu-topology"]': "9x9"},
        "overwrites cloud.google.com/gke-tpu-topology",
        "warning",
    ),
    Example(
        "pathwaysjob-ignored",
        "train",
        {f"{CONTROLLER}.template.metadata": {"labels": {"a": "b"}}},
        "drops the labels",
        "warning",
    ),
    Example("pathwaysjob-ignored", "train", {f"{WORKERS}.maxSliceRestarts": 4}, "without elasticSlices", "warning"),
    Example("pathwaysjob-ignored", "train", {**COLOCATED, f"{HEAD}.nodeSelector": {"a": "b"}}, "replaces", "warning"),
    Example(
        "pathwaysjob-one-pool",
        "train",
        {f'{WORKERS}.nodeSelector["cloud.google.com/gke-nodepool"]': "v6e-0"},
        'bound to the one node pool "v6e-0"',
    ),
    Example("exclusive-topology-overridden", "train", {"metadata.annotations": {EXCLUSIVE: "rack"}}, "rack", "warning"),
    Example("head-logs-kept", "train", {f"{HEAD}.restartPolicy": GONE}, "OnFailure", "warning"),
    Example("head-not-ready-without-workers", "train", {f"{MAIN}.readinessProbe": {}}, "readiness probe", "warning"),
]

JOB_SETS = [
    Example("jobset-topology", "direct", {TOPOLOGY: "4x2"}, 'did you mean "2x4"?'),
    Example("jobset-topology", "direct", {TOPOLOGY: "1x1"}, "whose hosts have 4 chips"),
    Example("jobset-topology", "direct", {ACCELERATOR: "tpu-v3-slice"}, "tpu-v3-slice"),
    Example(
        "jobset-topology",
        "direct",
        {f"{POD}.containers[0].resources.limits": {"google.com/tpu": 3}},
        "A pod asks for 3 chips; hosts with these labels have 1 (ct6e-standard-1t), 4 (ct6e-standard-4t), 8",
    ),
    Example("jobset-hosts", "direct", {f"{JOB}.template.spec.parallelism": 2}, "16 chips / 4 = 4 hosts"),
    Example("jobset-hosts", "direct", {f"{JOB}.template.spec.completions": GONE}, "completions is 1"),
    Example(
        "jobset-hosts",
        "direct",
        {
            TOPOLOGY: "2x4",
            f"{POD}.containers[0].resources.limits": {"google.com/tpu": 8},
            f"{JOB}.template.spec.parallelism": 1,
            f"{JOB}.template.spec.completions": 1,
        },
    ),
    Example("multislice-needs-multi-host", "direct", {TOPOLOGY: "2x2"}, "each a single host", "warning"),
    Example(
        "multislice-needs-multi-host",
        "direct",
        {
            TOPOLOGY: "2x2",
            f"{POD}.containers[0]": {"name": "jax", "resources": {"limits": {"google.com/tpu": 4}}},
            f"{HEAD_POD}.initContainers": GONE,
        },
        "2 slices 2x2 of ct6e-standard-4t, each a single host",
    ),
    Example(
        "exclusive-topology", "direct", {f"{JOB}.template.metadata": GONE}, "second job out of the slices of worker"
    ),
    Example("exclusive-topology", "direct", {ANNOTATION: "kubernetes.io/hostname"}, "does not keep a second job out"),
    Example(
        "exclusive-topology",
        "direct",
        {"metadata.annotations": {EXCLUSIVE: "rack"}},
        'prevails over "cloud.google.com/gke-nodepool"',
        "warning",
    ),
    Example(
        "exclusive-topology",
        "direct",
        {
            f"{JOB}.template.metadata": GONE,
            f"{JOB}.template.spec.template.metadata": {"annotations": {EXCLUSIVE: "cloud.google.com/gke-nodepool"}},
        },
    ),
    Example("workers-retried", "direct", NO_RESTARTS, "backoffLimit 0, and maxRestarts is 0"),
    Example("workers-retried", "direct", {**NO_RESTARTS, f"{JOB}.template.spec.backoffLimit": 1}),
    Example("workers-retried", "direct", {**NO_RESTARTS, f"{JOB}.template.spec.backoffLimit": GONE}),
    Example("workers-retried", "direct", restart_rule("RestartJobAndIgnoreMaxRestarts")),
    Example("workers-retried", "direct", restart_rule("RestartJobSet"), "Nothing retries worker"),
    Example(
        "workers-retried",
        "direct",
        restart_rule("RestartJobAndIgnoreMaxRestarts", targetReplicatedJobs=["head"]),
        "Nothing retries worker",
    ),
    Example(
        "workers-retried",
        "direct",
        restart_rule("RestartJobAndIgnoreMaxRestarts", onJobFailureReasons=["DeadlineExceeded"]),
        "Nothing retries worker",
    ),
    Example(
        "workers-retried",
        "direct",
        {"spec.failurePolicy": {"maxRestarts": 5, "rules": [{"name": "r", "action": "FailJobSet"}]}},
        "fails the JobSet",
    ),
    Example("jobset-references", "direct", {"spec.coordinator.replicatedJob": "haed"}, 'did you mean "head"?'),
    Example("jobset-references", "direct", {"spec.coordinator.podIndex": 1}, "podIndex is 1, and there are 1"),
    Example(
        "jobset-references", "direct", {"spec.successPolicy.targetReplicatedJobs": ["x"]}, '"x" is no replicated job'
    ),
    Example(
        "jobset-references", "direct", {**ORDERED, f"{JOB}.dependsOn": [{"name": "head"}]}, "beside the startup order"
    ),
    Example("jobset-references", "direct", {f"{JOB}.dependsOn": [{"name": "head", "status": "Ready"}]}),
    Example("jobset-references", "direct", ORDERED),
    Example("job-pods-valid", "train", {f"{HEAD}.restartPolicy": "Always"}, "OnFailure or Never"),
    Example("job-pods-valid", "train", {f"{MAIN}.image": GONE}, 'The container "main" has no image'),
    Example(
        "job-pods-valid",
        "train",
        {f"{HEAD}.initContainers": [{"name": "main", "image": "x"}]},
        "init container as well",
    ),
    Example("job-pods-valid", "train", {f"{MAIN}.volumeMounts": [{"name": "dta"}], **DATA}, 'did you mean "data"?'),
    Example("job-pods-valid", "train", {f"{MAIN}.volumeMounts": [{"name": "data"}], **DATA}),
    Example("jobset-restarts-not-negative", "direct", {f"{JOB}.replicas": -1}, "replicas is negative"),
    Example("pathways-flags", "direct", {f"{JOB}.replicas": 3}, "told of 2 slices, the workers have 3"),
    Example("pathways-flags", "direct", {f"{JOB}.replicas": GONE}, "told of 2 slices, the workers have 1"),
    Example(
        "pathways-flags",
        "direct",
        {f"{HEAD_POD}.initContainers[1].args[1]": "--num_elastic_instances=3"},
        "3 slices may be away, and the job has 2",
    ),
    Example(
        "pathways-flags",
        "direct",
        {f"{HEAD_POD}.initContainers[0].args[2]": "--instance_type=tpuv6e:4x8"},
        "tpuv6e:4x4",
    ),
    Example("host-network-names", "direct", {f"{POD}.dnsPolicy": GONE}, "asks the node for names", "warning"),
    Example(
        "shared-memory-bounded",
        "direct",
        {f"{HEAD_POD}.volumes[0].emptyDir.sizeLimit": GONE},
        "no size limit",
        "warning",
    ),
    Example(
        "shared-memory-bounded",
        "direct",
        {
            f"{HEAD_POD}.volumes[0].emptyDir.sizeLimit": "1Gi",
            f"{HEAD_POD}.containers[0].volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
        },
        'takes "1Gi", the container "main" may use no more',
        "warning",
    ),
]

NAMES_AND_VERSIONS = [
    Example(
        "job-name",
        "train",
        {"metadata.name": "pathways-finetune-large"},
        "the label pathways-finetune-large-pathways-head-0-0.pathways-finetune-large 65, where 63 fit",
    ),
    Example("job-name", "train", {"metadata.name": "a" * 22}),
    Example("job-name", "train", {"metadata.name": "7b"}, "name of a Service"),
    Example("job-name", "direct", {"metadata.name": "a" * 27}, "the label"),
    Example("job-name", "direct", {"metadata.name": "a" * 26}),
    Example("job-name", "direct", {"metadata.name": "a" * 53, "spec.coordinator": GONE}, "the pod name"),
    Example("pathways-version-pinned", "train", {"spec.pathwaysVersion": GONE}, "of the tag latest"),
    Example("pathways-version-pinned", "train", {"spec.pathwaysVersion": GONE}, "tag latest", "warning", DEV),
    Example("pathways-version-pinned", "train", {"spec.pathwaysVersion": "latest"}, "of the tag latest"),
    Example("pathways-version-pinned", "train", {"spec.pathwaysVersion": "nightly"}, "tells no JAX version", "warning"),
    Example("pathways-version-pinned", "train", {"spec.pathwaysVersion": "20250929-jax_0.7.1"}),
    Example(
        "pathways-version-pinned", "train", component("worker", image="registry:5000/worker"), "worker is of the tag"
    ),
    Example("pathways-version-pinned", "train", component("worker", image="registry:5000/worker@sha256:1")),
    Example(
        "pathways-version-pinned",
        "direct",
        {f"{POD}.containers[0].image": "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server"},
        "pathways-worker is of the tag latest",
    ),
    Example(
        "pathways-versions-agree",
        "train",
        component("proxy_server", image="us-docker.pkg.dev/cloud-tpu-v2-images/pathways/proxy_server:jax-0.8.2"),
        "proxy_server has JAX 0.8.2, pathways_server has 0.8.3",
    ),
    Example(
        "pathways-versions-agree",
        "train",
        {f"{MAIN}.command": ["bash", "-c", "pip install jax[tpu]==0.7.0 && python train.py"]},
        'the client "main" has JAX 0.7.0',
    ),
    Example(
        "pathways-versions-agree", "train", component("colocated_python_sidecar", image="x/sidecar:jax-0.8.1"), "0.8.1"
    ),
    Example("pathways-versions-agree", "train", {}, "the stack declares 0.8.4", context=replace(PROD, jax="0.8.4")),
    Example("pathways-versions-agree", "train", {}, context=replace(PROD, jax="0.8.3")),
    Example(
        "pathways-versions-agree",
        "direct",
        {f"{POD}.containers[0].image": "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server:jax-0.8.2"},
        "pathways-worker has JAX 0.8.2",
    ),
]

HEADS = [
    Example(
        "head-pool-untainted",
        "heads",
        {"nodeConfig.taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}]},
        "Every CPU node pool is tainted (heads)",
    ),
    Example("head-pool-untainted", "v6e-0", {}, "TPU node pools alone", without=("heads",)),
    Example(
        "head-pool-sized",
        "heads",
        {"nodeConfig.machineType": "n2-standard-32"},
        "8 + 16 + 8 = 32 CPUs and 29.8 + 93.1 + 32 = 154.9 GiB",
    ),
    Example("head-pool-sized", "heads", {"nodeConfig.machineType": "n2-standard-80"}),
    Example(
        "head-machine-sized",
        "train",
        {f"{HEAD}.nodeSelector": {"node.kubernetes.io/instance-type": "n2-standard-32"}},
        "n2-standard-32 leaves 31.85 CPUs",
    ),
    Example("heads-fit-at-once", "heads", {"autoscaling.maxNodeCount": 1}, "2 Pathways jobs, and 1 nodes", "warning"),
    Example(
        "head-memory-reserved", "train", {f"{MAIN}.resources": GONE}, '"main" of the head asks for no memory', "warning"
    ),
    Example("head-memory-reserved", "direct", {f"{HEAD_POD}.initContainers[1].resources": GONE}, '"pathways-proxy"'),
    Example(
        "head-completes",
        "direct",
        {
            f"{HEAD_POD}.containers[1]": {
                "name": "pathways-proxy",
                "args": ["--resource_manager_address=x"],
                "resources": {"limits": {"memory": "1G"}},
            }
        },
        "ordinary containers",
        "warning",
    ),
    Example(
        "head-alone-on-its-node",
        "direct",
        {f"{HEAD_POD}.initContainers[0].ports": GONE, f"{HEAD_POD}.initContainers[1].ports": GONE},
        "second head off the node",
        "warning",
    ),
]

SCRATCH = [
    Example("scratch-location", "train", {"spec.pathwaysDir": "gs://cloud-pathways-staging/tmp"}, "belongs to Google"),
    Example("scratch-location", "train", {"spec.pathwaysDir": "gs://<bucket>"}, '"<bucket>" is a placeholder'),
    Example("scratch-location", "train", {"spec.pathwaysDir": "gs://BUCKET_NAME"}, '"BUCKET_NAME" is a placeholder'),
    Example(
        "scratch-location", "train", {"spec.pathwaysDir": "gs://your-bucket/tmp"}, '"your-bucket" is a placeholder'
    ),
    Example("scratch-location", "train", {"spec.pathwaysDir": "gs://Team/tmp"}, '"Team" is no bucket name'),
    Example("scratch-location", "train", {"spec.pathwaysDir": "gs://p-scratch"}, "root of the bucket"),
    Example("scratch-location", "train", {"spec.pathwaysDir": "/tmp"}, "does not begin with gs://"),
    Example("scratch-location", "train", {"spec.pathwaysDir": GONE}, "kept in memory", "warning"),
    Example(
        "scratch-location",
        "direct",
        {f"{HEAD_POD}.initContainers[0].args[3]": "--enable_metrics_collection=true"},
        "kept in memory",
        "warning",
    ),
    Example(
        "scratch-location",
        "direct",
        {f"{HEAD_POD}.initContainers[0].args[3]": "--gcs_scratch_location=gs://cloud-pathways-staging/tmp"},
        "belongs to Google",
    ),
    Example("scratch-shared", "train", {"spec.pathwaysDir": "gs://p-scratch/run-1"}, "2 prefixes", "warning"),
    Example("scratch-shared", "train", {}, "50 prefixes", "warning", more=jobs_with_prefixes(49)),
    Example("scratch-shared", "train", {}, "51 prefixes of the bucket p-scratch", more=jobs_with_prefixes(50)),
    Example(
        "scratch-in-the-stacks-bucket", "train", {"spec.pathwaysDir": "gs://other/pathways"}, "the stack has p-scratch"
    ),
]

PRIORITIES = [
    Example("priority-class-exists", "train", {f"{WORKERS}.priorityClassName": "hihg"}, 'did you mean "high"?'),
    Example("priority-class-exists", "train", {}, "there is none", without=("high", "low")),
    Example("priority-class-exists", "train", {f"{WORKERS}.priorityClassName": "system-node-critical"}),
    Example("priority-value", "high", {"value": -1}, "The value is -1"),
    Example("priority-value", "high", {"value": 1_000_000_000}, "1,000,000,000"),
    Example("priority-value", "high", {"value": 999_999_999}),
    Example("priority-values-distinct", "high", {"value": 1000}, '1,000 is the value of "high" as well'),
    Example("priority-not-default", "high", {"globalDefault": True}, "Every pod of the cluster"),
    Example("priority-preemption-explicit", "high", {"preemptionPolicy": GONE}, "not written"),
]

QUEUES = [
    Example(
        "queue-covers-heads",
        "all",
        {"spec.resourceGroups": [{"coveredResources": ["google.com/tpu"], "flavors": []}]},
        "covers google.com/tpu, and not cpu and memory",
    ),
    Example(
        "queue-one-resource-group",
        "all",
        {
            "spec.resourceGroups": [
                {"coveredResources": ["google.com/tpu"], "flavors": []},
                {"coveredResources": ["cpu", "memory"], "flavors": []},
            ]
        },
        "one resource group, CPUs and memory in another",
        "warning",
    ),
    Example("queue-flavors-complete", "all", {f"{FLAVOR}.resources": []}, "has quota for nothing"),
    Example("queue-references", "all", {f"{FLAVOR}.name": "v6"}, 'did you mean "v6e"?'),
    Example("queue-references", "team", {"spec.clusterQueue": "some"}, '"some" is no ClusterQueue; there are all'),
    Example(
        "queue-references", "direct", {'metadata.labels["kueue.x-k8s.io/queue-name"]': "x"}, '"x" is no LocalQueue'
    ),
    Example(
        "queue-admits-jobs",
        "all",
        {f"{FLAVOR}.resources[2].nominalQuota": 16},
        "asks for 32 of google.com/tpu, its queue has 16",
    ),
    Example("queue-admits-jobs", "all", {f"{FLAVOR}.resources[2].nominalQuota": 16, "spec.cohortName": "everyone"}),
    Example("flavor-finds-nodes", "head-nodes", {"spec.nodeLabels": {"pool": "cpu-np"}}, "labels pool=cpu-np"),
]
