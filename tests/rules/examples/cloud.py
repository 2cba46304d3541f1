"""Examples about the cluster, its network, buckets, accounts, and what is installed."""

from typing import Any

from pathways.rules import Context
from tests.rules.a_stack import CHECKPOINTS, EMAIL, GONE, ROLE, changed, tpu_pool
from tests.rules.examples.example import DEV, Example

PUBLIC = {"controlPlaneEndpointsConfig": GONE}
OTHERS = {"cidrBlocks": [{"cidrBlock": "10.0.0.0/8"}]}
ABORT = {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 1}}
KUBERNETES_ACCOUNT = "serviceAccount:p.svc.id.goog[jobs/default]"
DIRECT_HEAD = "spec.replicatedJobs[0].template.spec.template.spec"


def delete_after(days: int, prefix: str) -> dict[str, Any]:
    return {"action": {"type": "Delete"}, "condition": {"age": days, "matchesPrefixes": [prefix]}}


def many_rules(number: int) -> list[dict[str, Any]]:
    return [delete_after(7, "pathways/")] * number


def told(place: str) -> dict[str, Any]:
    """The example's PathwaysJob is told where to write checkpoints."""
    variable = {"name": "CHECKPOINT_LOCATION", "value": place}
    return {"spec.controller.template.spec.containers[0].env[1]": variable}


CLUSTERS = [
    Example("cluster-workload-identity", "cluster", {"workloadIdentityConfig": GONE}, "Workload Identity is off"),
    Example("cluster-release-channel", "cluster", {"releaseChannel": GONE}, "no release channel"),
    Example("cluster-release-channel", "cluster", {"releaseChannel.channel": "UNSPECIFIED"}, "no release channel"),
    Example("cluster-shielded-nodes", "cluster", {"enableShieldedNodes": False}, "Shielded nodes are off"),
    Example("cluster-vpc-native", "cluster", {"networkingMode": "ROUTES"}, "not VPC-native"),
    Example("cluster-vpc-native", "cluster", {"networkingMode": GONE, "ipAllocationPolicy": GONE}, "not VPC-native"),
    Example("cluster-control-plane-access", "cluster", PUBLIC, "Everyone can reach"),
    Example(
        "cluster-control-plane-access",
        "cluster",
        {**PUBLIC, "masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}},
        '"0.0.0.0/0" is everyone',
    ),
    Example(
        "cluster-control-plane-access",
        "cluster",
        {**PUBLIC, "masterAuthorizedNetworksConfig": OTHERS},
        "public address",
        "warning",
    ),
    Example(
        "cluster-control-plane-access",
        "cluster",
        {
            **PUBLIC,
            "masterAuthorizedNetworksConfig": OTHERS,
            "privateClusterConfig.enablePrivateEndpoint": True,
        },
    ),
    Example(
        "cluster-private-nodes", "cluster", {"privateClusterConfig.enablePrivateNodes": False}, "have public addresses"
    ),
    Example("cluster-dataplane-v2", "cluster", {"datapathProvider": GONE}, "datapath provider is nothing"),
    Example("cluster-logging-monitoring", "cluster", {"loggingService": "none"}, "loggingService is none"),
    Example(
        "cluster-logging-monitoring", "cluster", {"monitoringConfig.enableComponents": ["POD"]}, "SYSTEM_COMPONENTS"
    ),
    Example("cluster-logging-monitoring", "cluster", {"loggingConfig": GONE}),
    Example(
        "cluster-legacy-access",
        "cluster",
        {"masterAuth": {"clientCertificateConfig": {"issueClientCertificate": True}}},
        "client certificate",
    ),
    Example("cluster-legacy-access", "cluster", {"enableLegacyAbac": True}, "ABAC"),
    Example("cluster-labels", "cluster", {"resourceLabels": {"team": "a"}}, "do not tell environment"),
    Example("cluster-no-inline-pools", "cluster", {"nodePools": [{"name": "x"}]}, "1 node pools inside"),
    Example("cluster-no-inline-pools", "cluster", {"removeDefaultNodePool": GONE}, "default node pool stays"),
    Example(
        "cluster-concurrent-operations",
        "v6e-0",
        {},
        "6 node pools of the cluster may be made at once; GKE takes 5",
        "warning",
        more=tuple(tpu_pool(index) for index in (2, 3)),
    ),
    Example("cluster-concurrent-operations", "v6e-0", {}, "8 node pools", "warning", Context(concurrent_operations=8)),
    Example("cluster-concurrent-operations", "v6e-0", {}, context=Context(concurrent_operations=5)),
    Example(
        "cluster-maintenance-window", "cluster", {"maintenancePolicy.recurringWindow": GONE}, "no maintenance window"
    ),
    Example("deletion-protection-by-env", "cluster", {"deletionProtection": False}, "off, and this is prod"),
    Example("deletion-protection-by-env", "cluster", {"deletionProtection": GONE}, "two steps", "warning", DEV),
    Example("deletion-protection-by-env", "cluster", {"deletionProtection": False}, context=DEV),
    Example("protect-stateful", "cluster", {"options.protect": False}, "cluster is not protected"),
    Example("protect-stateful", "v6e-0", {"options.protect": False}, "reserved TPUs is not protected"),
    Example("protect-stateful", "v6e-0", {"options.protect": False}, context=DEV),
    Example(
        "cluster-hardening-advice",
        "cluster",
        {"binaryAuthorization.evaluationMode": "DISABLED", "databaseEncryption": GONE},
        "without encryption of secrets with a key of one's own, Binary Authorization",
        "warning",
    ),
    Example(
        "cluster-hardening-advice", "cluster", {"location": "us-central1-b"}, "control plane is in one zone", "warning"
    ),
    Example("cluster-hardening-advice", "cluster", {"databaseEncryption": GONE}, context=DEV),
]

NETWORKS = [
    Example("private-nodes-reach-out", "cluster", {}, "has no NAT", without=("nat",)),
    Example("private-nodes-reach-out", "cluster", {"privateClusterConfig.enablePrivateNodes": False}, without=("nat",)),
    Example("private-nodes-reach-out", "cluster", {}, without=("nat", "vpc", "subnetwork")),
    Example("private-google-access", "subnetwork", {"privateIpGoogleAccess": False}, "Private Google access is off"),
    Example("webhooks-reachable", "cluster", {}, "port 9443", "warning", without=("webhooks",)),
    Example("webhooks-reachable", "webhooks", {"allows[0].ports": ["443", "10250"]}, "port 9443", "warning"),
    Example("webhooks-reachable", "webhooks", {"allows[0].ports": ["9000-9999"]}),
    Example("subnetwork-flow-logs", "subnetwork", {"logConfig": GONE}, "Flow logs are off", "warning"),
    Example(
        "address-ranges-sized",
        "subnetwork",
        {"secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.64.0.0/25"}]},
        "has 128 addresses, the pods of",
    ),
    Example("cluster-not-too-large", "heads", {"autoscaling.maxNodeCount": 5001}, "nodes in one cluster", "warning"),
    Example("network-mtu", "vpc", {"mtu": GONE}, "1460 bytes", "warning"),
]

