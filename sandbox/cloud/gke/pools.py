"""What the record of a node pool says: what GKE judges it by, and what its nodes have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from sandbox.cloud.gke.clusters import cluster_id
from sandbox.cloud.gke.machines import NodeMachine, find_machine
from sandbox.cloud.gke.nodes import PoolShape
from sandbox.cloud.gke.rules import PoolRequest, invalid_machine
from sandbox.cloud.kinds.base import Site
from sandbox.cloud.references import RESOURCE_POLICY
from sandbox.cloud.store import Record

RESERVATION_PATH = re.compile(
    r"(?:projects/([^/]+)/reservations/)?([^/]+)(/reservationBlocks/[^/]+(?:/reservationSubBlocks/[^/]+)?)?"
)
"""Project, name, and block or sub-block of a reservation, as a node pool names it."""


def pool_request(site: Site, record: Record) -> PoolRequest:
    """What GKE judges the pool by. Raises Refusal for a machine type that there is none of."""
    properties = record.properties
    config = properties["nodeConfig"]
    scaling = properties.get("autoscaling")
    zones = tuple(properties["nodeLocations"])
    topology, by_policy = _topology(site, properties)
    return PoolRequest(
        project=properties["project"],
        cluster=cluster_id(record.id),
        name=properties["name"],
        machine=_machine(config["machineType"], zones[0]),
        zones=zones,
        node_count=properties["nodeCount"],
        topology=topology,
        policy=by_policy,
        min_nodes=scaling.get("minNodeCount", 0) if scaling else None,
        max_nodes=scaling.get("maxNodeCount", 0) if scaling else None,
        spot=bool(config.get("spot")),
        flex=bool(config.get("flexStart")),
        queued=bool(properties.get("queuedProvisioning", {}).get("enabled")),
        auto_repair=bool(properties.get("management", {}).get("autoRepair", True)),
        reservation=reservation_of(properties),
    )


def pool_shape(site: Site, record: Record) -> PoolShape:
    """What the pool's nodes have in common. Raises Refusal for a machine type that there is none of."""
    properties = record.properties
    config = properties["nodeConfig"]
    machine = _machine(config["machineType"], properties["nodeLocations"][0])
    topology, _ = _topology(site, properties)
    return PoolShape(
        project=properties["project"],
        cluster=cluster_id(record.id).rpartition("/")[2],
        pool=properties["name"],
        machine=machine,
        node_config=config,
        topology=topology or _single_host_topology(machine),
        reservation=reservation_of(properties),
        version=properties["version"],
        max_pods=properties["maxPodsPerNode"],
        queued=bool(properties.get("queuedProvisioning", {}).get("enabled")),
        flex=bool(config.get("flexStart")),
    )


def reservation_of(properties: Mapping[str, Any]) -> str | None:
    """The bare name of the reservation that a pool consumes; None without one."""
    affinity = properties["nodeConfig"].get("reservationAffinity") or {}
    if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION" or not affinity.get("values"):
        return None
    match = RESERVATION_PATH.fullmatch(affinity["values"][0])
    return match[2] if match else str(affinity["values"][0])


def _machine(machine_type: str, zone: str) -> NodeMachine:
    machine = find_machine(machine_type)
    if machine is None:
        raise invalid_machine(machine_type, zone)
    return machine


def _topology(site: Site, properties: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The topology that the pool or its resource policy asks for, and whether a policy does."""
    placement = properties.get("placementPolicy") or {}
    name = placement.get("policyName")
    if not name:
        return placement.get("tpuTopology"), False
    for policy in site.store.of_type(RESOURCE_POLICY):
        if policy.id.rpartition("/")[2] == name.rpartition("/")[2]:
            workload = policy.properties.get("workloadPolicy", {}).get("acceleratorTopology")
            group = policy.properties.get("groupPlacementPolicy", {}).get("tpuTopology")
            return workload or group or placement.get("tpuTopology"), True
    return placement.get("tpuTopology"), True


def _single_host_topology(machine: NodeMachine) -> str | None:
    """GKE labels the nodes of a slice of one host with its topology, too."""
    if machine.tpu is None:
        return None
    return next((text for text, sides in machine.tpu.topologies.items() if math.prod(sides) == machine.chips), None)
