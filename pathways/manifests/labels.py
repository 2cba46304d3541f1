"""Labels by which jobs find their nodes.

GKE's own (cloud.google.com/...) are GKE's to set, so these have other keys.
"""

from __future__ import annotations

from pathways.settings.slices import SliceGroup

GROUP_LABEL = "MultisliceGroup"
GROUP_SIZE_LABEL = "MultisliceGroupSize"
MACHINE_TYPE_LABEL = "pathways.dev/machine-type"
"""GKE gives nodes of four and of eight chips the same labels, where their slices have the same topology."""

NETWORKING_LABEL = "pathways.dev/networking"
"""Of hosts with more than one NIC. Nodes keep their NICs, and the provider sees no difference in a network that is not
asked for any more; so it is this label whose change replaces the pool."""

HEAD_LABELS = {"pathways.dev/pool": "head"}
"""Of the CPU nodes that heads run on."""

SYSTEM_LABELS = {"pathways.dev/pool": "system"}
"""Of the CPU nodes that controllers run on."""


def group_labels(group: SliceGroup) -> dict[str, str]:
    """Return the labels of every node of a group. The group's size counts its spares."""
    return {
        GROUP_LABEL: group.name,
        GROUP_SIZE_LABEL: str(group.pools),
        MACHINE_TYPE_LABEL: group.slice.machine_type,
    }


def group_selector(group: SliceGroup) -> dict[str, str]:
    """Return the node selector that binds a job to a group. Not by its size, which changes with every slice."""
    return {GROUP_LABEL: group.name, MACHINE_TYPE_LABEL: group.slice.machine_type}
