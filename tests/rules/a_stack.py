"""A stack that keeps every rule, in prod: what examples are made from by changing one thing."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pathways.gcp import parse_path
from pathways.resources import Resource, ResourceOptions, kubernetes_type

GONE = object()
"""In changes: take the property away."""

EMAIL = "slices@p.iam.gserviceaccount.com"
HEAD_EMAIL = "heads@p.iam.gserviceaccount.com"
ROLE = "projects/p/roles/pathwaysScratch"
PLATFORM = "pathways:index:Platform"


def urn(type_: str, name: str, *components: str) -> str:
    return f"urn:pulumi:prod::pathways::{'$'.join((*components, type_))}::{name}"


def google(
    type_: str, name: str, properties: dict[str, Any], *, component: str = "", protect: bool = False, **options: Any
) -> Resource:
    components = (PLATFORM, component) if component else (PLATFORM,)
    return Resource(
        type_,
        name,
        properties,
        urn=urn(type_, name, *components),
        parent=urn(components[-1], "parent", *components[:-1]),
        options=ResourceOptions(protect=protect, **options),
    )


def kubernetes(api_version: str, kind: str, name: str, content: dict[str, Any], **options: Any) -> Resource:
    type_ = kubernetes_type(api_version, kind)
    metadata = {"name": name, **content.pop("metadata", {})}
    properties = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
    return Resource(type_, name, properties, urn=urn(type_, name, PLATFORM), options=ResourceOptions(**options))


NODE_CONFIG: dict[str, Any] = {
    "imageType": "COS_CONTAINERD",
    "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
    "gvnic": {"enabled": True},
    "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
    "workloadMetadataConfig": {"mode": "GKE_METADATA"},
}


def tpu_pool(index: int) -> Resource:
    """A slice of 16 chips: four hosts of four."""
    properties = {
        "name": f"v6e-{index}",
        "cluster": "main",
        "location": "us-central1",
        "nodeLocations": ["us-central1-b"],
        "nodeCount": 4,
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
        "maxPodsPerNode": 16,
        "nodeConfig": {
            **copy.deepcopy(NODE_CONFIG),
            "machineType": "ct6e-standard-4t",
            "serviceAccount": EMAIL,
            "labels": {"MultisliceGroup": "v6e", "MultisliceGroupSize": "2"},
            "reservationAffinity": {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["projects/p/reservations/r"],
            },
        },
        "management": {"autoRepair": True, "autoUpgrade": True},
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
    }
    return google(
        "gcp:container/nodePool:NodePool",
        f"v6e-{index}",
        properties,
        protect=True,
        delete_before_replace=True,
        replace_on_changes=(
            "nodeConfig.machineType",
            "nodeCount",
            "nodeLocations",
            "placementPolicy.tpuTopology",
            "placementPolicy.type",
        ),
    )


def ironwood_pool() -> Resource:
    """A slice of tpu7x in a group of its own: 8 chips, two hosts of four, placed by a workload policy."""
    pool = changed(
        tpu_pool(0),
        {
            "name": "ironwood",
            "nodeLocations": ["us-central1-c"],
            "nodeCount": 2,
            "placementPolicy": {"type": "", "policyName": "main-ironwood"},
            "nodeConfig.machineType": "tpu7x-standard-4t",
            "nodeConfig.labels": {"MultisliceGroup": "ironwood", "MultisliceGroupSize": "1"},
            "nodeConfig.reservationAffinity.values": ["projects/p/reservations/ironwood"],
        },
    )
    return replace(pool, name="ironwood", urn=urn(pool.type, "ironwood", PLATFORM))


HEAD_POOL = google(
    "gcp:container/nodePool:NodePool",
    "heads",
    {
        "name": "heads",
        "cluster": "main",
        "location": "us-central1",
        "nodeLocations": ["us-central1-b"],
        "autoscaling": {"minNodeCount": 1, "maxNodeCount": 3, "locationPolicy": "BALANCED"},
        "nodeConfig": {
            **NODE_CONFIG,
            "machineType": "n2-standard-64",
            "serviceAccount": HEAD_EMAIL,
            "labels": {"pathways.dev/pool": "head"},
        },
        "management": {"autoRepair": True, "autoUpgrade": True},
    },
)
CLUSTER = google(
    "gcp:container/cluster:Cluster",
    "cluster",
    {
        "name": "main",
        "location": "us-central1",
        "removeDefaultNodePool": True,
        "initialNodeCount": 1,
        "networkingMode": "VPC_NATIVE",
        "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods"},
        "datapathProvider": "ADVANCED_DATAPATH",
        "privateClusterConfig": {"enablePrivateNodes": True, "masterIpv4CidrBlock": "172.16.0.32/28"},
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"allowExternalTraffic": True},
            "ipEndpointsConfig": {"enabled": False},
        },
        "workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"},
        "enableShieldedNodes": True,
        "enableIntranodeVisibility": True,
        "authenticatorGroupsConfig": {"securityGroup": "gke-security-groups@example.com"},
        "databaseEncryption": {
            "state": "ENCRYPTED",
            "keyName": "projects/p/locations/us-central1/keyRings/k/cryptoKeys/k",
        },
        "binaryAuthorization": {"evaluationMode": "PROJECT_SINGLETON_POLICY_ENFORCE"},
        "releaseChannel": {"channel": "REGULAR"},
        "minMasterVersion": "1.34.1-gke.2201000",
        "maintenancePolicy": {
            "recurringWindow": {
                "startTime": "2026-01-03T02:00:00Z",
                "endTime": "2026-01-03T10:00:00Z",
                "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU",
            },
        },
        "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
        "monitoringConfig": {"enableComponents": ["SYSTEM_COMPONENTS"]},
        "resourceLabels": {"environment": "prod", "team": "research"},
        "deletionProtection": True,
    },
    protect=True,
)
NETWORK = google("gcp:compute/network:Network", "vpc", {"name": "main", "mtu": 8896})
SUBNETWORK = google(
    "gcp:compute/subnetwork:Subnetwork",
    "subnetwork",
    {
        "name": "nodes",
        "privateIpGoogleAccess": True,
        "logConfig": {"aggregationInterval": "INTERVAL_10_MIN"},
        "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.64.0.0/16"}],
    },
)
NAT = google("gcp:compute/routerNat:RouterNat", "nat", {"name": "nat", "router": "router"})
FIREWALL = google(
    "gcp:compute/firewall:Firewall",
    "webhooks",
    {
        "name": "webhooks",
        "network": "main",
        "direction": "INGRESS",
        "sourceRanges": ["172.16.0.32/28"],
        "allows": [{"protocol": "tcp", "ports": ["9443"]}],
    },
)
POLICY = google(
    "gcp:compute/resourcePolicy:ResourcePolicy",
    "policy",
    {"name": "main-ironwood", "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}},
)
RESERVATION = google(
    "gcp:compute/reservation:Reservation",
    "reservation",
    {
        "name": "r",
        "zone": "us-central1-b",
        "specificReservation": {"count": 8, "instanceProperties": {"machineType": "ct6e-standard-4t"}},
    },
)
BUCKET = google(
    "gcp:storage/bucket:Bucket",
    "bucket",
    {
        "name": "p-scratch",
        "location": "us-central1",
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        "softDeletePolicy": {"retentionDurationSeconds": 0},
        "versioning": {"enabled": False},
        "lifecycleRules": [
            {"action": {"type": "Delete"}, "condition": {"age": 7, "matchesPrefixes": ["pathways/"]}},
            {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 1}},
        ],
        "forceDestroy": False,
    },
    component="pathways:gcp:ScratchBucket",
    protect=True,
)
CHECKPOINTS = google(
    "gcp:storage/bucket:Bucket",
    "results",
    {
        "name": "p-checkpoints",
        "location": "us-central1",
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        "versioning": {"enabled": True},
        "lifecycleRules": [
            {"action": {"type": "Delete"}, "condition": {"daysSinceNoncurrentTime": 7, "withState": "ARCHIVED"}},
        ],
        "logging": {"logBucket": "p-logs"},
        "encryption": {"defaultKmsKeyName": "projects/p/locations/us-central1/keyRings/k/cryptoKeys/k"},
    },
    protect=True,
)
CUSTOM_ROLE = google(
    "gcp:projects/iAMCustomRole:IAMCustomRole",
    "role",
    {
        "project": "p",
        "roleId": "pathwaysScratch",
        "permissions": [
            "storage.buckets.get",
            "storage.buckets.update",
            "storage.objects.create",
            "storage.objects.get",
            "storage.objects.list",
        ],
    },
)
GRANTS = [
    google(
        "gcp:storage/bucketIAMMember:BucketIAMMember",
        f"grant-{name}",
        {"bucket": "p-scratch", "role": ROLE, "member": f"serviceAccount:{email}"},
    )
    for name, email in (("slices", EMAIL), ("heads", HEAD_EMAIL))
]
ACCOUNTS = [
    google("gcp:serviceaccount/account:Account", f"account-{name}", {"accountId": name}) for name in ("slices", "heads")
]
NODE_ROLES = [
    google(
        "gcp:projects/iAMMember:IAMMember",
        f"role-{name}",
        {"project": "p", "role": "roles/container.defaultNodeServiceAccount", "member": f"serviceAccount:{email}"},
    )
    for name, email in (("slices", EMAIL), ("heads", HEAD_EMAIL))
]
JOBSET_INSTALL = Resource(
    "pathways:kubernetes:JobSetInstall",
    "jobset",
    urn=urn("pathways:kubernetes:JobSetInstall", "jobset", PLATFORM),
    custom=False,
)
CHART = Resource(
    "kubernetes:helm.sh/v4:Chart",
    "jobset-chart",
    {"chart": "oci://registry.k8s.io/jobset/charts/jobset", "version": "0.11.1"},
    urn=urn("kubernetes:helm.sh/v4:Chart", "jobset-chart", PLATFORM, "pathways:kubernetes:JobSetInstall"),
    parent=JOBSET_INSTALL.urn,
)
KUEUE = Resource(
    "kubernetes:helm.sh/v4:Chart",
    "kueue",
    {"chart": "oci://registry.k8s.io/kueue/charts/kueue", "version": "0.17.0"},
    urn=urn("kubernetes:helm.sh/v4:Chart", "kueue", PLATFORM),
    options=ResourceOptions(dependencies=(CHART.urn,)),
)
NAMESPACE = kubernetes(
    "v1", "Namespace", "jobs", {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}}}
)
OTHER_NAMESPACE = kubernetes(
    "v1", "Namespace", "tools", {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
)
PRIORITIES = [
    kubernetes(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        name,
        {"value": value, "globalDefault": False, "preemptionPolicy": "PreemptLowerPriority"},
    )
    for name, value in (("high", 2000), ("low", 1000))
]
PATHWAYS_JOB = kubernetes(
    "pathways-job.pathways.domain/v1",
    "PathwaysJob",
    "train",
    {
        "metadata": {"namespace": "jobs"},
        "spec": {
            "maxRestarts": 1,
            "pathwaysDir": "gs://p-scratch/pathways",
            "pathwaysVersion": "jax-0.8.3",
            "controller": {
                "deploymentMode": "default",
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [
                            {
                                "name": "main",
                                "image": "python:3.13",
                                "command": ["python", "train.py"],
                                "env": [{"name": "EPOCHS", "value": "3"}],
                                "resources": {"limits": {"cpu": "8", "memory": "32Gi"}},
                            }
                        ],
                    }
                },
            },
            "workers": [
                {
                    "type": "ct6e-standard-4t",
                    "topology": "4x4",
                    "numSlices": 2,
                    "nodeSelector": {"MultisliceGroup": "v6e"},
                    "priorityClassName": "high",
                }
            ],
        },
    },
    dependencies=(CHART.urn,),
)


def replicated_job(name: str, replicas: int, pods: int, pod: dict[str, Any], **job: Any) -> dict[str, Any]:
    spec = {"parallelism": pods, "completions": pods, **job, "template": {"spec": pod}}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def server(name: str, image: str, memory: str, *flags: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": f"us-docker.pkg.dev/cloud-tpu-v2-images/pathways/{image}:jax-0.8.3",
        "args": list(flags),
        "restartPolicy": "Always",
        "ports": [{"containerPort": 29000}],
        "resources": {"limits": {"cpu": "8", "memory": memory}},
    }


RESOURCE_MANAGER = server(
    "pathways-rm",
    "server",
    "32G",
    "--node_type=resource_manager",
    "--instance_count=2",
    "--instance_type=tpuv6e:4x4",
    "--gcs_scratch_location=gs://p-scratch/pathways",
)
PROXY = server("pathways-proxy", "proxy_server", "100G", "--resource_manager_address=x:29001", "--num_elastic_slices=1")
HEAD_POD = {
    "hostNetwork": True,
    "dnsPolicy": "ClusterFirstWithHostNet",
    "restartPolicy": "Never",
    "initContainers": [RESOURCE_MANAGER, PROXY],
    "containers": [{"name": "main", "image": "python:3.13", "resources": {"requests": {"memory": "1Gi"}}}],
    "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "512Mi"}}],
}
WORKER_POD = {
    "hostNetwork": True,
    "dnsPolicy": "ClusterFirstWithHostNet",
    "priorityClassName": "low",
    "nodeSelector": {
        "MultisliceGroup": "v6e",
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    },
    "containers": [
        {
            "name": "pathways-worker",
            "image": "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server:jax-0.8.3",
            "args": ["--server_port=29005", "--resource_manager_address=x:29001"],
            "resources": {"limits": {"google.com/tpu": "4"}},
        }
    ],
}
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
JOB_SET = kubernetes(
    "jobset.x-k8s.io/v1alpha2",
    "JobSet",
    "direct",
    {
        "metadata": {"namespace": "jobs", "labels": {"kueue.x-k8s.io/queue-name": "team"}},
        "spec": {
            "coordinator": {"replicatedJob": "head"},
            "failurePolicy": {"maxRestarts": 1},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": ["head"]},
            "replicatedJobs": [
                replicated_job("head", 1, 1, HEAD_POD, backoffLimit=0),
                {
                    **replicated_job("worker", 2, 4, WORKER_POD, backoffLimit=0),
                },
            ],
        },
    },
    dependencies=(CHART.urn,),
)
JOB_SET.properties["spec"]["replicatedJobs"][1]["template"]["metadata"] = {
    "annotations": {EXCLUSIVE: "cloud.google.com/gke-nodepool"}
}
CLUSTER_QUEUE = kubernetes(
    "kueue.x-k8s.io/v1beta2",
    "ClusterQueue",
    "all",
    {
        "spec": {
            "resourceGroups": [
                {
                    "coveredResources": ["cpu", "memory", "google.com/tpu"],
                    "flavors": [
                        {
                            "name": "v6e",
                            "resources": [
                                {"name": "cpu", "nominalQuota": 0},
                                {"name": "memory", "nominalQuota": 0},
                                {"name": "google.com/tpu", "nominalQuota": 32},
                            ],
                        },
                        {
                            "name": "head-nodes",
                            "resources": [
                                {"name": "cpu", "nominalQuota": 64},
                                {"name": "memory", "nominalQuota": "220Gi"},
                                {"name": "google.com/tpu", "nominalQuota": 0},
                            ],
                        },
                    ],
                }
            ]
        }
    },
)
LOCAL_QUEUE = kubernetes(
    "kueue.x-k8s.io/v1beta2", "LocalQueue", "team", {"metadata": {"namespace": "jobs"}, "spec": {"clusterQueue": "all"}}
)
FLAVORS = [
    kubernetes("kueue.x-k8s.io/v1beta2", "ResourceFlavor", name, {"spec": {"nodeLabels": labels}})
    for name, labels in (
        ("v6e", {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}),
        ("head-nodes", {"pathways.dev/pool": "head"}),
    )
]


def a_stack() -> list[Resource]:
    """A fresh copy of every resource."""
    return copy.deepcopy(
        [
            NETWORK,
            SUBNETWORK,
            NAT,
            FIREWALL,
            CLUSTER,
            *ACCOUNTS,
            *NODE_ROLES,
            HEAD_POOL,
            tpu_pool(0),
            tpu_pool(1),
            POLICY,
            ironwood_pool(),
            RESERVATION,
            BUCKET,
            CHECKPOINTS,
            CUSTOM_ROLE,
            *GRANTS,
            JOBSET_INSTALL,
            CHART,
            KUEUE,
            NAMESPACE,
            OTHER_NAMESPACE,
            *PRIORITIES,
            PATHWAYS_JOB,
            JOB_SET,
            CLUSTER_QUEUE,
            LOCAL_QUEUE,
            *FLAVORS,
        ]
    )


def changed(resource: Resource, changes: Mapping[str, Any]) -> Resource:
    """The resource with other properties. Keys: property paths, or options.NAME; GONE takes a property away."""
    properties = copy.deepcopy(dict(resource.properties))
    options = resource.options
    for path, value in changes.items():
        if path.startswith("options."):
            options = replace(options, **{path.removeprefix("options."): value})
        else:
            _set(properties, path, copy.deepcopy(value) if value is not GONE else GONE)
    return replace(resource, properties=properties, options=options)


def _set(properties: dict[str, Any], path: str, value: Any) -> None:
    *steps, last = parse_path(path)
    place: Any = properties
    for step in steps:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if value is GONE:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value


def stack_with(name: str, changes: Mapping[str, Any], *, without: tuple[str, ...] = ()) -> list[Resource]:
    """The stack with one resource changed, and those taken away that are named."""
    resources = [resource for resource in a_stack() if resource.name not in without]
    assert any(resource.name == name for resource in resources) or not changes, name
    return [changed(resource, changes) if resource.name == name else resource for resource in resources]
