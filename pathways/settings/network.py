"""Address ranges of the cluster's network."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator
from pydantic.alias_generators import to_camel

from pathways.settings.base import Fault, Settings, must_hold, refused
from pathways.wording import quoted

_SHARED = ipaddress.IPv4Network("100.64.0.0/10")
_USUAL = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", _SHARED)


def _cidr_block(text: str) -> str:
    try:
        block = ipaddress.IPv4Network(text)
    except ValueError:
        raise refused(f"{quoted(text)} is no IPv4 block such as 10.0.0.0/20") from None
    if not (block.is_private or block.subnet_of(_SHARED)):
        raise refused(f"{quoted(text)} is public; take a block of {', '.join(map(str, _USUAL))}")
    return text


def _slash_28(text: str) -> str:
    if not text.endswith("/28"):
        raise refused(f"{quoted(text)} must be a /28: GKE takes no other size for a control plane")
    return text


CidrBlock = Annotated[str, AfterValidator(_cidr_block)]


class NetworkSettings(Settings):
    """IPv4 blocks; they must not overlap. The defaults have room for 16,000 nodes."""

    node_range: CidrBlock = "10.0.0.0/18"
    """Nodes: one address each."""
    pod_range: CidrBlock = "10.64.0.0/11"
    """Pods: GKE gives each node a block of it."""
    service_range: CidrBlock = "10.32.0.0/20"
    """Kubernetes services."""
    control_plane_range: Annotated[CidrBlock, AfterValidator(_slash_28)] = "172.16.0.32/28"
    """The /28 from which the control plane calls into the cluster."""

    @must_hold
    def _ranges_are_apart(self) -> Iterator[Fault]:
        blocks = {to_camel(name): ipaddress.IPv4Network(text) for name, text in vars(self).items()}
        for (key, block), (other, other_block) in itertools.combinations(blocks.items(), 2):
            if block.overlaps(other_block):
                yield Fault((other,), f"{other_block} overlaps {key}, {block}")
