"""Ids of resources: how Pulumi's id of each type is made from a resource's own properties and where it lives.

Source: the id formats in the provider's documentation of each resource. A node pool's is the form that its
documentation gives for imports; the long form is understood as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.cloud.refusal import Refusal

_COMPUTE = "https://www.googleapis.com/compute/v1/"
_CONTAINER = "https://container.googleapis.com/v1/"

ID_PATTERNS = {
    "gcp:binaryauthorization/policy:Policy": "projects/{project}",
    "gcp:compute/address:Address": "projects/{project}/regions/{region}/addresses/{name}",
    "gcp:compute/firewall:Firewall": "projects/{project}/global/firewalls/{name}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/reservation:Reservation": "projects/{project}/zones/{zone}/reservations/{name}",
    "gcp:compute/resourcePolicy:ResourcePolicy": "projects/{project}/regions/{region}/resourcePolicies/{name}",
    "gcp:compute/router:Router": "projects/{project}/regions/{region}/routers/{name}",
    "gcp:compute/routerNat:RouterNat": "{project}/{region}/{router}/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": "{project}/{location}/{cluster}/{name}",
    "gcp:kms/cryptoKey:CryptoKey": "{keyRing}/cryptoKeys/{name}",
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember": "{cryptoKeyId}/{role}/{member}",
    "gcp:kms/keyRing:KeyRing": "projects/{project}/locations/{location}/keyRings/{name}",
    "gcp:logging/metric:Metric": "{name}",
    "gcp:monitoring/alertPolicy:AlertPolicy": "projects/{project}/alertPolicies/{serial}",
    "gcp:monitoring/dashboard:Dashboard": "projects/{project}/dashboards/{serial}",
    "gcp:monitoring/notificationChannel:NotificationChannel": "projects/{project}/notificationChannels/{serial}",
    "gcp:projects/iAMCustomRole:IAMCustomRole": "projects/{project}/roles/{roleId}",
    "gcp:projects/iAMMember:IAMMember": "{project}/{role}/{member}",
    "gcp:projects/service:Service": "{project}/{service}",
    "gcp:serviceaccount/account:Account": (
        "projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com"
    ),
    "gcp:serviceaccount/iAMMember:IAMMember": "{serviceAccountId}/{role}/{member}",
    "gcp:storage/bucket:Bucket": "{name}",
    "gcp:storage/bucketIAMMember:BucketIAMMember": "b/{bucket}/{role}/{member}",
    "gcp:tpu/v2QueuedResource:V2QueuedResource": "projects/{project}/locations/{zone}/queuedResources/{name}",
    "gcp:tpu/v2Vm:V2Vm": "projects/{project}/locations/{zone}/nodes/{name}",
}

_SELF_LINKS = {
    "gcp:container/cluster:Cluster": _CONTAINER,
    "gcp:storage/bucket:Bucket": "https://www.googleapis.com/storage/v1/b/",
}

_BARE_NAMES = ("cluster", "router", "bucket", "region", "zone")
"""Properties that may hold a whole link though the id has the name alone."""

_LONG_NODE_POOL = re.compile(r"projects/([^/]+)/locations/([^/]+)/clusters/([^/]+)/nodePools/([^/]+)")


@dataclass(frozen=True)
class Place:
    """Where the provider is told to work, for resources that do not say it themselves."""

    project: str | None = None
    region: str | None = None
    zone: str | None = None

    def complete(self, type: str, inputs: Mapping[str, Any]) -> dict[str, str]:
        """project, region, zone and location of a resource, as far as its id needs them.

        Raises Refusal in the provider's words where neither the resource nor the provider says one.
        """
        region = inputs.get("region") or self.region or (self.zone and self.zone.rpartition("-")[0])
        found = {
            "project": inputs.get("project") or self.project,
            "region": region,
            "zone": inputs.get("zone") or self.zone,
            "location": inputs.get("location") or self.zone,
        }
        needed = [name for name in found if f"{{{name}}}" in ID_PATTERNS[type]]
        for name in needed:
            if not found[name]:
                raise _missing(name)
        return {name: _bare(name, str(found[name])) for name in needed}


def identifier(type: str, inputs: Mapping[str, Any], place: Place, serial: int) -> str:
    """The id that a resource with these inputs has. serial: for types that Google Cloud numbers. Raises Refusal."""
    values = {name: _bare(name, value) for name, value in inputs.items() if isinstance(value, str)}
    made: str = ID_PATTERNS[type].format_map({**values, **place.complete(type, inputs), "serial": str(10**15 + serial)})
    condition = inputs.get("condition")
    return f"{made}/{condition['title']}" if isinstance(condition, dict) and "title" in condition else made


def identifying_inputs(type: str) -> set[str]:
    """The inputs from which the id of a type is made; empty where Google Cloud numbers the resources."""
    pattern = ID_PATTERNS[type]
    return set() if "{serial}" in pattern else set(re.findall(r"{(\w+)}", pattern))


def normalised(type: str, id: str) -> str:
    """The id in the form that is used here, from any of the forms that imports accept."""
    if type == "gcp:container/nodePool:NodePool":
        long = _LONG_NODE_POOL.fullmatch(id)
        return "/".join(long.groups()) if long else id
    if type.endswith("IAMMember"):
        return id.replace(" ", "/")
    return relative(id)


def relative(link: str) -> str:
    """A link without the address of its API."""
    return re.sub(r"^https://[^/]+/(?:compute/|container/|storage/)?v\d\w*/", "", link)


def self_link(type: str, id: str) -> str:
    return _SELF_LINKS.get(type, _COMPUTE) + id


def _bare(name: str, value: str) -> str:
    return value.rstrip("/").rpartition("/")[2] if name in _BARE_NAMES else value


def _missing(name: str) -> Refusal:
    if name == "project":
        return Refusal("project: required field is not set")
    if name in ("zone", "location"):
        return Refusal("Cannot determine zone: set in this resource, or set provider-level zone.")
    return Refusal("Cannot determine region: set in this resource, or set provider-level 'region' or 'zone'.")
