"""Rules about the GKE cluster."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.gke import CONCURRENT_OPERATIONS
from pathways.rules.kinds import CLUSTER, NODE_POOL
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import NodePool, is_zone, pools, tpu_pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value

EVERYONE = ("0.0.0.0/0", "::/0")
SYSTEM_COMPONENTS = "SYSTEM_COMPONENTS"
ENVIRONMENT_LABELS = ("environment", "env")


@resource_rule(
    "cluster-workload-identity",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write workloadIdentityConfig.workloadPool PROJECT.svc.id.goog.",
    source="CIS GKE 1.4: 5.2.2",
    uses=OF_STACKS,
)
def workload_identity(cluster: Value, _: Context) -> Iterator[Problem]:
    """Pods get identities of their own by Workload Identity, not their node's credentials."""
    if cluster.at("workloadIdentityConfig", "workloadPool").absent:
        yield Problem(cluster["workloadIdentityConfig"], "Workload Identity is off.")


@resource_rule(
    "cluster-release-channel",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write releaseChannel.channel REGULAR or STABLE.",
    source="CIS GKE 1.4: 5.5.4",
    uses=OF_STACKS,
)
def release_channel(cluster: Value, _: Context) -> Iterator[Problem]:
    """The cluster follows a release channel, which brings fixes and bounds version skew."""
    channel = cluster.at("releaseChannel", "channel")
    if not channel.unknown and channel.text in (None, "UNSPECIFIED"):
        yield Problem(channel, "The cluster is in no release channel.")


@resource_rule(
    "cluster-shielded-nodes",
    Severity.ERROR,
    [CLUSTER],
    remedy="Leave enableShieldedNodes on.",
    source="CIS GKE 1.4: 5.5.5",
    uses=OF_STACKS,
)
def shielded_nodes(cluster: Value, _: Context) -> Iterator[Problem]:
    """Nodes prove who they are to the control plane."""
    if cluster["enableShieldedNodes"].is_false:
        yield Problem(cluster["enableShieldedNodes"], "Shielded nodes are off.")


@resource_rule(
    "cluster-vpc-native",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write networkingMode VPC_NATIVE and an ipAllocationPolicy.",
    source="CIS GKE 1.4: 5.6.2",
    uses=OF_STACKS,
)
def vpc_native(cluster: Value, _: Context) -> Iterator[Problem]:
    """Pods have addresses of the VPC, by alias ranges and not by routes."""
    mode = cluster["networkingMode"]
    if mode.text == "ROUTES" or (cluster["ipAllocationPolicy"].absent and mode.absent):
        yield Problem(mode, "The cluster is not VPC-native.")


@resource_rule(
    "cluster-control-plane-access",
    Severity.ERROR,
    [CLUSTER],
    remedy="Use the DNS endpoint with IP endpoints off, or name the networks that may reach the control plane.",
    source="CIS GKE 1.4: 5.6.3, 5.6.4",
    uses=OF_STACKS,
    mild_when="the control plane has a public address that only named networks reach",
)
def control_plane_access(cluster: Value, context: Context) -> Iterator[Problem]:
    """The control plane is reached through its DNS endpoint, which IAM guards, or from named networks alone."""
    endpoint = cluster.at("controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled")
    networks = cluster["masterAuthorizedNetworksConfig"]
    for block in networks["cidrBlocks"].items():
        if block["cidrBlock"].text in EVERYONE:
            yield Problem(block["cidrBlock"], f"The authorized network {block['cidrBlock']} is everyone.")
    if endpoint.is_false or endpoint.unknown or networks.unknown:
        return
    private = cluster.at("privateClusterConfig", "enablePrivateEndpoint")
    if networks.absent and not private.is_true:
        yield Problem(networks, "Everyone can reach the control plane's address.")
    elif not private.is_true and not private.unknown and context.prod:
        message = "The control plane has a public address."
        yield Problem(private, message, severity=Severity.WARNING)


@resource_rule(
    "cluster-private-nodes",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write privateClusterConfig.enablePrivateNodes.",
    source="CIS GKE 1.4: 5.6.5",
    uses=OF_STACKS,
)
def private_nodes(cluster: Value, _: Context) -> Iterator[Problem]:
    """Nodes have no public addresses: Pathways' heads and workers listen on the network of their nodes."""
    private = cluster.at("privateClusterConfig", "enablePrivateNodes")
    if not private.unknown and not private.is_true:
        yield Problem(private, "Nodes have public addresses.")


