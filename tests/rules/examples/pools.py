"""Examples about node pools, capacity, groups and nodes."""

from dataclasses import replace

from pathways.rules import KnownReservation
from tests.rules.a_stack import GONE, google
from tests.rules.examples.example import DEV, PROD, Example

RESERVED = "nodeConfig.reservationAffinity"
SINGLE_HOST = {"nodeConfig.machineType": "ct5p-hightpu-4t", "placementPolicy": GONE, "nodeCount": 1}
SPOT = {"nodeConfig.spot": True, f"{RESERVED}.consumeReservationType": "NO_RESERVATION"}
FLEX = {
    "nodeConfig.flexStart": True,
    f"{RESERVED}.consumeReservationType": "NO_RESERVATION",
    "nodeCount": GONE,
    "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"},
    "management.autoRepair": False,
}
QUEUED = {**FLEX, "nodeConfig.flexStart": False, "queuedProvisioning": {"enabled": True}}
ON_DEMAND = {RESERVED: {"consumeReservationType": "NO_RESERVATION"}}
WORKER = "spec.replicatedJobs[1].template.spec.template.spec"
QUEUE = "kueue.x-k8s.io/queue-name"
MULTI_CONTROLLER = {
    "metadata.labels": GONE,
    "spec.replicatedJobs[0].template.spec.template.spec.initContainers": GONE,
    f"{WORKER}.containers[0]": {"name": "jax", "resources": {"limits": {"google.com/tpu": 4}}},
}
"""A JobSet whose hosts run the program themselves."""
COST = "cost-guard"
TPU_VM = google(
    "gcp:tpu/v2QueuedResource:V2QueuedResource",
    "debug",
    {"name": "debug", "tpu": {"nodeSpecs": [{"node": {"acceleratorType": "v5litepod-8", "runtimeVersion": "v2"}}]}},
)

