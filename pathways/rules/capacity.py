"""Rules about where the VMs of TPU node pools come from, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pathways.gke import RESERVATION_KEY
from pathways.rules.kinds import NODE_POOL, QUEUED_RESOURCE, RESERVATION
from pathways.rules.model import OF_STACKS, Context, KnownReservation, Problem, Severity, resource_rule, stack_rule
from pathways.rules.pools import SPECIFIC, NodePool, tpu_pools
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.tpu import IllegalSlice, catalog, parse_slice


@resource_rule(
    "capacity-exclusive",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Keep one of on-demand, spot, reservation, flex start and queued.",
    source="Cluster Toolkit, gke-node-pool preconditions; AI-Hypercomputer/xpk#900",
    uses=OF_STACKS,
)
def one_kind_of_capacity(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool asks for one kind of capacity alone: GKE refuses Spot, flex start or queued provisioning
    together, or with a reservation.
    """
    pool = NodePool(value)
    if not pool.is_tpu:
        return
    affinity = pool.node["reservationAffinity"]
    reservation = pool.reservation or str(affinity.at("values", 0))
    asked = {
        "Spot": pool.is_spot,
        f"the reservation {reservation}": pool.is_reserved,
        "flex start": pool.is_flex_start,
        "queued provisioning": pool.is_queued,
    }
    kinds = [kind for kind, wanted in asked.items() if wanted]
    if len(kinds) > 1:
        yield Problem(pool.node, f"{_together(kinds)} are asked for at once.")
    elif kinds and not pool.is_reserved and affinity["consumeReservationType"].text not in (None, "NO_RESERVATION"):
        kind = affinity["consumeReservationType"]
        yield Problem(kind, f"{_capital(kinds[0])} with reservations of type {kind}.", "Write NO_RESERVATION.")


@resource_rule(
    "capacity-comes-and-goes",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Give the pool autoscaling from 0 to the slice's hosts, and flex-start nodes no auto-repair.",
    source="Cluster Toolkit, gke-node-pool preconditions and metadata",
    uses=OF_STACKS,
)
def flex_and_queued_capacity(value: Value, _: Context) -> Iterator[Problem]:
    """A flex-start or queued pool has no nodes of its own, since they come for a job and go; GKE refuses auto-repair
    of flex-start nodes.
    """
    pool = NodePool(value)
    if not pool.is_tpu or not (pool.is_flex_start or pool.is_queued):
        return
    kind = "flex-start" if pool.is_flex_start else "queued"
    count, low, repair = value["nodeCount"], pool.autoscaling["minNodeCount"], value.at("management", "autoRepair")
    if count.number:
        yield Problem(count, f"A fixed count of {count} nodes in a {kind} pool.", "Take nodeCount away.")
    if pool.is_queued and low.number:
        yield Problem(low, f"{low} nodes at least in a queued pool.", "Write minNodeCount 0.")
    if pool.is_flex_start and not repair.is_false and not repair.unknown:
        yield Problem(repair, "Auto-repair of flex-start nodes.", "Write management.autoRepair false.")


@resource_rule(
    "reservation-affinity-well-formed",
    Severity.ERROR,
    [NODE_POOL],
    remedy=f"Write SPECIFIC_RESERVATION, the key {RESERVATION_KEY} and one value.",
    source="google_container_node_pool, reservation_affinity; GoogleCloudPlatform/cluster-toolkit#5043",
    uses=OF_STACKS,
    mild_when="any reservation is asked for",
)
def affinity_is_well_formed(value: Value, _: Context) -> Iterator[Problem]:
    """A TPU node pool names its one reservation by the reservation-name key, and by its full path where a block is in
    it: anything else leaves the capacity unused or answers 404.
    """
    pool = NodePool(value)
    affinity = pool.node["reservationAffinity"]
    kind, key, values = affinity["consumeReservationType"], affinity["key"], affinity["values"]
    if not pool.is_tpu:
        return
    if kind.text == "ANY_RESERVATION":
        message = "TPU nodes take up a reservation by its name alone, never any that fits."
        yield Problem(kind, message, severity=Severity.WARNING)
    if kind.text != SPECIFIC:
        return
    if not key.unknown and key.text != RESERVATION_KEY:
        yield Problem(key, f"The key is {key}; a reservation is named by {RESERVATION_KEY}.")
    if not values.unknown and len(values.items()) != 1:
        yield Problem(values, f"{len(values.items())} reservations; a pool consumes exactly one.")
    for name in values.items():
        if name.text and "/" in name.text and not name.text.startswith("projects/"):
            yield Problem(
                name,
                f"{name} has a block and no project; GKE answers 404.",
                f"Write projects/PROJECT/reservations/{name.text}.",
            )


