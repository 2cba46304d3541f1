"""Names of Cloud Storage buckets."""

from __future__ import annotations

import re

STAGING_BUCKET = "cloud-pathways-staging"
"""Google's own, in samples of PathwaysJobs; nobody else may write to it."""

MAX_LIFECYCLE_RULES = 50
"""How many prefixes with rules a bucket takes, Pathways' own among them (Google, "Port JAX workloads to Pathways")."""

SCRATCH_PERMISSIONS = (
    "storage.buckets.get",
    "storage.buckets.update",
    "storage.objects.create",
    "storage.objects.get",
    "storage.objects.list",
)
"""What Pathways does with its scratch location: it keeps compiled programs there and adds a lifecycle rule itself."""

CHECKPOINT_PERMISSIONS = (
    "storage.objects.create",
    "storage.objects.delete",
    "storage.objects.get",
    "storage.objects.list",
)
"""What a program does with its checkpoints; Orbax deletes old ones."""

_LEGAL = re.compile(r"[a-z0-9][-_a-z0-9.]{1,61}[a-z0-9]")
_PLACEHOLDER = re.compile(r"[<>{}$\[\]]|BUCKET|bucket[-_]name|(your|my)[-_]bucket", re.IGNORECASE)

_SAMPLES = frozenset(
    f"{whose}{what}"
    for whose in ("", "my-", "your-", "my_", "your_")
    for what in ("bucket", "gcs-bucket", "storage-bucket", "bucket-name", "bucket_name")
)
"""Names in samples that could exist, and are not the reader's."""


def bucket_name_fault(name: str) -> str | None:
    """Return what is wrong with a bucket's name, or None.

    Source: Google, Cloud Storage documentation, "About buckets", naming rules.
    """
    if name == STAGING_BUCKET:
        return "belongs to Google and takes no one's objects; name a bucket of yours"
    if name in _SAMPLES or (_PLACEHOLDER.search(name) and not _LEGAL.fullmatch(name)):
        return "is a placeholder; write the name of a bucket"
    if not _LEGAL.fullmatch(name):
        return "is no bucket name: 3 to 63 lower-case letters, digits, -, _ and ., a letter or digit at either end"
    if name.startswith("goog") or "google" in name:
        return 'is no bucket name: it must not begin with "goog" or contain "google"'
    return None
