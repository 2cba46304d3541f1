"""The kinds of resources that rules are about; see Resource.kind."""

from pathways.gcp.exceptions import BUCKET, CLUSTER, NODE_POOL, QUEUED_RESOURCE, SUBNETWORK

NETWORK = "gcp:compute/network:Network"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
FIREWALL = "gcp:compute/firewall:Firewall"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
RESERVATION = "gcp:compute/reservation:Reservation"
SERVICE_ACCOUNT = "gcp:serviceaccount/account:Account"
CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
PROJECT_MEMBER = "gcp:projects/iAMMember:IAMMember"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"

PATHWAYS_JOB = "pathways-job.pathways.domain/PathwaysJob"
JOB_SET = "jobset.x-k8s.io/JobSet"
PRIORITY_CLASS = "scheduling.k8s.io/PriorityClass"
NAMESPACE = "core/Namespace"
CLUSTER_QUEUE = "kueue.x-k8s.io/ClusterQueue"
LOCAL_QUEUE = "kueue.x-k8s.io/LocalQueue"
RESOURCE_FLAVOR = "kueue.x-k8s.io/ResourceFlavor"
CHART = "helm.sh/Chart"
RELEASE = "helm.sh/Release"

JOBS = (PATHWAYS_JOB, JOB_SET)

JOBSET_INSTALL = "pathways:kubernetes:JobSetInstall"
SCRATCH_BUCKET = "pathways:gcp:ScratchBucket"
CHECKPOINT_BUCKET = "pathways:gcp:CheckpointBucket"

__all__ = [
    "BUCKET",
    "BUCKET_MEMBER",
    "CHART",
    "CHECKPOINT_BUCKET",
    "CLUSTER",
    "CLUSTER_QUEUE",
    "CUSTOM_ROLE",
    "FIREWALL",
    "JOBS",
    "JOBSET_INSTALL",
    "JOB_SET",
    "LOCAL_QUEUE",
    "NAMESPACE",
    "NETWORK",
    "NODE_POOL",
    "PATHWAYS_JOB",
    "PRIORITY_CLASS",
    "PROJECT_MEMBER",
    "QUEUED_RESOURCE",
    "RELEASE",
    "RESERVATION",
    "RESOURCE_FLAVOR",
    "RESOURCE_POLICY",
    "ROUTER_NAT",
    "SCRATCH_BUCKET",
    "SERVICE_ACCOUNT",
    "SUBNETWORK",
]
