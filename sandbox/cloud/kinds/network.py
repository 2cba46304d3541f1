"""VPC networks, subnetworks and what belongs to them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pathways.gcp import Change, format_path, refusal_of
from sandbox.cloud.identities import Place
from sandbox.cloud.kinds.base import Kind, Minutes, Site
from sandbox.cloud.readback import fill
from sandbox.cloud.refusal import google
from sandbox.cloud.store import Record


class Network(Kind):
    token = "gcp:compute/network:Network"
    label = "Network"
    minutes = Minutes(create=0.2, delete=0.2)

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {
                "gatewayIpv4": "",
                "mtu": 1460,
                "networkId": str(4 * 10**18 + record.serial),
                "numericId": str(4 * 10**18 + record.serial),
                "routingMode": "REGIONAL",
                "bgpBestPathSelectionMode": "LEGACY",
            },
        )


class Subnetwork(Kind):
    token = "gcp:compute/subnetwork:Subnetwork"
    label = "Subnetwork"
    minutes = Minutes(create=0.2, delete=0.2)

    def admit_creation(self, site: Site, record: Record, place: Place) -> None:
        super().admit_creation(site, record, place)
        self._refuse_overlaps(site, record)

    def admit_update(self, site: Site, record: Record, draft: Record, changes: Sequence[Change]) -> None:
        for change in changes:
            answer = refusal_of(self.token, tuple(step for step in change.path if isinstance(step, str)))
            if answer:
                where = f"resource.{format_path(change.path)}"
                raise google(
                    400, f"Invalid value for field '{where}': '{change.new}'. {answer}: {change.new}.", "invalid"
                )
        self._refuse_overlaps(site, draft)

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {
                "privateIpGoogleAccess": False,
                "privateIpv6GoogleAccess": "DISABLE_GOOGLE_ACCESS",
                "purpose": "PRIVATE",
                "stackType": "IPV4_ONLY",
                "state": "READY",
                "secondaryIpRanges": [],
                "subnetworkId": 5 * 10**12 + record.serial,
            },
        )
        cidr = record.properties.get("ipCidrRange")
        if cidr:
            record.properties["gatewayAddress"] = str(next(ipaddress.ip_network(cidr).hosts()))

    def _refuse_overlaps(self, site: Site, record: Record) -> None:
        for other in site.store.of_type(self.token):
            if other.id == record.id or other.properties["network"] != record.properties["network"]:
                continue
            for mine in _ranges(record.properties):
                if any(mine.overlaps(theirs) for theirs in _ranges(other.properties)):
                    raise google(
                        400,
                        f"Invalid value for field 'resource.ipCidrRange': '{mine}'. Invalid IPCidrRange: {mine} "
                        f"conflicts with existing subnetwork '{self.name_of(other.properties)}' in region "
                        f"'{other.properties['region']}'.",
                        "invalid",
                    )


def _ranges(properties: Mapping[str, Any]) -> Iterator[ipaddress.IPv4Network]:
    secondary = [item.get("ipCidrRange") for item in properties.get("secondaryIpRanges") or []]
    for cidr in [properties.get("ipCidrRange"), *secondary]:
        if cidr:
            yield ipaddress.IPv4Network(cidr)


class Firewall(Kind):
    token = "gcp:compute/firewall:Firewall"
    label = "Firewall"

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(record.properties, {"direction": "INGRESS", "destinationRanges": [], "enableLogging": False})


class Router(Kind):
    token = "gcp:compute/router:Router"
    label = "Router"


class RouterNat(Kind):
    token = "gcp:compute/routerNat:RouterNat"
    label = "RouterNat"

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {
                "autoNetworkTier": "PREMIUM",
                "enableDynamicPortAllocation": False,
                "enableEndpointIndependentMapping": False,
                "endpointTypes": ["ENDPOINT_TYPE_VM"],
                "minPortsPerVm": 0,
                "natIps": [],
            },
        )


class Address(Kind):
    token = "gcp:compute/address:Address"
    label = "Address"

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        fill(
            record.properties,
            {
                "address": str(ipaddress.IPv4Address("198.51.100.0") + record.serial % 256),
                "addressId": str(7 * 10**15 + record.serial),
                "networkTier": "PREMIUM",
                "purpose": "",
                "users": [],
            },
        )


class Reservation(Kind):
    token = "gcp:compute/reservation:Reservation"
    label = "Reservation"

    def describe(self, site: Site, record: Record, place: Place) -> None:
        super().describe(site, record, place)
        count = record.properties["specificReservation"]["count"]
        fill(
            record.properties,
            {
                "commitment": "",
                "kind": "compute#reservation",
                "status": "READY",
                "satisfiesPzs": False,
                "specificReservation": {"assuredCount": count, "inUseCount": 0},
            },
        )


class ResourcePolicy(Kind):
    token = "gcp:compute/resourcePolicy:ResourcePolicy"
    label = "ResourcePolicy"
