"""Rules about the nodes of every pool: account, image, repair, metadata, network card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pathways.gke import CLOUD_PLATFORM_SCOPE
from pathways.rules.kinds import CLUSTER, NODE_POOL
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import NodePool, pools, tpu_pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value

CLOUD_PLATFORM_ALIAS = "cloud-platform"
DEFAULT_ACCOUNT = re.compile(r"default|[0-9]+-compute@developer\.gserviceaccount\.com")
UNDISTURBED = ("NO_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES")
MULTI_HOST_PODS = 32


@resource_rule(
    "node-account-not-default",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Give the pool a service account of its own.",
    source="CIS GKE 1.4: 5.2.1",
    uses=OF_STACKS,
)
def own_account(value: Value, _: Context) -> Iterator[Problem]:
    """Nodes do not run as the project's default account, which may edit all of the project."""
    account = value.at("nodeConfig", "serviceAccount")
    if account.absent or DEFAULT_ACCOUNT.fullmatch(account.text or ""):
        yield Problem(account, "The nodes run as the default Compute Engine account.")


@resource_rule(
    "oauth-scope",
    Severity.ERROR,
    [NODE_POOL],
    remedy=f"Write the one scope {CLOUD_PLATFORM_SCOPE}.",
    source="GKE documentation, Access scopes: rights are for IAM to decide",
    uses=OF_STACKS,
)
def one_scope(value: Value, _: Context) -> Iterator[Problem]:
    """Nodes have the cloud-platform scope alone: GKE's default scopes let Pathways read its bucket and not write it."""
    scopes = value.at("nodeConfig", "oauthScopes")
    if scopes.certain and scopes.texts() not in ([CLOUD_PLATFORM_SCOPE], [CLOUD_PLATFORM_ALIAS]):
        have = ", ".join(scopes.texts()) or "those of GKE's default"
        yield Problem(scopes, f"The access scopes are {have}.")


@resource_rule(
    "node-metadata-server",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Write workloadMetadataConfig.mode GKE_METADATA.",
    source="CIS GKE 1.4: 5.2.2",
    uses=OF_STACKS,
)
def metadata_server(value: Value, _: Context) -> Iterator[Problem]:
    """Every pool, TPU pools too, has GKE's metadata server: pods see neither the VM's metadata nor its credentials."""
    mode = value.at("nodeConfig", "workloadMetadataConfig", "mode")
    if not mode.unknown and mode.text != "GKE_METADATA":
        yield Problem(mode, f"The metadata mode is {mode}.")


@resource_rule(
    "node-image-cos",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Write imageType COS_CONTAINERD.",
    source="CIS GKE 1.4: 5.5.1",
    uses=OF_STACKS,
)
def container_optimized(value: Value, _: Context) -> Iterator[Problem]:
    """Nodes run Container-Optimized OS, GKE's default."""
    image = value.at("nodeConfig", "imageType")
    if image.text and not image.text.upper().startswith("COS"):
        yield Problem(image, f"The image type is {image}.")


@resource_rule(
    "node-auto-repair",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Leave management.autoRepair on.",
    source="CIS GKE 1.4: 5.5.2",
    uses=OF_STACKS,
)
def repaired(value: Value, _: Context) -> Iterator[Problem]:
    """Broken nodes are repaired by themselves. Flex-start TPU pools are exempt: GKE takes no auto-repair there."""
    repair = value.at("management", "autoRepair")
    if repair.is_false and not NodePool(value).is_flex_start:
        yield Problem(repair, "Auto-repair is off.")


@resource_rule(
    "node-auto-upgrade",
    Severity.WARNING,
    [NODE_POOL],
    remedy="Leave management.autoUpgrade on, and keep upgrades away with a maintenance exclusion.",
    source="CIS GKE 1.4: 5.5.3",
    uses=OF_STACKS,
)
def upgraded(value: Value, _: Context) -> Iterator[Problem]:
    """Nodes are upgraded by themselves, and not pinned to a version besides: the two work against each other."""
    upgrade, version = value.at("management", "autoUpgrade"), value["version"]
    if upgrade.is_false:
        yield Problem(upgrade, "Auto-upgrade is off.")
    elif version.text:
        yield Problem(version, f"The version {version} is pinned while auto-upgrade is on.", "Take the version away.")


