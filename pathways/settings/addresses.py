"""Whether the cluster's address ranges have room for its nodes and their pods."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pathways.gke import CPU_PODS_PER_NODE, RESERVED_ADDRESSES, SLICE_PODS_PER_NODE, addresses_of_pods
from pathways.settings.base import Fault
from pathways.settings.head import HeadSettings
from pathways.settings.network import NetworkSettings
from pathways.settings.slices import SliceGroup
from pathways.settings.system import SystemSettings

_SURGE = 1
"""Nodes that a CPU pool has besides while it is upgraded."""


class Use(NamedTuple):
    """What is asked of a range. range: its key in the settings. wanted, has: addresses. whose: for people."""

    range: str
    block: str
    wanted: int
    has: int
    whose: str


def uses(
    network: NetworkSettings, slices: Sequence[SliceGroup], head: HeadSettings, system: SystemSettings
) -> tuple[Use, ...]:
    """Return what the largest number of nodes asks of the ranges for nodes, for pods and for second NICs."""
    hosts = sum(group.slice.hosts * group.pools for group in slices)
    second = sum(group.slice.hosts * group.pools for group in slices if group.networking == "secondNic")
    others = head.max_nodes + system.max_nodes + 2 * _SURGE
    of_slices, of_others = addresses_of_pods(SLICE_PODS_PER_NODE), addresses_of_pods(CPU_PODS_PER_NODE)
    nodes = f"{hosts:,} hosts of slices and {others:,} other nodes"
    blocks = f"{nodes}, in blocks of {of_slices} and {of_others}"
    return (
        _use("nodeRange", network.node_range, hosts + others, nodes, reserved=RESERVED_ADDRESSES),
        _use("podRange", network.pod_range, hosts * of_slices + others * of_others, blocks),
        _use("secondNicRange", network.second_nic_range, second, f"{second:,} hosts", reserved=RESERVED_ADDRESSES),
    )


def shortages(found: Sequence[Use]) -> Iterator[Fault]:
    """Yield a fault for each range that is too small, with the size that suffices."""
    for use in found:
        if use.wanted > use.has:
            size = 32 - (use.wanted + RESERVED_ADDRESSES - 1).bit_length()
            message = f"{use.block} has {use.has:,} addresses, {use.wanted:,} are wanted ({use.whose}); take a /{size}"
            yield Fault(("network", use.range), message)


def _use(key: str, block: str, wanted: int, whose: str, reserved: int = 0) -> Use:
    return Use(key, block, wanted, ipaddress.IPv4Network(block).num_addresses - reserved, whose)
