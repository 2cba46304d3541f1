"""A node pool as rules see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from pathways.manifests.labels import GROUP_LABEL
from pathways.rules.kinds import NODE_POOL, RESOURCE_POLICY
from pathways.rules.stack import Stack
from pathways.rules.values import Value
from pathways.tpu import CpuMachine, IllegalSlice, Machine, Slice, catalog, cpu_machines, parse_slice

_TPU_MACHINE = re.compile(r"(ct[0-9]|tpu)")
SPECIFIC = "SPECIFIC_RESERVATION"


class NodePool:
    """A node pool: its machines, its slice, and where its VMs come from."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.node = value["nodeConfig"]
        self.autoscaling = value["autoscaling"]
        self.placement = value["placementPolicy"]

    @property
    def machine_type(self) -> Value:
        return self.node["machineType"]

    @property
    def name(self) -> str:
        """The name in Google Cloud, or the resource's where that is left to Pulumi."""
        return self.value["name"].text or self.value.resource.name

    @cached_property
    def is_tpu(self) -> bool:
        """Whether the machine type is a TPU's, or looks like one that is not in the catalogue."""
        return bool(_TPU_MACHINE.match(self.machine_type.text or ""))

    @cached_property
    def is_cpu(self) -> bool:
        """Whether the machine type is known, and no TPU's."""
        return self.machine_type.text is not None and not self.is_tpu

    @cached_property
    def machine(self) -> Machine | None:
        """The TPU machine type, if the catalogue has it."""
        return catalog().machines.get(self.machine_type.text or "")

    @cached_property
    def cpu_machine(self) -> CpuMachine | None:
        return cpu_machines().get(self.machine_type.text or "")

    @property
    def topology(self) -> Value:
        """The topology that the pool itself names."""
        return self.placement["tpuTopology"]

    @cached_property
    def slice(self) -> Slice | None:
        """The slice that the pool itself tells of: by its topology, or, where it has no placement, one host's."""
        if self.machine is None:
            return None
        if self.placement.absent:
            return single_host_slice(self.machine)
        return _slice(self.machine, self.topology.text)

    def slice_in(self, stack: Stack) -> Slice | None:
        """The slice, whether pool or resource policy has the topology."""
        policy = self.workload_policy(stack)
        if policy is None or self.machine is None:
            return self.slice
        return _slice(self.machine, policy.at("workloadPolicy", "acceleratorTopology").text)

    def workload_policy(self, stack: Stack) -> Value | None:
        """The resource policy of the stack that the pool names, if it has that one."""
        name = (self.placement["policyName"].text or "").rpartition("/")[2]
        policies = (policy for policy in stack.each(RESOURCE_POLICY) if name and policy["name"].text == name)
        return next(policies, None)

    @property
    def group(self) -> str | None:
        """The multislice group that its label names."""
        return self.node["labels"][GROUP_LABEL].text

    @property
    def zone(self) -> str | None:
        """The one zone of its nodes."""
        zones = self.value["nodeLocations"].texts()
        if len(zones) == 1:
            return zones[0]
        location = self.value["location"].text or ""
        return location if is_zone(location) and not zones else None

    @property
    def is_spot(self) -> bool:
        return self.node["spot"].is_true or self.node["preemptible"].is_true

    @property
    def is_flex_start(self) -> bool:
        return self.node["flexStart"].is_true

    @property
    def is_queued(self) -> bool:
        return self.value.at("queuedProvisioning", "enabled").is_true

    @property
    def is_reserved(self) -> bool:
        return self.node.at("reservationAffinity", "consumeReservationType").text == SPECIFIC

    @property
    def reservation(self) -> str | None:
        """Name of its reservation, without project and block."""
        values = self.node.at("reservationAffinity", "values").texts()
        if not self.is_reserved or len(values) != 1:
            return None
        parts = values[0].split("/")
        return parts[parts.index("reservations") + 1] if "reservations" in parts[:-1] else parts[0]

    @property
    def largest_count(self) -> int | None:
        """Nodes that it has at most, in its one zone."""
        if self.autoscaling.absent:
            return self.value["nodeCount"].number
        return self.autoscaling["maxNodeCount"].number or self.autoscaling["totalMaxNodeCount"].number

    @property
    def tainted(self) -> bool:
        return bool(self.node["taints"].items())


def is_zone(location: str) -> bool:
    return location.count("-") == 2


def region_of(location: str) -> str:
    """Return the region that a zone is in; a region is its own."""
    return location.rpartition("-")[0] if is_zone(location) else location


def single_host_slice(machine: Machine) -> Slice | None:
    """Return the slice that one VM of the machine type is."""
    shapes = (Slice(machine, topology) for topology in machine.topologies.values())
    return next((slice_ for slice_ in shapes if not slice_.multi_host), None)


def pools(stack: Stack) -> Iterator[NodePool]:
    return map(NodePool, stack.each(NODE_POOL))


def tpu_pools(stack: Stack) -> Iterator[NodePool]:
    return (pool for pool in pools(stack) if pool.is_tpu)


def _slice(machine: Machine, topology: str | None) -> Slice | None:
    try:
        return parse_slice(machine.name, topology) if topology else None
    except IllegalSlice:
        return None
