"""Who may talk to the API server: one token for each component, and the kubeconfigs that carry them."""

from __future__ import annotations

import base64
import csv
import io
import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from sandbox.control_plane.private_files import write_private

TOKENS = "tokens.csv"
EXEC_CREDENTIAL = "credential.json"


@dataclass(frozen=True)
class User:
    """A user of the API server. name and group: as RBAC sees them."""

    name: str
    group: str


# The controller manager runs all its controllers as one user, so it needs all their rights.
USERS = {
    "admin": User("sandbox-admin", "system:masters"),
    "controller-manager": User("system:kube-controller-manager", "system:masters"),
    "scheduler": User("system:kube-scheduler", "system:authenticated"),
    "kwok": User("sandbox-kwok", "system:masters"),
}


def create_credentials(folder: Path, server: str, authority: bytes) -> None:
    """Writes the API server's token file and a kubeconfig for each user, unless they are there.

    The administrator's token also goes into the answer of the engine's credential plugin.
    server: URL of the API server. authority: its certificate authority, PEM.
    """
    if (folder / TOKENS).exists():
        return
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    for key, user in USERS.items():
        token = secrets.token_urlsafe(32)
        rows.writerow([token, user.name, key, user.group])
        write_private(kubeconfig(folder, key), kubeconfig_text(server, authority, token))
        if key == "admin":
            write_private(folder / EXEC_CREDENTIAL, _exec_credential(token))
    write_private(folder / TOKENS, table.getvalue())


def kubeconfig(folder: Path, user: str) -> Path:
    """Where the kubeconfig of a user of USERS lies."""
    return folder / f"{user}.kubeconfig"


def kubeconfig_text(server: str, authority: bytes, token: str, namespace: str = "default") -> str:
    """A kubeconfig with one context; JSON, which every reader of YAML takes."""
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority).decode()}
    context = {"cluster": "sandbox", "user": "sandbox", "namespace": namespace}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "sandbox", "cluster": cluster}],
            "users": [{"name": "sandbox", "user": {"token": token}}],
            "contexts": [{"name": "sandbox", "context": context}],
            "current-context": "sandbox",
        },
        indent=1,
    )


def _exec_credential(token: str) -> str:
    """The administrator's token as a credential plugin answers with it."""
    version = "client.authentication.k8s.io/v1beta1"
    return json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": {"token": token}})
