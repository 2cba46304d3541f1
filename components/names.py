"""Names that Google Cloud bounds in length."""

import hashlib

ACCOUNT_ID_LENGTH = 30
"""Longest id of a service account. Source: IAM API, projects.serviceAccounts.create."""

NODE_POOL_NAME_LENGTH = 40
"""Longest name of a node pool. Source: GKE API, NodePool.name."""

RESOURCE_NAME_LENGTH = 63
"""Longest name of a Compute Engine resource: one RFC 1035 label."""

_HASH_LENGTH = 6


def bounded(name: str, length: int) -> str:
    """Return `name` where it fits in `length` characters, else its beginning and a hash of the whole.

    The same name always gives the same result, and two long names with the same beginning stay apart.
    """
    if len(name) <= length:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_HASH_LENGTH]
    return f"{name[: length - _HASH_LENGTH - 1].rstrip('-')}-{digest}"
