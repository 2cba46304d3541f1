"""Rules about the shape of TPU node pools: machine, topology, number of nodes, placement, zone, labels."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.gke import NETWORKING_DRIVER_LABEL, REPLACED_WHEN_CHANGED
from pathways.manifests.labels import GROUP_LABEL, GROUP_SIZE_LABEL
from pathways.rules.kinds import CLUSTER, NODE_POOL
from pathways.rules.model import OF_STACKS, Context, Problem, Severity, Use, resource_rule, stack_rule
from pathways.rules.pools import NodePool, is_zone, region_of, tpu_pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.tpu import IllegalSlice, Placement, Slice, parse_slice, why_not_in_zone
from pathways.wording import sentence

RESERVED_LABEL_PREFIX = "cloud.google.com/"
TPU_TAINT = "google.com/tpu"


@resource_rule(
    "tpu-slice-topology-valid",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Take a machine type and a topology from `python -m pathways slice --all`.",
    source="GKE documentation, Plan TPUs in GKE; topologies of PathwaysJob controller v0.1.4",
    uses=OF_STACKS,
)
def slice_is_legal(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool has a machine type and a topology that exist together: GKE makes no other slice."""
    pool = NodePool(value)
    name, topology = pool.machine_type.text, pool.topology.text
    if not pool.is_tpu or name is None or (pool.machine and topology is None):
        return
    try:
        parse_slice(name, topology or "")
    except IllegalSlice as error:
        yield Problem(pool.topology if pool.machine else pool.machine_type, sentence(str(error)))


