"""Where the provider does something else than its declarations say."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
BUCKET = "gcp:storage/bucket:Bucket"
QUEUED_RESOURCE = "gcp:tpu/v2QueuedResource:V2QueuedResource"

Plain = tuple[str, ...]
"""A path without the positions in lists."""

SILENTLY_IGNORED: dict[str, frozenset[Plain]] = {
    NODE_POOL: frozenset({("placementPolicy", "type"), ("placementPolicy", "tpuTopology")}),
}
"""Neither ForceNew nor sent: the plan says update, the provider sends nothing, the old value is read back.

Source: resource_container_node_pool.go, google-beta 93c65b2: placement_policy is ForceNew as a block and by
policy_name, and nodePoolUpdate has no branch for it.
"""

_REFUSED: dict[tuple[str, Plain], str] = {
    (SUBNETWORK, ("secondaryIpRanges", "ipCidrRange")): "Existing secondary range cannot be modified",
}
"""What the provider sends and Google Cloud refuses, always, in its words.

Source: hashicorp/terraform-provider-kubernetes#565, and a comment in hashicorp/terraform-provider-google#2570.
"""


def refusal_of(token: str, path: Plain) -> str:
    """Return what Google Cloud answers to a change at that path; "" where it can be made."""
    return _REFUSED.get((token, path), "")


def is_replaced(token: str, path: Plain, old: Any, new: Any) -> bool:
    """Whether this change replaces the resource though the property is not declared ForceNew.

    Source: customdiff functions of resource_container_cluster.go and of google_compute_subnetwork.
    """
    rule = _REPLACING.get((token, path))
    return rule is not None and rule(old, new)


def is_equivalent(token: str, path: Plain, old: Any, new: Any) -> bool:
    """Whether the provider takes two different values for the same.

    Source: DiffSuppressFunc of the properties in the same files: locations of buckets in any case, links
    to resources in full or in part, labels that GKE adds with the prefix goog-gke.
    """
    if token == BUCKET and path == ("location",):
        return isinstance(old, str) and isinstance(new, str) and old.upper() == new.upper()
    if path[-2:-1] == ("resourceLabels",) and path[-1].startswith("goog-gke"):
        return new is None
    return path[-1] in _LINKS and isinstance(old, str) and isinstance(new, str) and _same_link(old, new)


def _turned_off(old: Any, new: Any) -> bool:
    return bool(old) and not new


def _shrunk(old: Any, new: Any) -> bool:
    """Whether a new address range leaves some of the old one out."""
    try:
        return not ipaddress.ip_network(old).subnet_of(ipaddress.ip_network(new))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return True


_REPLACING: dict[tuple[str, Plain], Callable[[Any, Any], bool]] = {
    (CLUSTER, ("enableL4IlbSubsetting",)): _turned_off,
    (CLUSTER, ("enableFqdnNetworkPolicy",)): _turned_off,
    (SUBNETWORK, ("ipCidrRange",)): _shrunk,
}

_LINKS = frozenset({"network", "subnetwork", "router", "cluster", "region", "zone", "policyName", "keyRing", "bucket"})


def _same_link(one: str, other: str) -> bool:
    """Links agree when the shorter is a tail of the longer: "main" and "projects/p/global/networks/main"."""
    first, second = sorted((one.strip("/").split("/"), other.strip("/").split("/")), key=len)
    return second[len(second) - len(first) :] == first
