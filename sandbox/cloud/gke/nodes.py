"""The Node objects of a node pool, as GKE registers them."""

from __future__ import annotations

import hashlib
import ipaddress
import socket
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.cloud.gke.machines import NodeMachine

TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}
QUEUED_TAINT = {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NO_SCHEDULE"}

_EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}
_BY_KUBELET = {"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux"}
"""Where they are missing, the controller manager adds them, with two calls for each node."""

_CONDITIONS = (
    {"type": "Ready", "status": "True", "reason": "KubeletReady"},
    {"type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory"},
    {"type": "DiskPressure", "status": "False", "reason": "KubeletHasNoDiskPressure"},
    {"type": "PIDPressure", "status": "False", "reason": "KubeletHasSufficientPID"},
)
"""A node comes ready: a thousand that each become so a moment later are as many calls more."""

_PREFIX_LENGTH = 32
"""Characters that cluster and pool together have in a node's name. Source: GKE, names of instance templates."""


@dataclass(frozen=True)
class PoolShape:
    """What all nodes of a pool have in common.

    node_config: as GKE reports it. topology: of the TPU slice, as GKE spells it; None for CPU machines.
    reservation: bare name. queued, flex: how the capacity was asked for.
    """

    project: str
    cluster: str
    pool: str
    machine: NodeMachine
    node_config: Mapping[str, Any]
    topology: str | None
    reservation: str | None
    version: str
    max_pods: int
    queued: bool = False
    flex: bool = False

    @property
    def spot(self) -> bool:
        return bool(self.node_config.get("spot"))


@dataclass(frozen=True)
class NodeSpot:
    """Where one node is: its name, its zone, its address in the cluster's subnetwork."""

    name: str
    zone: str
    ip: str


def node_manifest(shape: PoolShape, spot: NodeSpot) -> dict[str, Any]:
    """The Node object, status included."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": spot.name,
            "labels": {
                **pool_labels(shape),
                **_BY_KUBELET,
                "kubernetes.io/hostname": spot.name,
                "topology.kubernetes.io/region": spot.zone.rpartition("-")[0],
                "topology.kubernetes.io/zone": spot.zone,
            },
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {
            "providerID": f"gce://{shape.project}/{spot.zone}/{spot.name}",
            "taints": pool_taints(shape),
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": spot.ip},
                {"type": "Hostname", "address": spot.name},
            ],
            "capacity": _capacity(shape),
            "allocatable": _allocatable(shape),
            "conditions": [dict(condition) for condition in _CONDITIONS],
            "nodeInfo": _node_info(shape, spot),
        },
    }


def pool_labels(shape: PoolShape) -> dict[str, str]:
    """The labels that every node of the pool has: GKE's and the pool's own.

    Source: GKE documentation, node labels; for those of TPUs and capacity also Cluster Toolkit and XPK, which select
    by them.
    """
    labels = {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": shape.machine.name,
        "cloud.google.com/gke-boot-disk": str(shape.node_config.get("diskType")),
        "cloud.google.com/gke-container-runtime": "containerd",
        "cloud.google.com/gke-max-pods-per-node": str(shape.max_pods),
        "cloud.google.com/gke-nodepool": shape.pool,
        "cloud.google.com/gke-os-distribution": "cos",
        "cloud.google.com/gke-provisioning": "spot" if shape.spot else "standard",
        "cloud.google.com/machine-family": shape.machine.family,
    }
    if shape.spot:
        labels["cloud.google.com/gke-spot"] = "true"
    if shape.flex:
        labels["cloud.google.com/gke-flex-start"] = "true"
    if shape.queued:
        labels["cloud.google.com/gke-queued"] = "true"
    if shape.reservation:
        labels["cloud.google.com/reservation-name"] = shape.reservation
    if shape.machine.tpu and shape.topology:
        labels["cloud.google.com/gke-tpu-accelerator"] = shape.machine.tpu.generation.accelerator
        labels["cloud.google.com/gke-tpu-topology"] = shape.topology
        labels["cloud.google.com/gke-accelerator-count"] = str(shape.machine.chips)
    return {**labels, **shape.node_config.get("labels", {})}


def pool_taints(shape: PoolShape) -> list[dict[str, str]]:
    """The taints that every node of the pool has: GKE's and the pool's own."""
    return [{**taint, "effect": _EFFECTS.get(taint["effect"], taint["effect"])} for taint in effective_taints(shape)]


def effective_taints(shape: PoolShape) -> list[dict[str, str]]:
    """The same taints as GKE's API spells them."""
    own = [{key: taint[key] for key in ("key", "value", "effect")} for taint in shape.node_config.get("taints", [])]
    given = [TPU_TAINT] * bool(shape.machine.tpu) + [QUEUED_TAINT] * shape.queued
    return [*own, *(taint for taint in given if taint not in own)]


