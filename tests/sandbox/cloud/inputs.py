"""The least that a program can say of a resource of each type, in the order in which they can be created."""

NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
NAT = "gcp:compute/routerNat:RouterNat"
FIREWALL = "gcp:compute/firewall:Firewall"
ADDRESS = "gcp:compute/address:Address"
RESERVATION = "gcp:compute/reservation:Reservation"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
BUCKET = "gcp:storage/bucket:Bucket"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
ACCOUNT = "gcp:serviceaccount/account:Account"
ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
PROJECT_MEMBER = "gcp:projects/iAMMember:IAMMember"
CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
KEY_RING = "gcp:kms/keyRing:KeyRing"
CRYPTO_KEY = "gcp:kms/cryptoKey:CryptoKey"

EMAIL = "nodes-of-slices@my-project.iam.gserviceaccount.com"
SA_MEMBER = f"serviceAccount:{EMAIL}"

CLUSTER_INPUTS = {
    "name": "main",
    "location": "us-east5",
    "network": "net",
    "subnetwork": "sub",
    "initialNodeCount": 1,
    "removeDefaultNodePool": True,
    "deletionProtection": False,
}

SLICE_INPUTS = {
    "name": "v6e-0",
    "cluster": "main",
    "location": "us-east5",
    "nodeLocations": ["us-east5-b"],
    "nodeCount": 4,
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
    "nodeConfig": {"machineType": "ct6e-standard-4t", "spot": True, "labels": {"MultisliceGroup": "v6e"}},
}

HEAD_INPUTS = {
    "name": "head",
    "cluster": "main",
    "location": "us-east5",
    "nodeLocations": ["us-east5-b"],
    "autoscaling": {"minNodeCount": 1, "maxNodeCount": 2},
    "nodeConfig": {"machineType": "n2-standard-64"},
}

EVERY_TYPE = {
    NETWORK: {"name": "net", "autoCreateSubnetworks": False},
    SUBNETWORK: {"name": "sub", "network": "net", "ipCidrRange": "10.0.0.0/20", "region": "us-east5"},
    ROUTER: {"name": "router", "network": "net", "region": "us-east5"},
    ADDRESS: {"name": "nat-ip", "region": "us-east5"},
    NAT: {
        "name": "nat",
        "router": "router",
        "region": "us-east5",
        "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
        "natIpAllocateOption": "MANUAL_ONLY",
        "natIps": ["projects/my-project/regions/us-east5/addresses/nat-ip"],
    },
    FIREWALL: {"name": "webhooks", "network": "net", "allows": [{"protocol": "tcp", "ports": ["9443"]}]},
    RESERVATION: {
        "name": "reserved",
        "zone": "us-east5-b",
        "specificReservation": {"count": 8, "instanceProperties": {"machineType": "ct6e-standard-4t"}},
    },
    RESOURCE_POLICY: {
        "name": "workload",
        "region": "us-east5",
        "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"},
    },
    ACCOUNT: {"accountId": "nodes-of-slices"},
    CUSTOM_ROLE: {"roleId": "scratch", "title": "Scratch", "permissions": ["storage.buckets.get"]},
    PROJECT_MEMBER: {"project": "my-project", "role": "projects/my-project/roles/scratch", "member": SA_MEMBER},
    ACCOUNT_MEMBER: {
        "serviceAccountId": f"projects/my-project/serviceAccounts/{EMAIL}",
        "role": "roles/iam.serviceAccountUser",
        "member": SA_MEMBER,
    },
    BUCKET: {"name": "scratch-of-slices", "location": "us-east5"},
    BUCKET_MEMBER: {"bucket": "scratch-of-slices", "role": "roles/storage.objectUser", "member": SA_MEMBER},
    CLUSTER: CLUSTER_INPUTS,
    POOL: SLICE_INPUTS,
    KEY_RING: {"name": "ring", "location": "us-east5"},
    CRYPTO_KEY: {"name": "key", "keyRing": "projects/my-project/locations/us-east5/keyRings/ring"},
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember": {
        "cryptoKeyId": "projects/my-project/locations/us-east5/keyRings/ring/cryptoKeys/key",
        "role": "roles/cloudkms.cryptoKeyEncrypterDecrypter",
        "member": SA_MEMBER,
    },
    "gcp:logging/metric:Metric": {"name": "restarts", "filter": "severity>=ERROR"},
    "gcp:monitoring/notificationChannel:NotificationChannel": {"type": "email", "displayName": "team"},
    "gcp:monitoring/alertPolicy:AlertPolicy": {
        "displayName": "slice lost",
        "combiner": "OR",
        "conditions": [{"displayName": "lost", "conditionAbsent": {"duration": "60s", "filter": "x"}}],
    },
    "gcp:monitoring/dashboard:Dashboard": {"dashboardJson": "{}"},
    "gcp:projects/service:Service": {"service": "container.googleapis.com"},
    "gcp:binaryauthorization/policy:Policy": {
        "defaultAdmissionRule": {"enforcementMode": "DRYRUN_AUDIT_LOG_ONLY", "evaluationMode": "ALWAYS_ALLOW"}
    },
    "gcp:tpu/v2Vm:V2Vm": {"name": "vm", "zone": "us-east5-b", "runtimeVersion": "v2-alpha-tpuv6e"},
    "gcp:tpu/v2QueuedResource:V2QueuedResource": {"name": "queued", "zone": "us-east5-b"},
}

IDS = {  # id formats of the provider's documentation
    NETWORK: "projects/my-project/global/networks/net",
    SUBNETWORK: "projects/my-project/regions/us-east5/subnetworks/sub",
    CLUSTER: "projects/my-project/locations/us-east5/clusters/main",
    POOL: "my-project/us-east5/main/v6e-0",
    ACCOUNT: f"projects/my-project/serviceAccounts/{EMAIL}",
    CUSTOM_ROLE: "projects/my-project/roles/scratch",
    BUCKET: "scratch-of-slices",
    RESOURCE_POLICY: "projects/my-project/regions/us-east5/resourcePolicies/workload",
}


def with_change(inputs, path, value):
    """The inputs with one value changed; None takes it away."""
    *parents, last = path.split(".")
    changed = dict(inputs)
    level = changed
    for step in parents:
        level[step] = dict(level.get(step) or {})
        level = level[step]
    level[last] = value
    if value is None:
        del level[last]
    return changed