@stack_rule(
    "reservation-large-enough",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Lower the number of slices, or enlarge the reservation.",
    source="Compute Engine: VMs beyond a specific reservation are not made",
    uses=OF_STACKS,
)
def reservation_holds_enough(stack: Stack, context: Context) -> Iterator[Problem]:
    """The slices that consume a reservation have no more chips together than it holds, where that is declared."""
    known = _known_reservations(stack, context)
    needed: dict[str, int] = {}
    last: dict[str, NodePool] = {}
    for pool in tpu_pools(stack):
        name, slice_ = pool.reservation, pool.slice_in(stack)
        if name is not None and name in known and slice_:
            needed[name] = needed.get(name, 0) + slice_.chips
            last[name] = pool
    for name, chips in needed.items():
        held = known[name].chips
        if held is not None and chips > held:
            place = last[name].node.at("reservationAffinity", "values", 0)
            yield Problem(place, f"The slices need {chips:,} chips of the reservation {name}, which holds {held:,}.")


@stack_rule(
    "reservation-in-the-zone",
    Severity.ERROR,
    [NODE_POOL],
    remedy="Take a reservation in the zone of the slices.",
    source="Compute Engine: a reservation is of one zone",
    uses=OF_STACKS,
)
def reservation_is_in_the_zone(stack: Stack, context: Context) -> Iterator[Problem]:
    """A slice is in the zone of the reservation that it consumes, where that is declared."""
    known = _known_reservations(stack, context)
    for pool in tpu_pools(stack):
        zone = known[pool.reservation].zone if pool.reservation and pool.reservation in known else None
        if zone and pool.zone and zone != pool.zone:
            place = pool.node.at("reservationAffinity", "values", 0)
            yield Problem(place, f"The reservation {pool.reservation} is in {zone}, the pool in {pool.zone}.")


def _known_reservations(stack: Stack, context: Context) -> dict[str, KnownReservation]:
    found = dict(context.reservations)
    for reservation in stack.each(RESERVATION):
        specific = reservation["specificReservation"]
        machine = catalog().machines.get(specific.at("instanceProperties", "machineType").text or "")
        count = specific["count"].number
        chips = machine.chips * count if machine and count is not None else None
        if name := reservation["name"].text:
            found[name] = KnownReservation(chips, reservation["zone"].text)
    return found


@stack_rule(
    "cost-guard",
    Severity.ERROR,
    [NODE_POOL, QUEUED_RESOURCE],
    remedy="Lower the number of slices, or raise the budget.",
    source="The stack's own setting",
    uses=OF_STACKS,
)
def within_budget(stack: Stack, context: Context) -> Iterator[Problem]:
    """All slices together, TPU VMs among them, have no more chips than the stack's budget, where one is given."""
    sizes = [(pool.machine_type, slice_.chips) for pool in tpu_pools(stack) if (slice_ := pool.slice_in(stack))]
    sizes += _chips_of_tpu_vms(stack)
    chips = sum(size for _, size in sizes)
    if context.budget is not None and chips > context.budget:
        last, _ = sizes[-1]
        yield Problem(last, f"{len(sizes)} slices have {chips:,} chips, the budget is {context.budget:,}.")


def _chips_of_tpu_vms(stack: Stack) -> Iterator[tuple[Value, int]]:
    """Yield where the accelerator type of each TPU VM is written, and its chips."""
    for resource in stack.each(QUEUED_RESOURCE):
        for spec in resource.at("tpu", "nodeSpecs").items():
            accelerator_type = spec.at("node", "acceleratorType")
            with suppress(IllegalSlice):
                yield accelerator_type, parse_slice(accelerator_type.text or "").chips


@resource_rule(
    "spot-in-dev",
    Severity.WARNING,
    [NODE_POOL],
    remedy="Take spot or flex start in dev.",
    source="Google Cloud prices: Spot costs a fraction of on-demand",
    uses=OF_STACKS,
)
def cheap_in_dev(value: Value, context: Context) -> Iterator[Problem]:
    """TPU node pools of a dev environment do not run on demand, at the full price."""
    pool = NodePool(value)
    if context.prod or not pool.is_tpu or pool.is_spot or pool.is_flex_start or pool.is_queued or pool.is_reserved:
        return
    if pool.node.certain:
        yield Problem(pool.machine_type, f"{pool.name} runs on demand, and this is dev.")


def _together(kinds: list[str]) -> str:
    return _capital(f"{', '.join(kinds[:-1])} and {kinds[-1]}")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
