"""The GKE cluster."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from pathways.gke import CONCURRENT_OPERATIONS
from pathways.settings.base import (
    NAME,
    RBAC_GROUP,
    REGION_OR_ZONE,
    Fault,
    Settings,
    Text,
    defaults,
    must_hold,
    refused,
)
from pathways.settings.maintenance import MaintenanceSettings
from pathways.settings.network import is_private
from pathways.wording import quoted


def _network(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError:
        raise refused(f"{quoted(text)} is no IPv4 block such as 203.0.113.0/24") from None
    if network.prefixlen == 0:
        raise refused(f"{quoted(text)} is everyone; name the networks that people and pipelines are in")
    return text


_OF_EXISTING = {"name", "existing", "dns_endpoint", "deletion_protection", "concurrent_operations"}


class ExistingCluster(Settings):
    """A cluster that someone else made and keeps: the stack reads it, and adds node pools, the bucket and jobs."""

    location: Annotated[str, Field(pattern=REGION_OR_ZONE)] | None = None
    """Region, or zone, of its control plane; absent: the region of the stack's zone."""


MOST_OPERATIONS = 32
"""As many as a large machine's engine does at once: four for each of its processors."""


class ClusterSettings(Settings):
    """The cluster that holds slices and heads. All of it has a default."""

    name: Annotated[str, Field(pattern=NAME, max_length=40)] = ""
    """Name of the cluster; absent: pathways-STACK."""
    existing: ExistingCluster | None = None
    """Take a cluster that exists, of that name, in place of one of the stack's own: existing: {}."""
    release_channel: Literal["rapid", "regular", "stable"] = "regular"
    """GKE release channel."""
    maintenance: MaintenanceSettings = defaults(MaintenanceSettings)
    dns_endpoint: bool = True
    """Whether the control plane has a DNS endpoint, which IAM guards."""
    authorized_networks: dict[Text, Annotated[str, AfterValidator(_network)]] = {}  # noqa: RUF012
    """Networks that reach the control plane by its address: name and IPv4 block; absent: no address is open. It is a
    private one where all of them are."""
    binary_authorization: bool = False
    """Whether the project's policy decides which images run. It must admit the images of jobs,
    us-docker.pkg.dev/cloud-tpu-v2-images and registry.k8s.io."""
    security_posture: Literal["off", "basic", "enterprise"] = "basic"
    """GKE's security posture dashboard: audits of how workloads are configured."""
    rbac_group: Annotated[str, Field(pattern=RBAC_GROUP)] | None = None
    """Google Group whose member groups can be named in RBAC: gke-security-groups@DOMAIN."""
    deletion_protection: bool = True
    """Whether GKE and the engine refuse to delete the cluster; absent: in prod."""
    concurrent_operations: Annotated[int, Field(ge=1, le=MOST_OPERATIONS)] = CONCURRENT_OPERATIONS - 1
    """Node pools that are created, changed or deleted at once. GKE takes 5 operations on a cluster; absent: 4, which
    leaves one for what else happens to it."""

    @must_hold
    def _can_be_reached(self) -> Iterator[Fault]:
        if not self.dns_endpoint and not self.authorized_networks:
            yield Fault(("dnsEndpoint",), "is false, and authorizedNetworks names none: no one could reach the cluster")

    @must_hold
    def _is_of_others(self) -> Iterator[Fault]:
        """What a cluster that exists is, its owner has decided."""
        for name in sorted(self.model_fields_set - _OF_EXISTING) if self.existing else ():
            yield Fault((to_camel(name),), "is decided by whoever made the cluster that existing names")

    @property
    def has_public_address(self) -> bool:
        """Whether some authorised network is outside private address space."""
        return not all(is_private(ipaddress.IPv4Network(block)) for block in self.authorized_networks.values())
