"""Address ranges of the cluster's network."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator

from pathways.settings.base import Fault, Settings, refused
from pathways.wording import quoted


def _cidr_block(text: str) -> str:
    try:
        block = ipaddress.IPv4Network(text)
    except ValueError:
        raise refused(f"{quoted(text)} is no IPv4 block such as 10.0.0.0/20") from None
    if not block.is_private:
        raise refused(f"{quoted(text)} is not a private IPv4 block (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16)")
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

    def faults(self) -> Iterator[Fault]:
        blocks = {key: ipaddress.IPv4Network(value) for key, value in self.model_dump(by_alias=True).items()}
        for (key, block), (other, other_block) in itertools.combinations(blocks.items(), 2):
            if block.overlaps(other_block):
                yield Fault((other,), f"{other_block} overlaps {key}, {block}")