BUCKETS = [
    Example("bucket-uniform-access", "bucket", {"uniformBucketLevelAccess": False}, "is off"),
    Example("bucket-not-public", "bucket", {"publicAccessPrevention": "inherited"}, "inherited"),
    Example("bucket-kept-in-prod", "bucket", {"forceDestroy": True}, "is emptied"),
    Example("bucket-kept-in-prod", "bucket", {"options.protect": False}, "not protected"),
    Example("bucket-kept-in-prod", "bucket", {"forceDestroy": True, "options.protect": False}, context=DEV),
    Example("checkpoints-versioned", "results", {"versioning": GONE}, "p-checkpoints keeps no versions"),
    Example("checkpoints-versioned", "results", {"versioning": GONE, "hierarchicalNamespace": {"enabled": True}}),
    Example("checkpoints-versions-bounded", "results", {"lifecycleRules": [ABORT]}, "former versions", "warning"),
    Example(
        "checkpoints-versions-bounded",
        "results",
        {"lifecycleRules[0].condition": {"numNewerVersions": 3, "withState": "ARCHIVED"}},
    ),
    Example("checkpoints-versions-bounded", "results", {"versioning.enabled": False, "lifecycleRules": GONE}),
    Example(
        "checkpoints-iam-minimal",
        "grant-slices",
        {"bucket": "p-checkpoints", "role": "roles/storage.admin"},
        "on the checkpoint bucket has storage.buckets.delete, storage.buckets.get, storage.buckets.update besides",
    ),
    Example("checkpoints-iam-minimal", "grant-slices", {"bucket": "p-checkpoints", "role": "roles/storage.objectUser"}),
    Example("checkpoints-outlive-scratch", "train", told("gs://p-checkpoints/train")),
    Example(
        "checkpoints-outlive-scratch",
        "train",
        told("gs://p-scratch/pathways/train"),
        "train writes checkpoints to gs://p-scratch/pathways/train, in the place for compiled programs,",
        without=("bucket",),
    ),
    Example(
        "checkpoints-outlive-scratch",
        "direct",
        {f"{DIRECT_HEAD}.containers[0].args": ["--checkpoint_dir=gs://p-scratch/pathways/direct"]},
        "direct writes checkpoints to gs://p-scratch/pathways/direct, where a rule for pathways/ deletes after 7 days",
    ),
    Example(
        "checkpoints-outlive-scratch",
        "train",
        told("gs://p-checkpoints/train"),
        "where a rule for train/ deletes after 30 days",
        without=("results",),
        more=(changed(CHECKPOINTS, {"lifecycleRules": [delete_after(30, "train/")]}),),
    ),
    Example("bucket-hardening-advice", "results", {"logging": GONE}, "without access logs", "warning"),
    Example("scratch-bucket-region", "bucket", {"location": "US"}, 'is in "US", the slices are in us-central1'),
    Example("scratch-bucket-region", "bucket", {"location": "US-CENTRAL1"}),
    Example(
        "scratch-bucket-region",
        "bucket",
        {"customPlacementConfig": {"dataLocations": ["us-central1", "us-east1"]}},
        "two regions",
    ),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules": [ABORT]}, "No lifecycle rule deletes"),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules": [delete_after(7, "pathways/")]}, "unfinished uploads"),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules[0].condition.age": 0}, "age 0"),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules[0].condition.matchesPrefixes": GONE}, "every object"),
    Example(
        "scratch-lifecycle",
        "bucket",
        {"lifecycleRules[0].condition.matchesPrefixes": ["pathways/", "checkpoints/"]},
        "takes checkpoints/, where checkpoints are",
    ),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules[2]": delete_after(30, "profiles/")}),
    Example(
        "scratch-lifecycle",
        "bucket",
        {"lifecycleRules": [delete_after(7, "pathways/")] * 50 + [ABORT]},
        "51 lifecycle rules",
    ),
    Example("scratch-lifecycle", "bucket", {"lifecycleRules": [delete_after(7, "pathways/")] * 49 + [ABORT]}),
    Example("scratch-lifecycle", "bucket", {"versioning.enabled": True}, "Versions"),
    Example("scratch-lifecycle", "bucket", {"softDeletePolicy": GONE}, "seven days"),
    Example("scratch-lifecycle", "bucket", {"retentionPolicy": {"retentionPeriod": "60"}}, "while they are retained"),
]