@resource_rule(
    "cluster-dataplane-v2",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write datapathProvider ADVANCED_DATAPATH.",
    source="CIS GKE 1.4: 5.6.7",
    uses=OF_STACKS,
)
def dataplane(cluster: Value, _: Context) -> Iterator[Problem]:
    """The cluster enforces network policies, by Dataplane V2."""
    provider = cluster["datapathProvider"]
    if not provider.unknown and provider.text != "ADVANCED_DATAPATH":
        yield Problem(provider, f"The datapath provider is {provider}.")


@resource_rule(
    "cluster-logging-monitoring",
    Severity.ERROR,
    [CLUSTER],
    remedy=f"Write {SYSTEM_COMPONENTS} among the components of loggingConfig and monitoringConfig.",
    source="CIS GKE 1.4: 5.7.1",
    uses=OF_STACKS,
)
def logged_and_monitored(cluster: Value, _: Context) -> Iterator[Problem]:
    """Google Cloud keeps logs and metrics of the cluster's own components."""
    for what, service in (("loggingConfig", "loggingService"), ("monitoringConfig", "monitoringService")):
        components = cluster.at(what, "enableComponents")
        if cluster[service].text == "none":
            yield Problem(cluster[service], f"{service} is none.")
        elif not components.absent and components.certain and SYSTEM_COMPONENTS not in components.texts():
            yield Problem(components, f"{what} leaves {SYSTEM_COMPONENTS} out.")


@resource_rule(
    "cluster-legacy-access",
    Severity.ERROR,
    [CLUSTER],
    remedy="Take it away; IAM and RBAC decide who may do what.",
    source="CIS GKE 1.4: 5.8.1, 5.8.2, 5.8.4",
    uses=OF_STACKS,
)
def no_legacy_access(cluster: Value, _: Context) -> Iterator[Problem]:
    """There is no access by client certificate, by password, or by attributes."""
    certificate = cluster.at("masterAuth", "clientCertificateConfig", "issueClientCertificate")
    if certificate.is_true:
        yield Problem(certificate, "The cluster issues a client certificate.")
    if cluster.at("masterAuth", "password").text:
        yield Problem(cluster.at("masterAuth", "password"), "The cluster has a password.")
    if cluster["enableLegacyAbac"].is_true:
        yield Problem(cluster["enableLegacyAbac"], "Attribute-based access (ABAC) is on.")


@resource_rule(
    "cluster-labels",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write resourceLabels with the environment, and with what owner and costs are told by.",
    source="Checkov CKV_GCP_21",
    uses=OF_STACKS,
)
def labelled(cluster: Value, _: Context) -> Iterator[Problem]:
    """The cluster says whose it is, and for which environment: bills are told apart by labels."""
    labels = cluster["resourceLabels"]
    if labels.unknown:
        return
    keys = [key for key, _ in labels.entries()]
    if len(keys) < 2 or not any(key in keys for key in ENVIRONMENT_LABELS):
        have = ", ".join(sorted(keys)) or "none"
        yield Problem(labels, f"The labels ({have}) do not tell environment and owner.")


@resource_rule(
    "cluster-no-inline-pools",
    Severity.ERROR,
    [CLUSTER],
    remedy="Declare node pools as resources of their own; remove the default one.",
    source="Checkov CKV_GCP_123; pulumi-gcp#744: an edit of an inline pool replaces the cluster",
    uses=OF_STACKS,
)
def no_inline_pools(cluster: Value, _: Context) -> Iterator[Problem]:
    """The cluster declares no node pool itself: an edit to such a pool replaces the whole cluster."""
    if cluster["nodePools"].items():
        yield Problem(cluster["nodePools"], f"{len(cluster['nodePools'].items())} node pools inside the cluster.")
    remove = cluster["removeDefaultNodePool"]
    if not remove.unknown and not remove.is_true and not cluster["enableAutopilot"].is_true:
        yield Problem(remove, "The default node pool stays.", "Write removeDefaultNodePool and initialNodeCount 1.")


@stack_rule(
    "cluster-concurrent-operations",
    Severity.WARNING,
    [NODE_POOL],
    remedy=f"Let pools wait for each other, {CONCURRENT_OPERATIONS} at once at most: cluster.concurrentOperations.",
    source="hashicorp/terraform-provider-google#15205, #15579: 429, hits the concurrent operations quota 5",
    uses=OF_STACKS,
)
def few_operations_at_once(stack: Stack, context: Context) -> Iterator[Problem]:
    """No more node pools are made at once than GKE takes operations on a cluster: it refuses more until others end."""
    clusters: dict[str | None, list[NodePool]] = {}
    for pool in pools(stack):
        clusters.setdefault(pool.value["cluster"].text, []).append(pool)
    for members in clusters.values():
        urns = {pool.value.resource.urn for pool in members}
        first = [pool for pool in members if not stack.waits_for(pool.value.resource, urns)]
        at_once = max(len(first), context.concurrent_operations or 0)
        if at_once > CONCURRENT_OPERATIONS:
            message = f"{at_once} node pools of the cluster may be made at once; GKE takes {CONCURRENT_OPERATIONS}."
            yield Problem(first[-1].value, message)


