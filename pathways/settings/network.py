"""The cluster's network and its address ranges."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from pathways.settings.base import PROJECT, Fault, Name, Settings, must_hold, refused
from pathways.wording import quoted

_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""Source: RFC 1918, RFC 6598."""


def is_private(block: ipaddress.IPv4Network) -> bool:
    """Return whether all addresses of a block are private ones."""
    return any(block.subnet_of(ipaddress.IPv4Network(private)) for private in _PRIVATE)


def _cidr_block(text: str) -> str:
    try:
        block = ipaddress.IPv4Network(text)
    except ValueError:
        raise refused(f"{quoted(text)} is no IPv4 block such as 10.0.0.0/20") from None
    if not is_private(block):
        raise refused(f"{quoted(text)} is public; take a block of {', '.join(_PRIVATE)}")
    return text


def _slash_28(text: str) -> str:
    if not text.endswith("/28"):
        raise refused(f"{quoted(text)} must be a /28: GKE takes no other size for a control plane")
    return text


CidrBlock = Annotated[str, AfterValidator(_cidr_block)]

_RANGES = ("node_range", "pod_range", "service_range", "control_plane_range", "second_nic_range")
_OF_OWN_NETWORK = {"node_range", "pod_range", "service_range", "flow_logs"}


class ExistingNetwork(Settings):
    """A network that someone else made and keeps: private Google access and a way out (NAT) are theirs to give."""

    network: Name
    """Name of the network."""
    subnetwork: Name
    """Name of its subnetwork in the stack's region."""
    pod_range: Name
    """Name of the subnetwork's secondary range for pods."""
    service_range: Name
    """Name of the subnetwork's secondary range for services."""
    project: Annotated[str, Field(pattern=PROJECT)] | None = None
    """Project that owns it (Shared VPC), where that is not the stack's."""


class NetworkSettings(Settings):
    """IPv4 blocks; they must not overlap.

    The defaults have room for 16,000 nodes, and are not fitted to the slices that there are: a range cannot change
    without another cluster. What is written is refused where the slices do not fit.
    """

    existing: ExistingNetwork | None = None
    """Take a network that exists, in place of one of the stack's own."""

    node_range: CidrBlock = "10.0.0.0/18"
    """Nodes: one address each."""
    pod_range: CidrBlock = "10.64.0.0/11"
    """Pods: GKE gives each node a block of it."""
    service_range: CidrBlock = "10.32.0.0/20"
    """Kubernetes services."""
    control_plane_range: Annotated[CidrBlock, AfterValidator(_slash_28)] = "172.16.0.32/28"
    """The /28 from which the control plane calls into the cluster."""
    second_nic_range: CidrBlock = "10.128.0.0/18"
    """Second NICs of hosts whose group has networking: secondNic, in a network of their own."""
    flow_logs: bool = False
    """Whether the flows of nodes and pods are logged: for audits, at a price."""

    @must_hold
    def _ranges_are_apart(self) -> Iterator[Fault]:
        blocks = {to_camel(name): ipaddress.IPv4Network(getattr(self, name)) for name in _RANGES}
        for (key, block), (other, other_block) in itertools.combinations(blocks.items(), 2):
            if block.overlaps(other_block):
                yield Fault((other,), f"{other_block} overlaps {key}, {block}")

    @must_hold
    def _are_of_one_network(self) -> Iterator[Fault]:
        for name in _OF_OWN_NETWORK & self.model_fields_set if self.existing else ():
            yield Fault((to_camel(name),), "is of the stack's own network, and network.existing names another")
