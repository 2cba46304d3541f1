"""GKE node pools: TPU slices and CPU pools, and the nodes that they become."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from pathways.gcp import Change
from pathways.gke import CHANGED_ON_LIVING_NODES
from sandbox.cloud.faults import OperationFailed
from sandbox.cloud.gke.capacity import addresses_for, refuse_without_capacity
from sandbox.cloud.gke.clusters import cluster_id, refuse_pool_operation
from sandbox.cloud.gke.defaults import always_reported, least_nodes, pool_defaults
from sandbox.cloud.gke.machines import find_machine
from sandbox.cloud.gke.nodes import (
    NodeSpot,
    effective_taints,
    instance_group,
    new_spots,
    node_manifest,
    pool_labels,
    pool_taints,
)
from sandbox.cloud.gke.pools import pool_request, pool_shape
from sandbox.cloud.gke.rules import creation_error, refusals, relocation_refusal, resize_refusal
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Minutes, Site
from sandbox.cloud.readback import fill
from sandbox.cloud.references import CLUSTER, NODE_POOL
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record, Status


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
        refuse_without_capacity(site, record, pool)
        refuse_pool_operation(site, record.id)
        if creation_error(pool) is None:
            bring_to_size(site, record)

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        changed = {change.path[0] for change in changes}
        pool = pool_request(site, draft)
        if "nodeCount" in changed and pool.multi_host:
            raise resize_refusal(pool.name)
        if "nodeLocations" in changed and pool.multi_host:
            raise relocation_refusal(pool.name)
        if changed & {"autoscaling", "nodeConfig", "nodeLocations"}:
            for refusal in refusals(replace(pool, node_count=draft.properties["initialNodeCount"])):
                raise refusal
        refuse_pool_operation(site, record.id)
        if record.status is Status.RUNNING:
            bring_to_size(site, draft)

    def admit_deletion(self, site: Site, record: Record) -> None:
        refuse_pool_operation(site, record.id)

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        properties = record.properties
        cluster = site.store.get(CLUSTER, cluster_id(record.id))
        fill(properties, pool_defaults(properties, cluster.properties if cluster else {}))
        config = properties["nodeConfig"]
        config.update(always_reported(config))
        if properties.get("placementPolicy", {}).get("policyName"):
            # GKE reports a policy by its name alone: a type beside it differs for ever (pool-3).
            properties["placementPolicy"]["type"] = ""
        asked = properties.get("nodeCount") or (_is_new(record) and properties.get("initialNodeCount")) or 0
        properties["nodeCount"] = max(asked, least_nodes(properties))
        fill(properties, {"initialNodeCount": properties["nodeCount"]})
        if find_machine(config["machineType"]):
            self._describe_machines(site, record)

    def make(self, site: Site, record: Record) -> None:
        failure = creation_error(pool_request(site, record))
        if failure:
            raise OperationFailed(failure)
        _add_nodes(site, record)

    def change(self, site: Site, record: Record, before: Record) -> None:
        name = record.properties["name"]
        gone = [node["name"] for node in before.nodes if node not in record.nodes]
        if _needs_new_nodes(before, record):
            site.host.remove_nodes(name)
        elif gone:
            site.host.remove_nodes(name, gone)
        _edit_living_nodes(site, record, before)
        _add_nodes(site, record)

    def unmake(self, site: Site, record: Record) -> None:
        if site.host.endpoint() is not None:
            site.host.remove_nodes(record.properties["name"])

    def read(self, site: Site, record: Record) -> None:
        if record.status is Status.RUNNING:
            record.properties["nodeCount"] = math.ceil(len(record.nodes) / len(record.properties["nodeLocations"]))

    def _describe_machines(self, site: Site, record: Record) -> None:
        shape, properties = pool_shape(site, record), record.properties
        groups = [instance_group(shape, zone, record.serial) for zone in properties["nodeLocations"]]
        properties["nodeConfig"]["effectiveTaints"] = effective_taints(shape)
        properties["managedInstanceGroupUrls"] = groups
        properties["instanceGroupUrls"] = [url.replace("instanceGroupManagers", "instanceGroups") for url in groups]


def bring_to_size(site: Site, record: Record, sizes: Mapping[str, int] | None = None) -> None:
    """Gives the record as many nodes in each zone as it shall have. Raises Refusal where addresses run out.

    sizes: nodes by zone; None stands for the pool's node count in each of its zones.
    """
    shape, properties = pool_shape(site, record), record.properties
    wanted = sizes or dict.fromkeys(properties["nodeLocations"], properties["nodeCount"])
    taken = {node["name"] for pool in site.store.of_type(NODE_POOL) for node in pool.nodes}
    there = {zone: [node for node in record.nodes if node["zone"] == zone][:count] for zone, count in wanted.items()}
    addresses = addresses_for(site, record, sum(wanted[zone] - len(nodes) for zone, nodes in there.items()))
    record.nodes = [
        node
        for zone, nodes in there.items()
        for node in (
            *nodes,
            *map(asdict, new_spots(shape, zone, wanted[zone] - len(nodes), record.serial, taken, addresses)),
        )
    ]


def _add_nodes(site: Site, record: Record) -> None:
    shape = pool_shape(site, record)
    site.host.add_nodes([node_manifest(shape, NodeSpot(**node)) for node in record.nodes])


def _edit_living_nodes(site: Site, record: Record, before: Record) -> None:
    old, new = pool_shape(site, before), pool_shape(site, record)
    had, has = pool_labels(old), pool_labels(new)
    labels: dict[str, str | None] = {key: value for key, value in has.items() if had.get(key) != value}
    labels.update({key: None for key in had if key not in has})
    if labels or pool_taints(old) != pool_taints(new):
        site.host.update_nodes(record.properties["name"], labels, pool_taints(new))


def _is_new(record: Record) -> bool:
    return record.status is Status.PROVISIONING


def _needs_new_nodes(before: Record, after: Record) -> bool:
    old, new = before.properties["nodeConfig"], after.properties["nodeConfig"]
    differing = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    differing -= {*CHANGED_ON_LIVING_NODES, "effectiveTaints"}  # which GKE reports, as taints have it
    return bool(differing) or before.properties["version"] != after.properties["version"]