@stack_rule(
    "cluster-maintenance-window",
    Severity.ERROR,
    [CLUSTER],
    remedy="Write maintenancePolicy.recurringWindow: windows of four hours or more, 48 hours in any 92 days.",
    source="GKE documentation, Maintenance windows and exclusions; google/gke-policy-automation",
    uses=OF_STACKS,
)
def maintenance_window(stack: Stack, _: Context) -> Iterator[Problem]:
    """A cluster with TPU node pools says when it may be maintained: maintenance interrupts training."""
    names = {(pool.value["cluster"].text or "").rpartition("/")[2] for pool in tpu_pools(stack)}
    for cluster in stack.each(CLUSTER):
        policy = cluster["maintenancePolicy"]
        windows = (policy[key] for key in ("recurringWindow", "dailyMaintenanceWindow", "recurringMaintenanceWindow"))
        if cluster["name"].text in names and not policy.unknown and all(window.absent for window in windows):
            yield Problem(policy, "The cluster has TPU node pools and no maintenance window.")


@resource_rule(
    "deletion-protection-by-env",
    Severity.ERROR,
    [CLUSTER],
    remedy="Set deletionProtection as the environment wants it: on in prod, off in dev.",
    source="google_container_cluster: deletion_protection is on unless it is written, and must be off before a destroy",
    uses=OF_STACKS,
    mild_when="it is on in dev",
)
def deletion_protection(cluster: Value, context: Context) -> Iterator[Problem]:
    """A prod cluster cannot be deleted by a slip; a dev cluster can be torn down in one step."""
    protection = cluster["deletionProtection"]
    if context.prod and protection.is_false:
        yield Problem(protection, "Deletion protection is off, and this is prod.")
    elif not context.prod and (protection.absent or protection.is_true):
        message = "Deletion protection is on, and this is dev: destroying it takes two steps."
        yield Problem(protection, message, severity=Severity.WARNING)


@resource_rule(
    "protect-stateful",
    Severity.ERROR,
    [CLUSTER, NODE_POOL],
    remedy="Set the option protect.",
    source="Pulumi: a protected resource is neither deleted nor replaced",
    uses=OF_STACKS,
)
def protected(value: Value, context: Context) -> Iterator[Problem]:
    """In prod the engine refuses to delete or replace the cluster and reserved TPU node pools."""
    if not context.prod or value.resource.options.protect:
        return
    if value.resource.kind == CLUSTER:
        yield Problem(value, "The cluster is not protected, and this is prod.")
    elif NodePool(value).is_tpu and NodePool(value).is_reserved:
        yield Problem(value, "A pool of reserved TPUs is not protected, and this is prod.")


@resource_rule(
    "cluster-hardening-advice",
    Severity.WARNING,
    [CLUSTER],
    remedy="Switch it on where your organisation has what it needs: a group, a key, a policy.",
    source="CIS GKE 1.4: 5.3.1, 5.6.1, 5.8.3, 5.10.5; google/gke-policy-automation, control_plane_redundancy",
    uses=OF_STACKS,
)
def hardening(cluster: Value, context: Context) -> Iterator[Problem]:
    """A prod cluster has a regional control plane, intranode visibility, Google Groups for RBAC, secrets encrypted with
    a key of one's own, and Binary Authorization, which must admit us-docker.pkg.dev/cloud-tpu-v2-images/pathways/*.
    """
    if not context.prod:
        return
    authorization = cluster.at("binaryAuthorization", "evaluationMode")
    advice = {
        "intranode visibility": cluster["enableIntranodeVisibility"],
        "Google Groups for RBAC": cluster.at("authenticatorGroupsConfig", "securityGroup"),
        "encryption of secrets with a key of one's own": cluster.at("databaseEncryption", "keyName"),
        "Binary Authorization": authorization,
    }
    missing = [what for what, value in advice.items() if value.absent or value.is_false or value.text == "DISABLED"]
    if missing:
        yield Problem(cluster, f"The cluster goes without {', '.join(missing)}.")
    if is_zone(cluster["location"].text or ""):
        message = "The control plane is in one zone; a regional one stays up through upgrades."
        yield Problem(cluster["location"], message, "Write the region; TPU pools stay in their zone.")
