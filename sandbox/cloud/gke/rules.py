"""What GKE refuses of a node pool, in its own words where they are known.

The words come from users' reports (issue threads of the provider, XPK, Cluster Toolkit, vLLM's infrastructure);
`unconfirmed` marks those whose refusal is documented but whose wording is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pathways.tpu import Placement
from sandbox.cloud.gke.machines import NodeMachine
from sandbox.cloud.options import Reservation
from sandbox.cloud.refusal import Refusal, bad_request, google


@dataclass(frozen=True)
class PoolRequest:
    """A node pool as far as GKE judges it.

    topology: as asked for, by the pool or by its resource policy; None without one. node_count: at creation, per zone.
    max_nodes: per-zone maximum of autoscaling (0 where only a total is given); None without autoscaling.
    reservation: as named; None where none is asked for.
    """

    project: str
    cluster: str
    name: str
    machine: NodeMachine
    zones: tuple[str, ...]
    node_count: int
    topology: str | None = None
    policy: bool = False
    min_nodes: int | None = None
    max_nodes: int | None = None
    spot: bool = False
    flex: bool = False
    queued: bool = False
    auto_repair: bool = True
    reservation: str | None = None

    @property
    def hosts(self) -> int | None:
        """Hosts of the slice that the topology spells; None without a legal one."""
        if self.machine.tpu is None or self.topology not in self.machine.tpu.topologies:
            return None
        chips = 1
        for side in self.machine.tpu.topologies[self.topology]:
            chips *= side
        return chips // self.machine.chips

    @property
    def multi_host(self) -> bool:
        return (self.hosts or 0) > 1


def refusals(pool: PoolRequest) -> Iterator[Refusal]:
    """Every reason for which GKE refuses the pool, whatever else exists."""
    for zone in pool.zones:
        if not pool.machine.is_offered_in(zone):
            yield invalid_machine(pool.machine.name, zone)
    yield from _capacity_refusals(pool)
    if pool.topology is not None:
        yield from _topology_refusals(pool)


def invalid_machine(name: str, zone: str) -> Refusal:
    """Source: keras-team/kinetic#305."""
    return bad_request(f'Invalid machine type "{name}" in zone "{zone}": GCE_NOT_FOUND')


def _capacity_refusals(pool: PoolRequest) -> Iterator[Refusal]:
    if pool.spot and pool.reservation:  # unconfirmed
        yield bad_request("Spot VMs cannot consume reservations; reservation affinity must be NO_RESERVATION.")
    if pool.flex:  # wording of the first three: gcloud's answers as users quote them, AI-Hypercomputer/xpk#900
        if pool.max_nodes is None:
            yield bad_request("Flex start node pools require autoscaling enabled.")
        if pool.node_count:
            yield bad_request("Flex start node pools require initial node count to be set to 0.")
        if pool.queued and pool.machine.tpu:
            yield bad_request("Flex start node pools don't support TPUs with queued provisioning.")
        if pool.auto_repair:  # unconfirmed
            yield bad_request("Flex start node pools don't support auto repair.")


def _topology_refusals(pool: PoolRequest) -> Iterator[Refusal]:
    tpu = pool.machine.tpu
    if tpu is None:  # unconfirmed
        yield bad_request(f"TPU topology cannot be specified with machine type {pool.machine.name}.")
    elif pool.hosts is None:  # unconfirmed
        yield bad_request(f'TPU topology "{pool.topology}" is not valid for machine type {pool.machine.name}.')
    elif not pool.multi_host:  # AI-Hypercomputer/xpk#825
        yield bad_request(
            "TPU topology can't be specified with single-host TPU slice pool; please remove the tpu_topology from the "
            "node pool creation request if the node pool is intented to run with single-host TPU slice nodes."
        )
    else:
        yield from _size_refusals(pool, pool.hosts)


