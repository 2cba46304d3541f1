"""The right of Google Cloud's own agents to encrypt with a key."""

from dataclasses import dataclass

import pulumi
from pulumi_gcp import kms

AGENTS = {
    "gke": "container-engine-robot",
    "compute": "compute-system",
    "storage": "gs-project-accounts",
}
"""Domains of the service agents: GKE for the cluster's secrets, Compute Engine for disks, Cloud Storage for buckets.

Source: Google Cloud documentation, "Service agents".
"""

ROLE = "roles/cloudkms.cryptoKeyEncrypterDecrypter"


@dataclass(frozen=True)
class KeyAccessArgs:
    """key: its full path. project_number: of the project whose agents shall use it."""

    key: str
    project_number: str


class KeyAccess(pulumi.ComponentResource):
    """The use of one key for the service agents of one project; whatever is encrypted with it depends on this."""

    def __init__(self, name: str, args: KeyAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:KeyAccess", name, None, opts)
        for agent, domain in AGENTS.items():
            kms.CryptoKeyIAMMember(
                f"{name}-{agent}",
                crypto_key_id=args.key,
                role=ROLE,
                member=f"serviceAccount:service-{args.project_number}@{domain}.iam.gserviceaccount.com",
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({"key": args.key})