IDENTITIES = [
    Example(
        "scratch-iam-minimal", "grant-slices", {"role": "roles/storage.objectAdmin"}, "storage.objects.delete besides"
    ),
    Example(
        "scratch-iam-minimal",
        "grant-slices",
        {"role": "roles/storage.objectAdmin"},
        f'"{EMAIL}", lacks storage.buckets.get, storage.buckets.update on the bucket p-scratch',
    ),
    Example(
        "scratch-iam-minimal", "grant-slices", {"member": KUBERNETES_ACCOUNT}, "do not reach pods on the host network"
    ),
    Example("scratch-iam-minimal", "role", {"permissions": ["storage.buckets.get"]}, "lacks storage.buckets.update"),
    Example("scratch-iam-minimal", "grant-heads", {"member": "allUsers"}, "open to"),
    Example("scratch-iam-minimal", "v6e-0", {}, "heads@p.iam.gserviceaccount.com", without=("grant-heads",)),
    Example("node-account-role", "role-slices", {"role": "roles/logging.logWriter"}, f"Nodes run as {EMAIL}"),
    Example("project-roles-minimal", "role-slices", {"role": "roles/storage.admin"}, "on the whole project"),
    Example(
        "project-roles-minimal",
        "role-slices",
        {"member": "serviceAccount:12345-compute@developer.gserviceaccount.com"},
        "is a default account",
    ),
    Example("project-roles-minimal", "role-slices", {"role": ROLE}),
]

INSTALLS = [
    Example("jobset-present", "train", {}, "the stack does not install it", without=("jobset", "jobset-chart")),
    Example("jobset-present", "train", {}, without=("jobset", "jobset-chart", "cluster")),
    Example("jobset-present", "jobset-chart", {"version": "0.7.3"}, 'JobSet "0.7.3" is older than 0.8'),
    Example("kueue-after-jobset", "kueue", {"options.dependencies": ()}, "Kueue does not wait"),
    Example("jobset-ordered", "train", {"options.dependencies": ()}, "train does not wait for JobSet"),
    Example("job-namespace", "train", {"metadata.namespace": GONE}, "train is in the namespace default"),
    Example("job-namespace", "direct", {"metadata.namespace": "default"}, "direct is in the namespace default"),
    Example(
        "namespace-pod-security",
        "jobs",
        {'metadata.labels["pod-security.kubernetes.io/enforce"]': "baseline"},
        "workers would be refused",
    ),
    Example("namespace-pod-security", "tools", {"metadata.labels": GONE}, "no pod security standard"),
    Example(
        "namespace-pod-security",
        "tools",
        {'metadata.labels["pod-security.kubernetes.io/enforce"]': "privileged"},
        "has no TPU jobs",
    ),
]
