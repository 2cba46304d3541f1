"""GKE node pools: TPU slices and CPU pools, and the nodes that they become."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pathways.gcp import Change
from sandbox.cloud.gke import VERSION, cluster_id, pools_of, refuse_pool_operation, subnetwork_of, zones_of
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Minutes, Site
from sandbox.cloud.machines import NodeMachine, find_machine
from sandbox.cloud.nodes import (
    NodeSpot,
    PoolShape,
    effective_taints,
    free_addresses,
    instance_group,
    new_spots,
    node_manifest,
    pool_labels,
    pool_taints,
)
from sandbox.cloud.options import Reservation
from sandbox.cloud.pool_rules import (
    PoolRequest,
    creation_error,
    invalid_machine,
    quota_refusal,
    refusals,
    reservation_refusal,
    resize_refusal,
)
from sandbox.cloud.readback import fill
from sandbox.cloud.references import CLUSTER, NODE_POOL, RESOURCE_POLICY, region_of
from sandbox.cloud.refusal import Refusal, bad_request, google
from sandbox.cloud.store import Record, Status

DEFAULT_RANGE = "10.128.0.0/20"
"""Addresses of nodes in the default network."""

_SCOPES = [
    f"https://www.googleapis.com/auth/{scope}"
    for scope in (
        "devstorage.read_only",
        "logging.write",
        "monitoring",
        "service.management.readonly",
        "servicecontrol",
        "trace.append",
    )
]

_CHANGED_ON_LIVING_NODES = {"effectiveTaints", "labels", "resourceLabels", "resourceManagerTags", "tags", "taints"}
"""Of nodeConfig; everything else that is updated in place makes GKE create the nodes anew."""

_RESERVATION = re.compile(
    r"(?:projects/([^/]+)/reservations/)?([^/]+)(/reservationBlocks/[^/]+(?:/reservationSubBlocks/[^/]+)?)?"
)
_RESERVATION_KEY = "compute.googleapis.com/reservation-name"


class OperationFailed(Exception):
    """A GKE operation that ends in ERROR; what it was to make exists."""


class NodePool(Kind):
    token = NODE_POOL
    label = "NodePool"
    minutes = Minutes(create=3, update=1, delete=1)
    timeout = 120.0
    retries = True

    def creation_prefix(self) -> str:
        return "error creating NodePool: "

    def already_exists(self, record: Record) -> Refusal:
        name = record.id.rpartition("/")[2]
        return google(409, f"Already exists: {cluster_id(record.id)}/nodePools/{name}.", "alreadyExists")

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        name = record.inputs["name"]
        if record.inputs.get("initialNodeCount") and record.inputs.get("nodeCount"):
            raise Refusal(f"Cannot set both initial_node_count and node_count on node pool {name}")
        pool = pool_request(site, record)
        for refusal in refusals(pool):
            raise refusal
        self._refuse_reservation(site, record, pool)
        self._refuse_over_quota(site, record, pool)
        self._refuse_without_addresses(site, record, pool)
        refuse_pool_operation(site, record.id)

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        changed = {change.path[0] for change in changes}
        pool = pool_request(site, draft)
        if "nodeCount" in changed and pool.multi_host:
            raise resize_refusal(pool.name)
        if changed & {"autoscaling", "nodeConfig", "nodeLocations"}:
            for refusal in refusals(pool):
                raise refusal
        self._refuse_without_addresses(site, draft, pool)
        refuse_pool_operation(site, record.id)

    def admit_deletion(self, site: Site, record: Record) -> None:
        refuse_pool_operation(site, record.id)

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        properties = record.properties
        cluster = site.store.get(CLUSTER, cluster_id(record.id))
        reported = cluster.properties if cluster else {}
        fill(properties, _reported(properties, reported))
        config = properties["nodeConfig"]
        config["metadata"] = {"disable-legacy-endpoints": "true", **config.get("metadata", {})}
        config["resourceLabels"] = {
            "goog-gke-node-pool-provisioning-model": _provisioning(config),
            **config.get("resourceLabels", {}),
        }
        if properties.get("placementPolicy", {}).get("policyName"):
            # GKE reports a policy by its name alone: a type beside it differs for ever (pool-3).
            properties["placementPolicy"]["type"] = ""
        if find_machine(config["machineType"]):
            shape = pool_shape(site, record)
            config["effectiveTaints"] = effective_taints(shape)
            groups = [instance_group(shape, zone, record.serial) for zone in properties["nodeLocations"]]
            properties["instanceGroupUrls"] = [url.replace("instanceGroupManagers", "instanceGroups") for url in groups]
            properties["managedInstanceGroupUrls"] = groups
        properties["nodeCount"] = properties.get("nodeCount") or _initial_count(properties)
        fill(properties, {"initialNodeCount": properties["nodeCount"]})

    def make(self, site: Site, record: Record) -> None:
        failure = creation_error(pool_request(site, record))
        if failure:
            raise OperationFailed(failure)
        self._bring_to_size(site, record)
        site.host.add_nodes([node_manifest(pool_shape(site, record), NodeSpot(**node)) for node in record.nodes])

    def change(self, site: Site, record: Record, before: Record) -> None:
        if record.status is Status.ERROR:
            return
        if _needs_new_nodes(before, record):
            site.host.remove_nodes(record.properties["name"])
            record.nodes = []
        else:
            self._edit_living_nodes(site, record, before)
        gone = self._bring_to_size(site, record)
        if gone:
            site.host.remove_nodes(record.properties["name"], gone)
        site.host.add_nodes([node_manifest(pool_shape(site, record), NodeSpot(**node)) for node in record.nodes])

    def unmake(self, site: Site, record: Record) -> None:
        if site.host.endpoint() is not None:
            site.host.remove_nodes(record.properties["name"])

    def read(self, site: Site, record: Record) -> None:
        if record.status is Status.RUNNING:
            record.properties["nodeCount"] = math.ceil(len(record.nodes) / len(record.properties["nodeLocations"]))

    def _edit_living_nodes(self, site: Site, record: Record, before: Record) -> None:
        old, new = pool_shape(site, before), pool_shape(site, record)
        had, has = pool_labels(old), pool_labels(new)
        labels: dict[str, str | None] = {key: value for key, value in has.items() if had.get(key) != value}
        labels.update({key: None for key in had if key not in has})
        if labels or pool_taints(old) != pool_taints(new):
            site.host.update_nodes(record.properties["name"], labels, pool_taints(new))

    def _bring_to_size(self, site: Site, record: Record) -> list[str]:
        """Gives the record as many nodes in each zone as it shall have; returns the names of those too many."""
        shape = pool_shape(site, record)
        wanted = record.properties["nodeCount"]
        with site.store.transaction():
            addresses = free_addresses(_node_range(site, record), taken_addresses(site, record))
            taken = {node["name"] for pool in site.store.of_type(NODE_POOL) for node in pool.nodes}
            kept: list[dict[str, str]] = []
            for zone in record.properties["nodeLocations"]:
                there = [node for node in record.nodes if node["zone"] == zone][:wanted]
                fresh = new_spots(shape, zone, wanted - len(there), record.serial, taken, addresses)
                kept += there + [asdict(spot) for spot in fresh]
            gone = [node["name"] for node in record.nodes if node not in kept]
            record.nodes = kept
            site.store.put(record)
        return gone

    def _refuse_reservation(self, site: Site, record: Record, pool: PoolRequest) -> None:
        affinity = record.inputs.get("nodeConfig", {}).get("reservationAffinity") or {}
        if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
            return
        named = affinity.get("values") or []
        if affinity.get("key") != _RESERVATION_KEY or len(named) != 1:  # the wording is not confirmed
            raise bad_request(f'Specific reservation needs key "{_RESERVATION_KEY}" and exactly one value.')
        match = _RESERVATION.fullmatch(named[0])
        path_without_project = match is not None and match[3] is not None and match[1] is None
        if match is None or path_without_project:
            refused = reservation_refusal(pool, named[0], None, 0)
        elif site.options.reservations is None and not site.store.of_type("gcp:compute/reservation:Reservation"):
            return
        else:
            project = match[1] or pool.project
            in_use = sum(
                len(other.nodes)
                for other in site.store.of_type(NODE_POOL)
                if other.id != record.id and reservation_of(other.properties) == match[2]
            )
            refused = reservation_refusal(pool, named[0], _find_reservation(site, project, match[2], pool), in_use)
        if refused:
            raise refused

    def _refuse_over_quota(self, site: Site, record: Record, pool: PoolRequest) -> None:
        tpu = pool.machine.tpu
        limit = site.options.quota.get(tpu.generation.name) if tpu else None
        if tpu is None or limit is None or pool.reservation:
            return
        region = region_of(pool.zones[0])
        in_use = 0
        for other in site.store.of_type(NODE_POOL):
            machine = find_machine(other.properties["nodeConfig"]["machineType"])
            if other.id == record.id or machine is None or machine.tpu is None or reservation_of(other.properties):
                continue
            if machine.tpu.generation is tpu.generation and region_of(other.properties["nodeLocations"][0]) == region:
                in_use += machine.chips * _machines_of(other)
        refused = quota_refusal(pool, limit, in_use)
        if refused:
            raise refused

    def _refuse_without_addresses(self, site: Site, record: Record, pool: PoolRequest) -> None:
        wanted = max(0, pool.node_count * len(pool.zones) - len(record.nodes))
        addresses = free_addresses(_node_range(site, record), taken_addresses(site, record))
        if sum(1 for _ in zip(range(wanted), addresses, strict=False)) < wanted:
            raise google(
                403,
                f"Insufficient free IP addresses in the node range {_node_range(site, record)}: IP_SPACE_EXHAUSTED.",
                "forbidden",
            )


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
    """What the pool's nodes have in common."""
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
    match = _RESERVATION.fullmatch(affinity["values"][0])
    return match[2] if match else str(affinity["values"][0])