@stack_rule(
    "no-autoupgrade-surprise",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Give the cluster a maintenance window or an exclusion of NO_MINOR_OR_NODE_UPGRADES.",
    source="GKE documentation: an upgrade of a node restarts its whole slice; Cluster Toolkit, gke-node-pool",
    uses=OF_STACKS,
    mild_when="a reserved pool surges",
)
def upgrades_are_expected(stack: Stack, _: Context) -> Iterator[Problem]:
    """Upgrades do not restart a slice unforeseen: the cluster has a maintenance window or exclusion, a compact pool no
    blue-green upgrade, a reserved one no surge, which would want TPUs that are not there.
    """
    clusters = {cluster["name"].text: cluster["maintenancePolicy"] for cluster in stack.each(CLUSTER)}
    for pool in tpu_pools(stack):
        policy = clusters.get((pool.value["cluster"].text or "").rpartition("/")[2])
        upgrade = pool.value.at("management", "autoUpgrade")
        excluded = pool.value.at("maintenancePolicies", 0, "exclusionUntilEndOfSupports", 0, "enabled").is_true
        if policy and not upgrade.is_false and not excluded and not _is_foreseen(policy):
            yield Problem(upgrade, "Nodes are upgraded at any time: the cluster has no maintenance window.")
        settings = pool.value["upgradeSettings"]
        if settings["strategy"].text == "BLUE_GREEN" and pool.placement.present:
            message = "A blue-green upgrade of a compactly placed pool."
            yield Problem(settings["strategy"], message, "Write SURGE with maxSurge 0 and maxUnavailable 1.")
        if pool.is_reserved and settings["maxSurge"].number:
            message = f"An upgrade wants {settings['maxSurge']} TPU hosts besides those of the reservation."
            yield Problem(settings["maxSurge"], message, "Write maxSurge 0 and maxUnavailable 1.", Severity.WARNING)


def _is_foreseen(policy: Value) -> bool:
    windows = (policy[key] for key in ("recurringWindow", "dailyMaintenanceWindow", "recurringMaintenanceWindow"))
    scopes = [each.at("exclusionOptions", "scope").text for each in policy["maintenanceExclusions"].items()]
    return policy.unknown or any(not window.absent for window in windows) or any(s in UNDISTURBED for s in scopes)


@resource_rule(
    "node-secure-boot",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Write shieldedInstanceConfig with enableSecureBoot and enableIntegrityMonitoring.",
    source="CIS GKE 1.4: 5.5.6, 5.5.7",
    uses=OF_STACKS,
)
def boots_securely(value: Value, _: Context) -> Iterator[Problem]:
    """CPU nodes boot securely and are watched for integrity: controllers and heads run there."""
    pool, shielded = NodePool(value), value.at("nodeConfig", "shieldedInstanceConfig")
    secure, watched = shielded["enableSecureBoot"], shielded["enableIntegrityMonitoring"]
    if not pool.is_cpu:
        return
    if not secure.unknown and not secure.is_true:
        yield Problem(secure, "Secure boot is off.")
    if watched.is_false:
        yield Problem(watched, "Integrity monitoring is off.")


@resource_rule(
    "tpu-node-network",
    Severity.WARNING,
    [NODE_POOL],
    remedy=f"Write gvnic.enabled, and maxPodsPerNode {MULTI_HOST_PODS} or less.",
    source="XPK, nodepool.py: --enable-gvnic, --max-pods-per-node 15",
    uses=OF_STACKS,
)
def network_of_tpu_nodes(value: Value, _: Context) -> Iterator[Problem]:
    """TPU nodes have gVNIC, and hosts of large slices a small block of the pod range: each runs one worker, and 110
    pods a node use up a /14 with 1,024 nodes.
    """
    pool, pods = NodePool(value), value["maxPodsPerNode"]
    gvnic = pool.node.at("gvnic", "enabled")
    if not pool.is_tpu:
        return
    if not gvnic.unknown and not gvnic.is_true:
        yield Problem(gvnic, "gVNIC is off.")
    if pool.placement.present and not pods.unknown and (pods.number is None or pods.number > MULTI_HOST_PODS):
        yield Problem(pods, f"Up to {pods.number or 110} pods on a node that runs one worker.")


@stack_rule(
    "node-version-skew",
    Severity.WARNING,
    [NODE_POOL],
    remedy="Let the release channel keep nodes and control plane together.",
    source="google/gke-policy-automation, node_pool_version_skew; Kubernetes version skew policy",
    uses=OF_STACKS,
)
def versions_are_near(stack: Stack, _: Context) -> Iterator[Problem]:
    """Nodes are at most two minor versions behind the control plane, where both are pinned."""
    clusters = {cluster["name"].text: cluster["minMasterVersion"] for cluster in stack.each(CLUSTER)}
    for pool in pools(stack):
        control_plane = clusters.get((pool.value["cluster"].text or "").rpartition("/")[2])
        own, theirs = _minor(pool.value["version"]), _minor(control_plane) if control_plane else None
        if own is not None and theirs is not None and not 0 <= theirs - own <= 2:
            version = pool.value["version"]
            yield Problem(version, f"The nodes have {version}, the control plane {control_plane}.")


def _minor(version: Value) -> int | None:
    found = re.match(r"1\.([0-9]{1,4})(\.|$)", version.text or "")
    return int(found[1]) if found else None
