"""Rules about the network of the cluster, seen together with the cluster that is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pathways.gke import WEBHOOK_PORT, addresses_of_pods
from pathways.rules.kinds import CLUSTER, FIREWALL, NETWORK, ROUTER_NAT, SUBNETWORK
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import NodePool, pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value

LARGE_MTU = 8244
DEFAULT_PODS_PER_NODE = 110
MOST_POOLS = 200
MOST_NODES = 5000


@stack_rule(
    "private-nodes-reach-out",
    Severity.ERROR,
    [CLUSTER],
    remedy="Declare a router and a RouterNat for the subnetwork of the nodes.",
    source="GKE documentation, Network isolation: private nodes have no way out of their own",
    uses=OF_STACKS,
)
def private_nodes_have_nat(stack: Stack, _: Context) -> Iterator[Problem]:
    """Private nodes in a network of the stack have a NAT: without one, images from outside Google's registries
    (JobSet's is) cannot be pulled.
    """
    for cluster in _private_clusters(stack):
        if _is_in_own_network(stack, cluster) and not stack.has(ROUTER_NAT):
            place = cluster.at("privateClusterConfig", "enablePrivateNodes")
            yield Problem(place, "The nodes are private, and their network has no NAT.")


@stack_rule(
    "private-google-access",
    Severity.ERROR,
    [SUBNETWORK],
    remedy="Write privateIpGoogleAccess.",
    source="Checkov CKV_GCP_74",
    uses=OF_STACKS,
)
def google_is_reached(stack: Stack, _: Context) -> Iterator[Problem]:
    """The subnetwork of private nodes has private Google access: images and buckets are reached without the NAT."""
    if not any(True for _ in _private_clusters(stack)):
        return
    for subnetwork in stack.each(SUBNETWORK):
        access = subnetwork["privateIpGoogleAccess"]
        proxy_only = (subnetwork["purpose"].text or "PRIVATE") != "PRIVATE"
        if not access.unknown and not access.is_true and not proxy_only:
            yield Problem(access, "Private Google access is off, and the nodes are private.")


@stack_rule(
    "webhooks-reachable",
    Severity.WARNING,
    [CLUSTER],
    remedy=f"Declare a firewall rule that lets the control plane's range in to port {WEBHOOK_PORT} of the nodes.",
    source="GKE documentation, Private clusters: GKE opens 443 and 10250 alone",
    uses=OF_STACKS,
)
def webhooks_are_reached(stack: Stack, _: Context) -> Iterator[Problem]:
    """The control plane reaches the webhooks of controllers on private nodes, port 9443: else every JobSet is refused
    after a time-out.
    """
    if any(_opens_webhooks(firewall) for firewall in stack.each(FIREWALL)):
        return
    for cluster in filter(lambda each: _is_in_own_network(stack, each), _private_clusters(stack)):
        place = cluster.at("privateClusterConfig", "masterIpv4CidrBlock")
        yield Problem(place, f"No firewall rule lets the control plane in to port {WEBHOOK_PORT}.")


def _private_clusters(stack: Stack) -> Iterator[Value]:
    for cluster in stack.each(CLUSTER):
        if cluster.at("privateClusterConfig", "enablePrivateNodes").is_true:
            yield cluster


def _is_in_own_network(stack: Stack, cluster: Value) -> bool:
    """Whether the cluster is in a network that the stack makes, as far as can be told."""
    names = {network["name"].text for network in stack.each(NETWORK)}
    named = (cluster["network"].text or "").rpartition("/")[2]
    return bool(names) and (not named or None in names or named in names)


def _opens_webhooks(firewall: Value) -> bool:
    """Whether the rule admits the webhooks' port, or may do so."""
    if firewall["direction"].text == "EGRESS" or firewall["disabled"].is_true:
        return False
    allows = firewall["allows"]
    return not allows.certain or any(
        each["protocol"].text in ("tcp", "all") and (each["ports"].absent or any(map(_has_port, each["ports"].texts())))
        for each in allows.items()
    )


def _has_port(ports: str) -> bool:
    low, _, high = ports.partition("-")
    return low.isdecimal() and int(low) <= WEBHOOK_PORT <= int(high if high.isdecimal() else low)


@resource_rule(
    "subnetwork-flow-logs",
    Severity.WARNING,
    [SUBNETWORK],
    remedy="Write a logConfig.",
    source="CIS GKE 1.4: 5.6.1",
    uses=OF_STACKS,
)
def flows_are_logged(subnetwork: Value, context: Context) -> Iterator[Problem]:
    """The subnetwork of a prod environment logs its flows."""
    if context.prod and subnetwork["logConfig"].absent:
        yield Problem(subnetwork["logConfig"], "Flow logs are off.")


@stack_rule(
    "address-ranges-sized",
    Severity.ERROR,
    [CLUSTER],
    remedy="Take a larger secondary range for pods, or fewer pods on each node (maxPodsPerNode).",
    source='GKE documentation, "Configure maximum Pods per node": two addresses for each pod that a node may have',
    uses=OF_STACKS,
)
def addresses_suffice(stack: Stack, _: Context) -> Iterator[Problem]:
    """The range for pods has a block of addresses for every node that the cluster's pools may have: the last ones would
    not be made.
    """
    ranges = {
        each["rangeName"].text: each["ipCidrRange"]
        for subnetwork in stack.each(SUBNETWORK)
        for each in subnetwork["secondaryIpRanges"].items()
    }
    for cluster in stack.each(CLUSTER):
        block = ranges.get(cluster.at("ipAllocationPolicy", "clusterSecondaryRangeName").text)
        members = [pool for pool in pools(stack) if pool.value["cluster"].text == cluster["name"].text]
        wanted = [_addresses(pool, cluster) for pool in members]
        size = re.search(r"/([0-9]{1,2})$", (block.text or "") if block is not None else "")
        if block is None or size is None or None in wanted:
            continue
        has, needed = 2 ** (32 - min(int(size[1]), 32)), sum(each for each in wanted if each is not None)
        if needed > has:
            yield Problem(
                block, f"{block} has {has:,} addresses, the pods of {len(members)} node pools want {needed:,}."
            )


def _addresses(pool: NodePool, cluster: Value) -> int | None:
    """Return how many addresses the pods of a pool want at its largest; None where that is not told."""
    pods = pool.value["maxPodsPerNode"].number or cluster["defaultMaxPodsPerNode"].number or DEFAULT_PODS_PER_NODE
    return None if pool.largest_count is None else pool.largest_count * addresses_of_pods(pods)


@stack_rule(
    "cluster-not-too-large",
    Severity.WARNING,
    [CLUSTER],
    remedy="Make another cluster, in a stack of its own.",
    source='GKE documentation, "Plan for large GKE clusters", "About node pool auto-creation"',
    uses=OF_STACKS,
)
def cluster_is_not_too_large(stack: Stack, _: Context) -> Iterator[Problem]:
    """A cluster has 200 node pools at most, beyond which its autoscaler slows down, and 5,000 nodes, beyond which there
    is none, nor second NICs.
    """
    for cluster in stack.each(CLUSTER):
        members = [pool for pool in pools(stack) if pool.value["cluster"].text == cluster["name"].text]
        nodes = sum(pool.largest_count or 0 for pool in members)
        if len(members) > MOST_POOLS or nodes > MOST_NODES:
            yield Problem(cluster, f"{len(members):,} node pools and {nodes:,} nodes in one cluster.")


@resource_rule(
    "network-mtu",
    Severity.WARNING,
    [NETWORK],
    remedy="Write mtu 8896.",
    source="Cluster Toolkit, modules/network/vpc: 8896; Google Cloud documentation, Maximum transmission unit",
    uses=OF_STACKS,
)
def packets_are_large(network: Value, _: Context) -> Iterator[Problem]:
    """The network of slices takes large packets: workers of different slices talk over it."""
    mtu = network["mtu"]
    if not mtu.unknown and (mtu.number is None or 0 < mtu.number < LARGE_MTU):
        yield Problem(mtu, f"The MTU is {mtu.number or 1460} bytes.")
