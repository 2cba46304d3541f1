"""What the nodes of every pool have in common."""

from collections.abc import Mapping

import pulumi
from pulumi_gcp import container

from pathways.gke import CLOUD_PLATFORM_SCOPE


def hardened_node_config(
    *,
    machine_type: str,
    service_account: pulumi.Input[str],
    node_tag: str,
    labels: Mapping[str, str],
    resource_labels: Mapping[str, str],
    key: str | None,
) -> container.NodePoolNodeConfigArgsDict:
    """Return a node configuration with secure boot, GKE's metadata server, gVNIC and an account of its own.

    labels: Kubernetes labels; none under cloud.google.com, which GKE keeps for itself.
    resource_labels: labels of the VMs and disks, by which costs are told apart. key: of Cloud KMS, for boot disks.
    """
    config: container.NodePoolNodeConfigArgsDict = {
        "machine_type": machine_type,
        "image_type": "COS_CONTAINERD",
        "service_account": service_account,
        "oauth_scopes": [CLOUD_PLATFORM_SCOPE],
        "labels": labels,
        "resource_labels": resource_labels,
        "tags": [node_tag],
        "gvnic": {"enabled": True},
        "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }
    return {**config, "boot_disk_kms_key": key} if key else config
