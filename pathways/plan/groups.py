"""Slice groups: their arithmetic, and where their VMs come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pathways.manifests.labels import GROUP_LABEL
from pathways.resources import Resource
from pathways.rules.kinds import NODE_POOL
from pathways.settings import FlexStart, OnDemand, Queued, Reservation, SliceGroup, Spot, StackSettings
from pathways.tpu import Slice


@dataclass(frozen=True)
class Quota:
    """A regional Compute Engine quota that VMs count against. name: as the console shows it."""

    name: str
    region: str


@dataclass(frozen=True)
class Source:
    """Where the VMs of a group come from.

    kind: as the stack file names it. words: for people. standing: whether VMs are there as long as the stack is;
    others come with a job and go with it. Either a quota or a reservation, by its full path.
    held: chips of the reservation, None where the stack file does not tell.
    """

    kind: str
    words: str
    standing: bool
    quota: Quota | None
    reservation: str | None
    held: int | None = None


@dataclass(frozen=True)
class GroupPlan:
    """A group of equal slices. count: that jobs may ask for. pools: names in GKE of all its node pools, in order."""

    name: str
    slice: Slice
    count: int
    spares: int
    pools: tuple[str, ...]
    source: Source

    @property
    def chips(self) -> int:
        """Chips of the whole group, spares included."""
        return self.slice.chips * len(self.pools)

    @property
    def hosts(self) -> int:
        """VMs of the whole group, spares included."""
        return self.slice.hosts * len(self.pools)


@dataclass(frozen=True)
class Need:
    """What the stack needs of one quota or reservation. name: of the quota, or path of the reservation.

    held: chips of the reservation, None where the stack file does not tell.
    """

    name: str
    region: str
    is_quota: bool
    chips: int
    hosts: int
    held: int | None
    groups: tuple[str, ...]


def plan_groups(settings: StackSettings, resources: Sequence[Resource]) -> tuple[GroupPlan, ...]:
    """Return the groups of the settings with the node pools that the program declares for them."""
    pools: dict[str, list[Resource]] = {}
    for resource in resources:
        if (group := group_of(resource)) is not None:
            pools.setdefault(group, []).append(resource)
    return tuple(_group_plan(group, pools.get(group.name, []), settings.region) for group in settings.slices)


def _group_plan(group: SliceGroup, pools: Sequence[Resource], region: str) -> GroupPlan:
    return GroupPlan(
        name=group.name,
        slice=group.slice,
        count=group.count,
        spares=group.spares,
        pools=tuple(pool_name(pool) for pool in pools),
        source=_source(group, pools, region),
    )


def group_of(resource: Resource) -> str | None:
    """Return the slice group that a resource is a node pool of, or None."""
    if resource.type != NODE_POOL:
        return None
    node_config = resource.properties.get("nodeConfig")
    labels = node_config.get("labels") if isinstance(node_config, dict) else None
    group = labels.get(GROUP_LABEL) if isinstance(labels, dict) else None
    return group if isinstance(group, str) else None


def pool_name(resource: Resource) -> str:
    """Return the name that a node pool has in GKE, or the resource's where Pulumi makes one up."""
    name = resource.properties.get("name")
    return name if isinstance(name, str) else resource.name


def _source(group: SliceGroup, pools: Sequence[Resource], region: str) -> Source:
    """Return where a group's VMs come from.

    VMs that may be taken back or that wait for capacity count against the preemptible quota, others against the
    standard one, those of a reservation against none. Source: Google, GKE documentation, "Plan TPUs in GKE", and Cloud
    TPU documentation, "Request Cloud TPUs using Flex-start".
    """
    quota = group.slice.generation.quota
    standard, preemptible = Quota(quota.standard, region), Quota(quota.preemptible, region)
    coming = ", autoscaled" if group.autoscaled else ""
    match group.capacity:
        case Spot():
            return Source("spot", f"Spot{coming}", group.stands, preemptible, None)
        case OnDemand():
            return Source("onDemand", f"on demand{coming}", group.stands, standard, None)
        case FlexStart():
            return Source("flexStart", "flex start", group.stands, preemptible, None)
        case Queued():
            return Source("queued", "queued", group.stands, preemptible, None)
        case Reservation(name=name, chips=held):
            return Source("reservation", f"reservation{coming}", group.stands, None, _reservation(pools) or name, held)


def _reservation(pools: Sequence[Resource]) -> str | None:
    """Return the path of the reservation that the pools name."""
    for pool in pools:
        values = pool.properties["nodeConfig"].get("reservationAffinity", {}).get("values", [])
        if values:
            return str(values[0])
    return None


def needs_of(groups: Iterable[GroupPlan], region: str) -> tuple[Need, ...]:
    """Return what is needed of each quota and each reservation, groups that share one added up."""
    sharing: dict[tuple[str, bool], list[GroupPlan]] = {}
    for group in groups:
        quota = group.source.quota
        name = quota.name if quota else group.source.reservation or ""
        sharing.setdefault((name, quota is not None), []).append(group)
    return tuple(
        Need(
            name=name,
            region=region,
            is_quota=is_quota,
            chips=sum(group.chips for group in sharers),
            hosts=sum(group.hosts for group in sharers),
            held=min((group.source.held for group in sharers if group.source.held is not None), default=None),
            groups=tuple(group.name for group in sharers),
        )
        for (name, is_quota), sharers in sharing.items()
    )