@resource_rule(
    "tpu-node-count-matches-topology",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Derive the count from the topology: a multi-host pool cannot be resized.",
    source="GKE: a multi-host TPU pool has all nodes of its slice or none; vllm-project/ci-infra#331, #545",
    uses=OF_STACKS,
)
def node_count_is_the_slices(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool has as many nodes as its slice has hosts; an autoscaled one has those or none, by bounds per
    zone.
    """
    pool = NodePool(value)
    if pool.is_tpu and pool.slice:
        yield from _wrong_counts(pool, pool.slice)


@stack_rule(
    "tpu-workload-policy",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Let the node pool name a resource policy with its own topology.",
    source="GKE documentation, TPU7x (Ironwood) in GKE; AI-Hypercomputer/xpk#751",
    uses=OF_STACKS,
)
def workload_policy_fits(stack: Stack, _: Context) -> Iterator[Problem]:
    """A workload policy that a TPU node pool names is of type HIGH_THROUGHPUT, and its topology is one of the pool's
    machines, with as many hosts as the pool has nodes.
    """
    for pool in tpu_pools(stack):
        policy = pool.workload_policy(stack)
        if policy is None or pool.machine is None:
            continue
        kind, topology = policy.at("workloadPolicy", "type"), policy.at("workloadPolicy", "acceleratorTopology")
        if kind.text not in (None, "HIGH_THROUGHPUT"):
            yield Problem(kind, f"The type of a TPU's workload policy is HIGH_THROUGHPUT, not {kind}.")
        if slice_ := pool.slice_in(stack):
            yield from _wrong_counts(pool, slice_)
        elif topology.text:
            try:
                parse_slice(pool.machine.name, topology.text)
            except IllegalSlice as error:
                yield Problem(topology, sentence(str(error)))


def _wrong_counts(pool: NodePool, slice_: Slice) -> Iterator[Problem]:
    hosts = slice_.hosts
    has = f"the slice {slice_.topology_text} of {slice_.machine_type} has {hosts} host{'s' if hosts > 1 else ''}"
    count, bounds = pool.value["nodeCount"], pool.autoscaling
    if count.number not in (None, hosts):
        yield Problem(count, f"{count} nodes, and {has}.", f"Write nodeCount {hosts}, or leave it to be derived.")
    for key in ("totalMinNodeCount", "totalMaxNodeCount"):
        if bounds[key].number:
            yield Problem(
                bounds[key],
                f"{key} bounds all zones together, and GKE refuses it for a TPU slice.",
                f"Write minNodeCount 0 and maxNodeCount {hosts}, which count per zone.",
            )
            return
    low, high, policy = bounds["minNodeCount"], bounds["maxNodeCount"], bounds["locationPolicy"]
    if low.number not in (None, 0, hosts):
        yield Problem(low, f"{low} nodes at least, and {has}.", f"Write 0 or {hosts}: a slice is there whole or not.")
    if not bounds.absent and not high.unknown and not bounds.unknown and high.number != hosts:
        yield Problem(high, f"{high} nodes at most, and {has}.", f"Write maxNodeCount {hosts}.")
    if policy.text not in (None, "ANY"):
        yield Problem(policy, f"The location policy of a TPU slice is ANY, not {policy}.", "Write ANY.")


@resource_rule(
    "tpu-placement-multi-host-only",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Let the placement follow from the slice: none, compact with the topology, or a workload policy.",
    source="AI-Hypercomputer/xpk#825; vllm-project/ci-infra#547; GoogleCloudPlatform/magic-modules#17643",
    uses=OF_STACKS,
)
def placement_fits(value: Value, _: Context) -> Iterator[Problem]:
    """A multi-host slice is placed compactly with its topology, one of tpu7x by a workload policy; a single host by
    neither: GKE refuses anything else.
    """
    pool = NodePool(value)
    if pool.machine is None or pool.placement.absent or pool.placement.unknown:
        return
    kind, policy = pool.placement["type"], pool.placement["policyName"]
    wanted = pool.machine.generation.placement
    if pool.slice and not pool.slice.multi_host:
        yield Problem(
            pool.placement,
            f"A placement policy for {pool.slice.topology_text} of {pool.machine.name}, which is a single host:"
            " GKE takes no topology there.",
            "Take the placement policy away.",
        )
    elif wanted is Placement.WORKLOAD:
        yield from _no_workload_policy(pool, kind, policy)
    elif pool.topology.absent:
        yield Problem(pool.placement, "A placement policy without tpuTopology.", "Write the topology of the slice.")
    elif kind.text not in (None, "COMPACT"):
        yield Problem(kind, f"The placement of {pool.machine.name} is COMPACT, not {kind}.", "Write COMPACT.")


def _no_workload_policy(pool: NodePool, kind: Value, policy: Value) -> Iterator[Problem]:
    generation = pool.machine.generation.name if pool.machine else ""
    if policy.absent:
        yield Problem(
            kind,
            f"Compact placement for {generation}: GKE makes the pool and leaves it in ERROR"
            ' ("Use workload policy instead").',
            "Name a resource policy with workloadPolicy.type HIGH_THROUGHPUT in placementPolicy.policyName.",
        )
        return
    if kind.text:
        yield Problem(
            kind,
            f"The type {kind} beside a policy's name: GKE reads it back empty, so every preview shows a change.",
            'Write "" as the type.',
        )
    if pool.topology.present:
        yield Problem(
            pool.topology,
            "A topology beside a policy's name: the policy has the topology.",
            "Take tpuTopology away.",
        )


@resource_rule(
    "tpu-single-zone",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Write the one zone of the slices in nodeLocations.",
    source="GKE: all hosts of a slice are in one zone; Cluster Toolkit, gke-node-pool preconditions",
    uses=OF_STACKS,
)
def one_zone(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool has exactly one node location, in the region of its cluster: a slice never spans zones."""
    pool = NodePool(value)
    zones, location = value["nodeLocations"], value["location"]
    if not pool.is_tpu or zones.unknown or location.unknown:
        return
    if zones.absent:
        if not location.absent and not is_zone(location.text or ""):
            yield Problem(zones, f"No node location; in the region {location} the slice would be asked of every zone.")
        return
    if len(zones.items()) != 1:
        yield Problem(zones, f"{len(zones.items())} node locations; a slice is in one zone.")
        return
    zone = zones[0].text
    if zone and location.text and region_of(zone) != region_of(location.text):
        yield Problem(zones[0], f"The zone {zones[0]} is not in {location}.")


@resource_rule(
    "tpu-zone-offers-generation",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Take a zone from `python -m pathways slice NAME`.",
    source="Google, Cloud TPU documentation, TPU regions and zones; keras-team/kinetic#305",
    uses=OF_STACKS,
    mild_when="the zone is outside the United States, where lists are incomplete",
)
def zone_has_the_generation(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool is in a zone that has its generation: anywhere else its machine type is not found."""
    pool = NodePool(value)
    if pool.machine is None:
        return
    generation, location = pool.machine.generation, value["location"]
    for place in value["nodeLocations"].items() or [location]:
        zone = place.text or ""
        fault = why_not_in_zone(generation, zone) if is_zone(zone) else None
        if fault:
            unsettled = generation.is_offered_in(zone) is None
            yield Problem(place, sentence(fault), severity=Severity.WARNING if unsettled else None)


@resource_rule(
    "tpu-reserved-labels",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Take it away; use labels of your own, without that prefix.",
    source="hashicorp/terraform-provider-google#7928, #16054: declared beside GKE's own they differ in every preview",
    uses=OF_STACKS,
    mild_when="it is the taint",
)
def gke_keeps_its_own(value: Value, _: Context) -> Iterator[Problem]:
    """Labels under cloud.google.com, but for the networking driver's, and the google.com/tpu taint are GKE's to set on
    TPU nodes.
    """
    pool = NodePool(value)
    if not pool.is_tpu:
        return
    for key, label in pool.node["labels"].entries():
        if key.startswith(RESERVED_LABEL_PREFIX) and key != NETWORKING_DRIVER_LABEL:
            yield Problem(label, f"The label {key} is GKE's to set.")
    for taint in pool.node["taints"].items():
        if taint["key"].text == TPU_TAINT:
            yield Problem(taint, f"GKE taints TPU nodes with {TPU_TAINT} itself.", severity=Severity.WARNING)


@resource_rule(
    "label-pair-present",
    Severity.ERROR,
    [NODE_POOL],
    remedy=f"Give every pool of a group the same {GROUP_LABEL} and, as {GROUP_SIZE_LABEL}, the number of its pools.",
    source="Google, Pathways on GKE: node pools of a multislice group",
    uses=OF_STACKS,
)
def group_is_labelled(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool carries the labels of its multislice group, by which jobs find their slices."""
    pool = NodePool(value)
    labels = pool.node["labels"]
    if not pool.is_tpu or labels.unknown:
        return
    missing = [key for key in (GROUP_LABEL, GROUP_SIZE_LABEL) if labels[key].absent]
    if missing:
        yield Problem(labels, f"The label{'s' if len(missing) > 1 else ''} {' and '.join(missing)} missing.")


@resource_rule(
    "tpu-pool-replaced-on-change",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Add the paths to replace_on_changes, and delete_before_replace.",
    source="resource_container_node_pool.go: nodePoolUpdate has no branch for placement_policy; GKE answers 501 to a"
    " resize of a multi-host pool; hashicorp/terraform-provider-google#23502",
    uses=frozenset({Use.PLAN}),
)
def replaced_on_change(value: Value, _: Context) -> Iterator[Problem]:
    """A slice of a new shape is a new pool, and the old one goes first: the provider plans such edits in place and
    sends nothing, or GKE refuses them.
    """
    pool = NodePool(value)
    if not pool.is_tpu:
        return
    options = value.resource.options
    covered = {path.split("[")[0] for path in options.replace_on_changes}
    missing = [
        path
        for path in REPLACED_WHEN_CHANGED
        if not any(path == each or path.startswith(f"{each}.") for each in covered)
    ]
    if missing:
        yield Problem(value, f"An edit of {', '.join(missing)} would be planned in place and not be made.")
    if not options.delete_before_replace:
        yield Problem(
            value,
            "A replacement would ask for the same capacity, under the same name, a second time.",
            "Set delete_before_replace.",
        )


@stack_rule(
    "tpu-pool-in-cluster-region",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Put the pool where its cluster is.",
    source="GKE: a node pool has the location of its cluster",
    uses=OF_STACKS,
)
def in_the_clusters_region(stack: Stack, _: Context) -> Iterator[Problem]:
    """A TPU node pool is in the location of the cluster that it names, and its zone in the same region."""
    locations = {cluster["name"].text: cluster["location"].text for cluster in stack.each(CLUSTER)}
    for pool in tpu_pools(stack):
        name = (pool.value["cluster"].text or "").rpartition("/")[2]
        location = locations.get(name)
        own, zone = pool.value["location"], pool.zone
        if not location:
            continue
        if own.text and own.text != location:
            yield Problem(own, f"The pool's location is {own}, that of the cluster {name} is {location}.")
        elif zone and region_of(zone) != region_of(location):
            yield Problem(pool.value["nodeLocations"], f"The zone {zone} is not in the cluster's region {location}.")