def taken_addresses(site: Site, record: Record) -> set[str]:
    """Addresses that the nodes of the cluster have."""
    return {node["ip"] for pool in pools_of(site, cluster_id(record.id)) for node in pool.nodes}


def _reported(properties: Mapping[str, Any], cluster: Mapping[str, Any]) -> dict[str, Any]:
    """What GKE fills in of a node pool where the program is silent."""
    machine_type = properties.get("nodeConfig", {}).get("machineType", "e2-medium")
    newest_tpu = machine_type.startswith(("ct6e", "tpu7"))
    reported: dict[str, Any] = {
        "instanceGroupUrls": [],
        "managedInstanceGroupUrls": [],
        "management": {"autoRepair": True, "autoUpgrade": True},
        "maxPodsPerNode": cluster.get("defaultMaxPodsPerNode", 110),
        "namePrefix": "",
        "networkConfig": {
            "enablePrivateNodes": cluster.get("privateClusterConfig", {}).get("enablePrivateNodes", False),
            "podIpv4CidrBlock": cluster.get("clusterIpv4Cidr", ""),
            "podRange": cluster.get("ipAllocationPolicy", {}).get("clusterSecondaryRangeName", ""),
            "subnetwork": cluster.get("subnetwork", ""),
        },
        "nodeConfig": {
            "diskSizeGb": 100,
            "diskType": "hyperdisk-balanced" if newest_tpu else "pd-balanced",
            "imageType": "COS_CONTAINERD",
            "labels": {},
            "localSsdCount": 0,
            "loggingVariant": "DEFAULT",
            "machineType": "e2-medium",
            "minCpuPlatform": "",
            "oauthScopes": _SCOPES,
            "serviceAccount": "default",
            "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": False},
        },
        "nodeLocations": cluster.get("nodeLocations") or zones_of(str(properties["location"])),
        "operation": "",
        "upgradeSettings": {"maxSurge": 1, "maxUnavailable": 0, "strategy": "SURGE"},
        "version": cluster.get("masterVersion", VERSION),
    }
    if cluster.get("workloadIdentityConfig"):
        reported["nodeConfig"]["workloadMetadataConfig"] = {"mode": "GKE_METADATA"}
    if properties.get("autoscaling"):
        reported["autoscaling"] = {"locationPolicy": "BALANCED"}
    return reported


