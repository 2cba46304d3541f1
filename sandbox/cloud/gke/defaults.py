"""What GKE fills in of a node pool where the program is silent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pathways.tpu import catalog
from sandbox.cloud.gke.clusters import VERSION, zones_of

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


def pool_defaults(properties: Mapping[str, Any], cluster: Mapping[str, Any]) -> dict[str, Any]:
    """Values for a pool with these properties. cluster: properties of its cluster."""
    machine_type = str(properties.get("nodeConfig", {}).get("machineType", "e2-medium"))
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
            "diskType": _boot_disk(machine_type),
            "imageType": "COS_CONTAINERD",
            "labels": {},
            "localSsdCount": 0,
            "loggingVariant": "DEFAULT",
            "machineType": machine_type,
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


def always_reported(node_config: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata and labels of the machines: GKE's own are added to those that the program gives.

    Metadata that lacks GKE's entry therefore differs for ever, as the provider's documentation warns.
    """
    return {
        "metadata": {"disable-legacy-endpoints": "true", **node_config.get("metadata", {})},
        "resourceLabels": {
            "goog-gke-node-pool-provisioning-model": _provisioning(node_config),
            **node_config.get("resourceLabels", {}),
        },
    }


def least_nodes(properties: Mapping[str, Any]) -> int:
    """Nodes per zone that a pool has when no number is asked for: the initial ones, or what autoscaling keeps."""
    scaling = properties.get("autoscaling") or {}
    spread: int = math.ceil(scaling.get("totalMinNodeCount", 0) / max(1, len(properties.get("nodeLocations", []))))
    return max(int(count or 0) for count in (scaling.get("minNodeCount"), spread))


def _boot_disk(machine_type: str) -> str:
    tpu = catalog().machines.get(machine_type)
    return tpu.generation.boot_disk if tpu else "pd-balanced"


def _provisioning(node_config: Mapping[str, Any]) -> str:
    if node_config.get("spot"):
        return "spot"
    if node_config.get("flexStart"):
        return "flex-start"
    reserved = (node_config.get("reservationAffinity") or {}).get("consumeReservationType") == "SPECIFIC_RESERVATION"
    return "reservation" if reserved else "on-demand"