TPU_POOLS = [
    Example(
        "tpu-slice-topology-valid",
        "v6e-0",
        {"placementPolicy.tpuTopology": "4x2"},
        '"4x2" is not a topology of ct6e-standard-4t; legal: 2x2 2x4 4x4 4x8 8x8 8x16 16x16; did you mean "2x4"?',
    ),
    Example(
        "tpu-slice-topology-valid", "v6e-0", {"nodeConfig.machineType": "ct3-hightpu-4t"}, "not a TPU machine type"
    ),
    Example("tpu-slice-topology-valid", "heads", {"nodeConfig.machineType": "n2-standard-80"}),
    Example("tpu-node-count-matches-topology", "v6e-0", {"nodeCount": 2}, "2 nodes, and the slice 4x4"),
    Example("tpu-node-count-matches-topology", "v6e-0", {"nodeCount": 2}, "has 4 hosts"),
    Example(
        "tpu-node-count-matches-topology",
        "v6e-0",
        {**SINGLE_HOST, "nodeCount": 2},
        "slice 2x2x1 of ct5p-hightpu-4t has 1 host",
    ),
    Example("tpu-node-count-matches-topology", "v6e-0", SINGLE_HOST),
    Example("tpu-node-count-matches-topology", "v6e-0", {**FLEX, "autoscaling.maxNodeCount": 8}, "8 nodes at most"),
    Example("tpu-node-count-matches-topology", "v6e-0", {**FLEX, "autoscaling.minNodeCount": 1}, "1 nodes at least"),
    Example("tpu-node-count-matches-topology", "v6e-0", {**FLEX, "autoscaling.locationPolicy": "BALANCED"}, "is ANY"),
    Example(
        "tpu-node-count-matches-topology",
        "v6e-0",
        {**FLEX, "autoscaling": {"totalMaxNodeCount": 4}},
        "all zones together",
    ),
    Example("tpu-node-count-matches-topology", "v6e-0", FLEX),
    Example(
        "tpu-placement-multi-host-only",
        "v6e-0",
        {**SINGLE_HOST, "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x1"}},
        "which is a single host",
    ),
    Example("tpu-placement-multi-host-only", "v6e-0", SINGLE_HOST),
    Example("tpu-placement-multi-host-only", "v6e-0", {"placementPolicy.tpuTopology": GONE}, "without tpuTopology"),
    Example(
        "tpu-placement-multi-host-only",
        "ironwood",
        {"placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x2"}},
        "Use workload policy instead",
    ),
    Example(
        "tpu-placement-multi-host-only", "ironwood", {"placementPolicy.type": "COMPACT"}, "every preview shows a change"
    ),
    Example(
        "tpu-placement-multi-host-only",
        "ironwood",
        {"placementPolicy.tpuTopology": "2x2x2"},
        "A topology beside a policy's name",
    ),
    Example("tpu-workload-policy", "policy", {"workloadPolicy.acceleratorTopology": "2x2x4"}, "has 4 hosts"),
    Example("tpu-workload-policy", "policy", {"workloadPolicy.acceleratorTopology": "2x4x2"}, 'did you mean "2x2x4"?'),
    Example("tpu-workload-policy", "policy", {"workloadPolicy.type": "HIGH_AVAILABILITY"}, "is HIGH_THROUGHPUT"),
    Example("tpu-single-zone", "v6e-0", {"nodeLocations": ["us-central1-a", "us-central1-b"]}, "2 node locations"),
    Example("tpu-single-zone", "v6e-0", {"nodeLocations": GONE}, "No node location"),
    Example(
        "tpu-single-zone", "v6e-0", {"nodeLocations": ["us-east1-d"]}, 'The zone "us-east1-d" is not in "us-central1"'
    ),
    Example(
        "tpu-zone-offers-generation",
        "v6e-0",
        {"nodeLocations": ["us-east5-c"]},
        '"us-east5-c" does not have v6e; legal: us-central1-b us-east1-d us-east5-a us-east5-b us-south1-ai1b'
        ' europe-west4-a asia-northeast1-b; did you mean "us-east5-',
    ),
    Example("tpu-zone-offers-generation", "v6e-0", {"nodeLocations": ["us-east5-a"]}),
    Example("tpu-zone-offers-generation", "v6e-0", {"nodeLocations": ["europe-west4-a"]}),
    Example(
        "tpu-zone-offers-generation",
        "v6e-0",
        {"nodeLocations": ["europe-west4-b"]},
        '"europe-west4-b" is not known to have v6e',
        "warning",
    ),
    Example(
        "tpu-zone-offers-generation",
        "v6e-0",
        {"nodeLocations": ["us-east5-b"], "nodeConfig.machineType": "ct5p-hightpu-4t"},
        '"us-east5-b" does not have v5p; legal: us-central1-a us-east5-a europe-west4-b; did you mean "us-east5-a"?',
    ),
    Example(
        "tpu-zone-offers-generation", "v6e-0", {"nodeLocations": GONE, "location": "us-central1-a"}, "not have v6e"
    ),
    Example("tpu-pool-in-cluster-region", "cluster", {"location": "us-east5"}, "that of the cluster main is us-east5"),
    Example(
        "tpu-reserved-labels",
        "v6e-0",
        {'nodeConfig.labels["cloud.google.com/gke-tpu-topology"]': "4x4"},
        "GKE's to set",
    ),
    Example(
        "tpu-reserved-labels",
        "v6e-0",
        {"nodeConfig.taints": [{"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}]},
        "google.com/tpu itself",
        "warning",
    ),
    Example("label-pair-present", "v6e-0", {"nodeConfig.labels.MultisliceGroup": GONE}, "MultisliceGroup missing"),
    Example(
        "label-pair-present", "v6e-0", {"nodeConfig.labels": GONE}, "MultisliceGroup and MultisliceGroupSize missing"
    ),
    Example(
        "tpu-pool-replaced-on-change",
        "v6e-0",
        {"options.replace_on_changes": ("nodeCount",)},
        "placementPolicy.tpuTopology",
    ),
    Example(
        "tpu-pool-replaced-on-change",
        "v6e-0",
        {"options.replace_on_changes": ("placementPolicy", "nodeCount")},
        "nodeLocations",
    ),
    Example(
        "tpu-pool-replaced-on-change",
        "v6e-0",
        {"options.replace_on_changes": ("placementPolicy", "nodeCount", "nodeLocations")},
        "nodeConfig.machineType",
    ),
    Example(
        "tpu-pool-replaced-on-change",
        "v6e-0",
        {"options.replace_on_changes": ("placementPolicy", "nodeCount", "nodeLocations", "nodeConfig.machineType")},
    ),
    Example("tpu-pool-replaced-on-change", "v6e-0", {"options.delete_before_replace": False}, "a second time"),
]

CAPACITY = [
    Example(
        "capacity-exclusive", "v6e-0", {"nodeConfig.spot": True}, "Spot and the reservation r are asked for at once"
    ),
    Example("capacity-exclusive", "v6e-0", {**SPOT, "nodeConfig.flexStart": True}, "Spot and flex start"),
    Example(
        "capacity-exclusive", "v6e-0", {**QUEUED, "nodeConfig.flexStart": True}, "Flex start and queued provisioning"
    ),
    Example(
        "capacity-exclusive",
        "v6e-0",
        {"nodeConfig.spot": True, f"{RESERVED}.consumeReservationType": "ANY_RESERVATION"},
        "ANY_RESERVATION",
    ),
    Example("capacity-exclusive", "v6e-0", SPOT),
    Example(
        "capacity-comes-and-goes", "v6e-0", {**FLEX, "management.autoRepair": True}, "Auto-repair of flex-start nodes"
    ),
    Example("capacity-comes-and-goes", "v6e-0", {**FLEX, "nodeCount": 4}, "A fixed count of 4 nodes"),
    Example(
        "capacity-comes-and-goes",
        "v6e-0",
        {**QUEUED, "autoscaling.minNodeCount": 4},
        "4 nodes at least in a queued pool",
    ),
    Example("capacity-comes-and-goes", "v6e-0", QUEUED),
    Example(
        "reservation-affinity-well-formed",
        "v6e-0",
        {f"{RESERVED}.key": GONE},
        "compute.googleapis.com/reservation-name",
    ),
    Example("reservation-affinity-well-formed", "v6e-0", {f"{RESERVED}.values": ["a", "b"]}, "2 reservations"),
    Example("reservation-affinity-well-formed", "v6e-0", {f"{RESERVED}.values": ["r/reservationBlocks/b"]}, "404"),
    Example(
        "reservation-affinity-well-formed",
        "v6e-0",
        {f"{RESERVED}.consumeReservationType": "ANY_RESERVATION"},
        "by its name alone",
        "warning",
    ),
    Example(
        "reservation-large-enough",
        "reservation",
        {"specificReservation.count": 7},
        "need 32 chips of the reservation r, which holds 28",
    ),
    Example(
        "reservation-large-enough",
        "v6e-0",
        {},
        "which holds 16",
        context=replace(PROD, reservations={"r": KnownReservation(16)}),
        without=("reservation",),
    ),
    Example(
        "reservation-large-enough",
        "v6e-0",
        {f"{RESERVED}.values": ["projects/other/reservations/r/reservationBlocks/b"]},
        "holds 28",
        without=("reservation",),
        context=replace(PROD, reservations={"r": KnownReservation(28)}),
    ),
    Example(
        "reservation-in-the-zone",
        "reservation",
        {"zone": "us-central1-a"},
        "is in us-central1-a, the pool in us-central1-b",
    ),
    Example(COST, "v6e-0", {}, "3 slices have 40 chips, the budget is 39", context=replace(PROD, budget=39)),
    Example(COST, "v6e-0", {}, context=replace(PROD, budget=40)),
    Example(COST, "v6e-0", {}, "4 slices have 48 chips", context=replace(PROD, budget=47), more=(TPU_VM,)),
    Example(COST, "v6e-0", {}, context=replace(PROD, budget=48), more=(TPU_VM,)),
    Example("spot-in-dev", "v6e-0", ON_DEMAND, "v6e-0 runs on demand", "warning", DEV),
    Example("spot-in-dev", "v6e-0", SPOT, context=DEV),
    Example("spot-in-dev", "v6e-0", ON_DEMAND),
]

GROUPS = [
    Example(
        "multislice-homogeneous",
        "v6e-1",
        {"nodeConfig.machineType": "ct5lp-hightpu-4t"},
        "The machine type ct5lp-hightpu-4t, and the pool v6e-0 of the group v6e has ct6e-standard-4t",
    ),
    Example(
        "multislice-homogeneous", "v6e-1", {"placementPolicy.tpuTopology": "4x8", "nodeCount": 8}, "The topology 4x8"
    ),
    Example("multislice-homogeneous", "v6e-1", {"nodeLocations": ["us-central1-a"]}, "The zone us-central1-a"),
    Example("multislice-homogeneous", "v6e-1", SPOT, "The capacity spot"),
    Example("multislice-homogeneous", "v6e-1", {f"{RESERVED}.values": ["other"]}, "reservation other"),
    Example("multislice-homogeneous", "v6e-1", {"nodeConfig.labels.tier": "gold"}, "The label tier"),
    Example(
        "multislice-homogeneous",
        "v6e-1",
        {"nodeConfig.serviceAccount": "x@p.iam.gserviceaccount.com"},
        "The service account",
    ),
    Example(
        "multislice-group-size",
        "v6e-0",
        {"nodeConfig.labels.MultisliceGroupSize": "3"},
        'has 2 node pools, the label says "3"',
    ),
    Example(
        "multislice-count", "train", {"spec.workers[0].numSlices": 3}, "3 slices wanted, and 2 of 3 TPU node pools fit"
    ),
    Example(
        "multislice-count", "train", {"spec.workers[0].nodeSelector.MultisliceGroup": "v5"}, "0 of 3 TPU node pools"
    ),
    Example("multislice-count", "train", {"spec.workers[0].nodeSelector": {"cloud.google.com/reservation-name": "r"}}),
    Example(
        "multislice-count", "direct", {"metadata.labels": GONE}, "want 4 slices together, and there are 2", "warning"
    ),
    Example(
        "multislice-needs-multi-host",
        "train",
        {"spec.workers[0].topology": "2x2"},
        "2 slices 2x2 of ct6e-standard-4t, each a single host",
        "warning",
    ),
    Example(
        "multislice-needs-multi-host", "train", {"spec.workers[0].topology": "2x2", "spec.workers[0].numSlices": 1}
    ),
    Example("multislice-bound-to-group", "direct", MULTI_CONTROLLER, "The 2 slices of worker", "warning"),
    Example("multislice-bound-to-group", "direct", {**MULTI_CONTROLLER, f"{WORKER}.affinity": {"podAntiAffinity": {}}}),
    Example("multislice-bound-to-group", "direct", {**MULTI_CONTROLLER, "metadata.labels": {QUEUE: "team"}}),
    Example(
        "slice-selector-ambiguous",
        "train",
        {"spec.workers[0].topology": "2x4", "spec.workers[0].nodeSelector": GONE},
        "ct6e-standard-4t and ct6e-standard-8t both have slices 2x4",
        "warning",
    ),
    Example("slice-selector-ambiguous", "train", {"spec.workers[0].topology": "2x4"}),
]

NODES = [
    Example("node-account-not-default", "v6e-0", {"nodeConfig.serviceAccount": GONE}, "default Compute Engine account"),
    Example(
        "node-account-not-default",
        "heads",
        {"nodeConfig.serviceAccount": "12345-compute@developer.gserviceaccount.com"},
        "default Compute Engine account",
    ),
    Example("oauth-scope", "v6e-0", {"nodeConfig.oauthScopes": GONE}, "GKE's default"),
    Example("oauth-scope", "v6e-0", {"nodeConfig.oauthScopes": ["storage-ro"]}, "storage-ro"),
    Example(
        "node-metadata-server", "v6e-0", {"nodeConfig.workloadMetadataConfig.mode": "GCE_METADATA"}, "GCE_METADATA"
    ),
    Example("node-image-cos", "heads", {"nodeConfig.imageType": "UBUNTU_CONTAINERD"}, "UBUNTU_CONTAINERD"),
    Example("node-auto-repair", "heads", {"management.autoRepair": False}, "Auto-repair is off"),
    Example("node-auto-repair", "v6e-0", FLEX),
    Example("node-auto-upgrade", "heads", {"management.autoUpgrade": False}, "Auto-upgrade is off", "warning"),
    Example("node-auto-upgrade", "heads", {"version": "1.34.1-gke.1"}, "pinned", "warning"),
    Example("no-autoupgrade-surprise", "cluster", {"maintenancePolicy": GONE}, "at any time"),
    Example(
        "no-autoupgrade-surprise",
        "cluster",
        {
            "maintenancePolicy": {
                "maintenanceExclusions": [
                    {"exclusionName": "x", "exclusionOptions": {"scope": "NO_MINOR_OR_NODE_UPGRADES"}}
                ]
            }
        },
    ),
    Example("no-autoupgrade-surprise", "v6e-0", {"upgradeSettings.strategy": "BLUE_GREEN"}, "blue-green"),
    Example("no-autoupgrade-surprise", "v6e-0", {"upgradeSettings.maxSurge": 1}, "1 TPU hosts besides", "warning"),
    Example(
        "node-secure-boot", "heads", {"nodeConfig.shieldedInstanceConfig.enableSecureBoot": False}, "Secure boot is off"
    ),
    Example(
        "node-secure-boot", "heads", {"nodeConfig.shieldedInstanceConfig.enableIntegrityMonitoring": False}, "Integrity"
    ),
    Example("node-secure-boot", "v6e-0", {"nodeConfig.shieldedInstanceConfig": GONE}),
    Example("tpu-node-network", "v6e-0", {"nodeConfig.gvnic": GONE}, "gVNIC is off", "warning"),
    Example("tpu-node-network", "v6e-0", {"maxPodsPerNode": GONE}, "110 pods", "warning"),
    Example("node-version-skew", "heads", {"version": "1.31.2-gke.1"}, 'The nodes have "1.31.2-gke.1"', "warning"),
    Example("node-version-skew", "heads", {"version": "1.32.2-gke.1"}),
]