def _size_refusals(pool: PoolRequest, hosts: int) -> Iterator[Refusal]:
    if pool.max_nodes is not None:
        if pool.max_nodes != hosts:  # vllm-project/ci-infra#545
            yield _invalid_size("Maximum", pool.max_nodes, pool.topology)
        if pool.min_nodes not in (0, hosts):  # unconfirmed
            yield _invalid_size("Minimum", pool.min_nodes or 0, pool.topology)
    if pool.node_count != hosts and not (pool.node_count == 0 and pool.max_nodes is not None):
        # AI-Hypercomputer/xpk#751
        yield bad_request(
            f"Requested invalid target size '{pool.node_count}' for a MIG in the gang mode of size '{hosts}'."
        )


def _invalid_size(bound: str, count: int, topology: str | None) -> Refusal:
    return bad_request(f'{bound} node count {count} is not a valid size of TPU pod slice with topology "{topology}"')


def creation_error(pool: PoolRequest) -> str | None:
    """Why the pool is created and then goes to ERROR; None where it does not. Source: vllm-project/ci-infra#547."""
    tpu = pool.machine.tpu
    if tpu and tpu.generation.placement is Placement.WORKLOAD and pool.multi_host and not pool.policy:
        return (
            f"Creation of a managed instance group with {pool.machine.name} machine type with placement policy "
            "is not supported. Use workload policy instead."
        )
    return None


def resize_refusal(pool: str) -> Refusal:
    """Source: a user's log of Terraform on a tpu7x 2x2x2 pool."""
    return google(501, f"Unimplemented: Multi-host TPU pool ({pool}) manual resize is not supported.", "notImplemented")


def relocation_refusal(pool: str) -> Refusal:
    """Unconfirmed wording: other zones mean nodes that come and go, a resize, which GKE refuses such a pool."""
    return google(
        501, f"Unimplemented: Multi-host TPU pool ({pool}) change of node locations is not supported.", "notImplemented"
    )


def reservation_refusal(pool: PoolRequest, named: str, found: Reservation | None, in_use: int) -> Refusal | None:
    """What GKE says when the reservation is not there or has too little left.

    named: as the pool writes it. in_use: machines that others hold.

    Source: GoogleCloudPlatform/cluster-toolkit#5043, GoogleCloudPlatform/gsutil#1000. The second is a quota error.
    """
    zone = pool.zones[0]
    if found is None or found.zone != zone:
        return google(
            404,
            f'Google Compute Engine: reservation "{named}" not found for node pool "{pool.name}" at zone "{zone}".',
            "notFound",
        )
    wanted = pool.node_count or pool.max_nodes or 0
    free = found.count - in_use if found.machine_type == pool.machine.name else 0
    if wanted <= free:
        return None
    return google(
        429,
        f'Reservation does not have enough resources for the request: specific reservation "{named}" is insufficient '
        f'for node pool "{pool.name}" at zone "{zone}": required {wanted} and short of {wanted - free} VM count of '
        f"machine type {pool.machine.name}.",
        "rateLimitExceeded",
    )


def quota_refusal(pool: PoolRequest, limit: int, in_use: int) -> Refusal | None:
    """What GKE says when a region's chips of a generation are used up. limit, in_use: chips.

    Source: kiosk-console#367 and other threads quote this wording for other resources.
    """
    tpu = pool.machine.tpu
    if tpu is None:
        return None
    wanted = pool.machine.chips * pool.node_count * len(pool.zones)
    free = limit - in_use
    if wanted <= free:
        return None
    metric = tpu.generation.quota.preemptible if pool.spot or pool.flex else tpu.generation.quota.standard
    return google(
        403,
        f"Insufficient regional quota to satisfy request: resource \"{metric}\": request requires '{wanted}.0' and is "
        f"short '{wanted - free}.0'. project has a quota of '{limit}.0' with '{max(free, 0)}.0' available. View and "
        f"manage quotas at https://console.cloud.google.com/iam-admin/quotas?usage=USED&project={pool.project}.",
        "forbidden",
    )