def _provisioning(config: Mapping[str, Any]) -> str:
    if config.get("spot"):
        return "spot"
    if config.get("flexStart"):
        return "flex-start"
    return "reservation" if config.get("reservationAffinity") else "on-demand"


def _initial_count(properties: Mapping[str, Any]) -> int:
    """Nodes per zone at creation: as asked for, or the least that autoscaling keeps."""
    scaling = properties.get("autoscaling") or {}
    spread: int = math.ceil(scaling.get("totalMinNodeCount", 0) / max(1, len(properties.get("nodeLocations", []))))
    least = (properties.get("initialNodeCount"), scaling.get("minNodeCount"), spread)
    return max(int(count or 0) for count in least)


def _machines_of(pool: Record) -> int:
    """Machines that the pool has or is about to have."""
    return max(len(pool.nodes), int(pool.properties["nodeCount"]) * len(pool.properties["nodeLocations"]))


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


def _node_range(site: Site, record: Record) -> str:
    cluster = site.store.get(CLUSTER, cluster_id(record.id))
    subnetwork = subnetwork_of(site, cluster) if cluster else None
    return str(subnetwork.properties["ipCidrRange"]) if subnetwork else DEFAULT_RANGE


def _find_reservation(site: Site, project: str, name: str, pool: PoolRequest) -> Reservation | None:
    for record in site.store.of_type("gcp:compute/reservation:Reservation"):
        if record.id == f"projects/{project}/zones/{pool.zones[0]}/reservations/{name}":
            specific = record.properties["specificReservation"]
            machine_type = specific.get("instanceProperties", {}).get("machineType", pool.machine.name)
            return Reservation(name, pool.zones[0], machine_type, specific["count"], project)
    for reservation in site.options.reservations or ():
        if reservation.name == name and (reservation.project or pool.project) == project:
            return reservation
    return None


def _needs_new_nodes(before: Record, after: Record) -> bool:
    old, new = before.properties["nodeConfig"], after.properties["nodeConfig"]
    differing = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    return bool(differing - _CHANGED_ON_LIVING_NODES) or before.properties["version"] != after.properties["version"]
