"""What a stack finds in Google Cloud, as its settings say, and did not make: in a sandbox somebody has to make it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pathways.settings import StackSettings
from sandbox.cloud.console import Console

Given = tuple[str, dict[str, Any]]


def provide(settings: StackSettings, port: int) -> None:
    """Make, at the simulated cloud on a loopback port, what is not there yet. Raises grpc.RpcError."""
    wanted = list(_given(settings))
    if wanted:
        with Console(port) as console:
            for type_, inputs in wanted:
                console.make(type_, inputs)


def _given(settings: StackSettings) -> Iterator[Given]:
    if settings.encryption:
        yield from _key(settings.encryption.key)
    if settings.cluster.existing:
        yield from _cluster(settings)
    elif settings.network.existing:
        there = settings.network.existing
        ranges = {there.pod_range: "10.64.0.0/11", there.service_range: "10.32.0.0/20"}
        yield from _network(there.project or settings.project, settings, there.network, there.subnetwork, ranges)


def _key(path: str) -> Iterator[Given]:
    _, project, _, location, _, ring, _, key = path.split("/")
    ring_path = f"projects/{project}/locations/{location}/keyRings/{ring}"
    yield "gcp:kms/keyRing:KeyRing", {"name": ring, "location": location, "project": project}
    yield "gcp:kms/cryptoKey:CryptoKey", {"name": key, "keyRing": ring_path}


def _network(
    project: str, settings: StackSettings, network: str, subnetwork: str, ranges: dict[str, str]
) -> Iterator[Given]:
    """A network with one subnetwork, large enough for any stack. ranges: blocks of its secondary ranges, by name."""
    yield "gcp:compute/network:Network", {"name": network, "project": project, "autoCreateSubnetworks": False}
    yield (
        "gcp:compute/subnetwork:Subnetwork",
        {
            "name": subnetwork,
            "project": project,
            "region": settings.region,
            "network": f"projects/{project}/global/networks/{network}",
            "ipCidrRange": "10.0.0.0/18",
            "secondaryIpRanges": [{"rangeName": name, "ipCidrRange": block} for name, block in ranges.items()],
        },
    )


def _cluster(settings: StackSettings) -> Iterator[Given]:
    name, project = settings.cluster.name, settings.project
    ranges = {"pods": "10.64.0.0/11", "services": "10.32.0.0/20"}
    yield from _network(project, settings, name, name, ranges)
    yield (
        "gcp:container/cluster:Cluster",
        {
            "name": name,
            "project": project,
            "location": settings.cluster_location,
            "network": f"projects/{project}/global/networks/{name}",
            "subnetwork": f"projects/{project}/regions/{settings.region}/subnetworks/{name}",
            "initialNodeCount": 1,
            "networkingMode": "VPC_NATIVE",
            "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"},
            "workloadIdentityConfig": {"workloadPool": f"{project}.svc.id.goog"},
            "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"allowExternalTraffic": True}},
        },
    )