def new_spots(
    shape: PoolShape, zone: str, count: int, serial: int, taken: Collection[str], addresses: Iterator[str]
) -> list[NodeSpot]:
    """Names and addresses for new nodes in a zone.

    serial: of the pool, so that a pool made anew has other names. taken: names that cannot be used.
    """
    prefix = _instance_prefix(shape, zone, serial)
    names = (f"{prefix}-{suffix}" for suffix in _suffixes(prefix))
    free = (name for name in names if name not in taken)
    return [NodeSpot(next(free), zone, next(addresses)) for _ in range(count)]


def instance_group(shape: PoolShape, zone: str, serial: int) -> str:
    """Link to the group manager of the pool's machines in a zone."""
    prefix = _instance_prefix(shape, zone, serial)
    base = f"https://www.googleapis.com/compute/v1/projects/{shape.project}/zones/{zone}"
    return f"{base}/instanceGroupManagers/{prefix}-grp"


def _instance_prefix(shape: PoolShape, zone: str, serial: int) -> str:
    cluster, pool = shape.cluster, shape.pool
    if len(cluster) + len(pool) > _PREFIX_LENGTH:
        cluster = cluster[: max(_PREFIX_LENGTH // 2, _PREFIX_LENGTH - len(pool))]
        pool = pool[: _PREFIX_LENGTH - len(cluster)]
    group = hashlib.sha256(f"{shape.cluster}/{shape.pool}/{zone}/{serial}".encode()).hexdigest()[:8]
    return f"gke-{cluster}-{pool}-{group}"


def free_addresses(cidr: str, taken: Collection[str]) -> Iterator[str]:
    """Addresses of a subnetwork that no node has. Google keeps the first two and the last two of each range."""
    network = ipaddress.IPv4Network(cidr)
    first = int(network.network_address)
    gone = {int.from_bytes(socket.inet_aton(address)) for address in taken}
    for number in range(first + 2, first + network.num_addresses - 2):
        if number not in gone:
            yield socket.inet_ntoa(number.to_bytes(4))


def _suffixes(seed: str) -> Iterator[str]:
    """Endless four-character endings, each once, that look as unordered as GKE's."""
    letters = "0123456789bcdfghjklmnpqrstvwxz"
    size = len(letters) ** 4
    start = int(hashlib.sha256(seed.encode()).hexdigest(), 16) % size
    for index in range(size):
        number = (start + index * 7919) % size
        digits = []
        for _ in range(4):
            number, digit = divmod(number, len(letters))
            digits.append(letters[digit])
        yield "".join(digits)


def _capacity(shape: PoolShape) -> dict[str, str]:
    machine = shape.machine
    capacity = {
        "cpu": str(machine.vcpus),
        "memory": f"{machine.memory_gb * 1024 * 1024}Ki",
        "ephemeral-storage": f"{shape.node_config.get('diskSizeGb', 100)}Gi",
        "pods": str(shape.max_pods),
    }
    return {**capacity, "google.com/tpu": str(machine.chips)} if machine.chips else capacity


def _allocatable(shape: PoolShape) -> dict[str, str]:
    left = shape.machine.allocatable
    return {
        **_capacity(shape),
        "cpu": f"{left.allocatable_millicores}m",
        "memory": f"{left.allocatable_bytes // 1024}Ki",
    }


def _node_info(shape: PoolShape, spot: NodeSpot) -> dict[str, str]:
    identity = hashlib.sha256(spot.name.encode()).hexdigest()[:32]
    return {
        "architecture": "amd64",
        "bootID": identity,
        "containerRuntimeVersion": "containerd://2.0.6",
        "kernelVersion": "6.12.0+",
        "kubeProxyVersion": "",
        "kubeletVersion": f"v{shape.version}",
        "machineID": identity,
        "operatingSystem": "linux",
        "osImage": "Container-Optimized OS from Google",
        "systemUUID": identity,
    }
