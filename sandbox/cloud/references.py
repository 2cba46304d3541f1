"""Which resources stand on which: a parent must exist, and one that is in use cannot be deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pathways.gcp.exceptions import BUCKET, CLUSTER, NODE_POOL, QUEUED_RESOURCE, SUBNETWORK
from sandbox.cloud.identities import Place, relative
from sandbox.cloud.refusal import Refusal, bad_request, not_found
from sandbox.cloud.store import Record, Store

NETWORK = "gcp:compute/network:Network"
ACCOUNT = "gcp:serviceaccount/account:Account"
ROUTER = "gcp:compute/router:Router"
ADDRESS = "gcp:compute/address:Address"
RESERVATION = "gcp:compute/reservation:Reservation"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
KEY_RING = "gcp:kms/keyRing:KeyRing"
CRYPTO_KEY = "gcp:kms/cryptoKey:CryptoKey"


def _resource_not_found(id: str) -> Refusal:
    return not_found(f"The resource '{id}' was not found")


def _gke_not_found(id: str) -> Refusal:
    return not_found(f"Not found: {id}.")


class Tie(Enum):
    """What becomes of two resources when the one that is named is to be deleted."""

    BLOCKS = "it cannot be deleted"
    PART = "the one that names it goes with it"
    LOOSE = "the other stays"


@dataclass(frozen=True)
class Reference:
    """A property that names another resource.

    pattern: id of a parent that is named without a link. tie: what the naming means for the parent's deletion.
    missing: what Google Cloud says when the parent is not there.
    """

    child: str
    property: str
    parent: str
    pattern: str
    tie: Tie
    missing: Callable[[str], Refusal]


_NETWORK_OF_TPU_VM = "tpu.nodeSpecs.node.networkConfig"
_SECOND_NICS = "networkConfig.additionalNodeNetworkConfigs"
_NETWORKS = "projects/{project}/global/networks/{value}"
_REGIONAL = "projects/{project}/regions/{region}/"

REFERENCES = (
    Reference(SUBNETWORK, "network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference("gcp:compute/firewall:Firewall", "network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference(ROUTER, "network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference(CLUSTER, "network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference(CLUSTER, "subnetwork", SUBNETWORK, f"{_REGIONAL}subnetworks/{{value}}", Tie.BLOCKS, _resource_not_found),
    Reference(ADDRESS, "subnetwork", SUBNETWORK, f"{_REGIONAL}subnetworks/{{value}}", Tie.BLOCKS, _resource_not_found),
    Reference(
        "gcp:compute/routerNat:RouterNat",
        "router",
        ROUTER,
        f"{_REGIONAL}routers/{{value}}",
        Tie.PART,
        _resource_not_found,
    ),
    Reference(
        "gcp:compute/routerNat:RouterNat",
        "natIps",
        ADDRESS,
        f"{_REGIONAL}addresses/{{value}}",
        Tie.BLOCKS,
        _resource_not_found,
    ),
    Reference(
        NODE_POOL,
        "cluster",
        CLUSTER,
        "projects/{project}/locations/{location}/clusters/{value}",
        Tie.PART,
        _gke_not_found,
    ),
    Reference(
        NODE_POOL,
        "placementPolicy.policyName",
        RESOURCE_POLICY,
        f"{_REGIONAL}resourcePolicies/{{value}}",
        Tie.BLOCKS,
        _resource_not_found,
    ),
    Reference(
        NODE_POOL,
        "nodeConfig.serviceAccount",
        ACCOUNT,
        "projects/{project}/serviceAccounts/{value}",
        Tie.LOOSE,
        lambda id: bad_request(f'Service account "{id.rpartition("/")[2]}" does not exist.'),
    ),
    Reference(NODE_POOL, f"{_SECOND_NICS}.network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference(
        NODE_POOL,
        f"{_SECOND_NICS}.subnetwork",
        SUBNETWORK,
        f"{_REGIONAL}subnetworks/{{value}}",
        Tie.BLOCKS,
        _resource_not_found,
    ),
    Reference(QUEUED_RESOURCE, f"{_NETWORK_OF_TPU_VM}.network", NETWORK, _NETWORKS, Tie.BLOCKS, _resource_not_found),
    Reference(
        QUEUED_RESOURCE,
        f"{_NETWORK_OF_TPU_VM}.subnetwork",
        SUBNETWORK,
        f"{_REGIONAL}subnetworks/{{value}}",
        Tie.BLOCKS,
        _resource_not_found,
    ),
    Reference(
        "gcp:storage/bucketIAMMember:BucketIAMMember",
        "bucket",
        BUCKET,
        "{value}",
        Tie.PART,
        lambda _: not_found("The specified bucket does not exist."),
    ),
    Reference(
        "gcp:serviceaccount/iAMMember:IAMMember",
        "serviceAccountId",
        ACCOUNT,
        "projects/{project}/serviceAccounts/{value}",
        Tie.PART,
        lambda id: not_found(f"Service account {id} does not exist."),
    ),
    Reference(CRYPTO_KEY, "keyRing", KEY_RING, "{value}", Tie.PART, lambda id: not_found(f"KeyRing {id} not found.")),
    Reference(
        "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
        "cryptoKeyId",
        CRYPTO_KEY,
        "{value}",
        Tie.PART,
        lambda id: not_found(f"CryptoKey {id} not found."),
    ),
)


def missing_parents(store: Store, record: Record, place: Place) -> Iterator[Refusal]:
    """What Google Cloud says of each parent that a resource names and that does not exist."""
    for reference in REFERENCES:
        if reference.child == record.type:
            for id in parent_ids(reference, record, place):
                if store.get(reference.parent, id) is None and not _is_elsewhere(reference, id, place):
                    yield reference.missing(id)


def users_of(store: Store, parent: Record) -> Iterator[Record]:
    """The resources that name this one and thereby keep it from being deleted."""
    return _naming(store, parent, Tie.BLOCKS)


def children_of(store: Store, parent: Record) -> Iterator[Record]:
    """The resources that go with this one when it is deleted."""
    return _naming(store, parent, Tie.PART)


def parent_ids(reference: Reference, record: Record, place: Place) -> list[str]:
    """The ids of what the property names, from links in full, in part, or bare names."""
    named = _values(record.properties, reference.property.split("."))
    return [_parent_id(reference, str(name), record, place) for name in named if name]


def _values(value: Any, path: list[str]) -> Iterator[Any]:
    """Yield what is at a path, in every item of the lists on the way."""
    if isinstance(value, list):
        for item in value:
            yield from _values(item, path)
    elif not path:
        yield value
    elif isinstance(value, dict):
        yield from _values(value.get(path[0]), path[1:])


def _parent_id(reference: Reference, value: str, record: Record, place: Place) -> str:
    link = relative(value)
    if link.startswith("projects/"):
        return link
    if reference.parent == BUCKET:
        return link.removeprefix("b/")
    location = str(record.properties.get("location") or place.zone or "")
    region = record.properties.get("region") or region_of(location) or place.region
    project = record.properties.get("project") or place.project
    return reference.pattern.format(project=project, region=region, location=location, value=link)


def region_of(location: str) -> str:
    """The region of a zone, or the region itself: "us-east5" of "us-east5-b"."""
    return "-".join(location.split("-")[:2])


def _naming(store: Store, parent: Record, tie: Tie) -> Iterator[Record]:
    for reference in REFERENCES:
        if reference.parent == parent.type and reference.tie is tie:
            for child in store.of_type(reference.child):
                if parent.id in parent_ids(reference, child, Place()):
                    yield child


def _is_elsewhere(reference: Reference, id: str, place: Place) -> bool:
    """Whether the parent is one that every project has, or belongs to a project that is not simulated."""
    parts = id.split("/")
    if parts[-1] == "default" and reference.parent in (NETWORK, SUBNETWORK, ACCOUNT):
        return True
    if reference.parent == ACCOUNT:
        return not parts[-1].endswith(f"@{place.project}.iam.gserviceaccount.com")
    return parts[0] == "projects" and parts[1] != place.project
