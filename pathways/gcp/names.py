"""What Google Cloud and the provider let a resource be called."""

from __future__ import annotations

import re

_COMPUTE_NAME = r"^(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)$"

_PATTERNS = {
    "gcp:serviceaccount/account:Account": r"^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])$",
    "gcp:projects/iAMCustomRole:IAMCustomRole": r"^[a-zA-Z0-9_\.]{3,64}$",
    "gcp:storage/bucket:Bucket": r"^[a-z0-9](?:[-_.a-z0-9]{1,61}[a-z0-9])$",
    "gcp:kms/keyRing:KeyRing": r"^[a-zA-Z0-9_-]{1,63}$",
    "gcp:kms/cryptoKey:CryptoKey": r"^[a-zA-Z0-9_-]{1,63}$",
    **dict.fromkeys(
        (
            "gcp:compute/address:Address",
            "gcp:compute/firewall:Firewall",
            "gcp:compute/network:Network",
            "gcp:compute/reservation:Reservation",
            "gcp:compute/resourcePolicy:ResourcePolicy",
            "gcp:compute/router:Router",
            "gcp:compute/routerNat:RouterNat",
            "gcp:compute/subnetwork:Subnetwork",
        ),
        _COMPUTE_NAME,
    ),
}

_GKE_NAME = re.compile(r"^[a-z](?:[-a-z0-9]*[a-z0-9])?$")
_GKE_LENGTH = 40
_GKE = ("gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool")


def name_problem(token: str, name: str) -> str | None:
    """What is wrong with the name that a resource of this type is given; None where it is legal.

    Sources: provider resources google_container_cluster (40 characters, lower case), google_service_account,
    google_compute_*, google_kms_*; Cloud Storage's bucket naming rules; custom role ids of IAM.
    """
    if token in _GKE:
        if len(name) > _GKE_LENGTH:
            return f'"name" cannot be longer than {_GKE_LENGTH} characters ("{name}" has {len(name)}).'
        if not _GKE_NAME.match(name):
            return f'"name" can only contain lowercase alphanumerics and hyphens, got "{name}".'
    elif token in _PATTERNS and not re.match(_PATTERNS[token], name):
        return f'"{name}" doesn\'t match regexp "{_PATTERNS[token]}".'
    return None
