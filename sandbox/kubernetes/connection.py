"""The connection of the sandbox itself to its API server."""

from __future__ import annotations

import json
import ssl
from base64 import b64decode
from pathlib import Path

import httpx2
from lightkube import ApiError, Client, KubeConfig

_TIMEOUT = httpx2.Timeout(120.0)  # a machine that builds something else at the same time is slow


def connect(kubeconfig: Path) -> Client:
    """A client with the identity of a kubeconfig. The server is on this machine, so no proxy is asked."""
    return Client(config=KubeConfig.from_file(str(kubeconfig)).get(), timeout=_TIMEOUT, trust_env=False)


def prober(kubeconfig: Path) -> httpx2.Client:
    """A plain HTTP client for what is not an object, such as /readyz; the kubeconfig is one of our own."""
    written = json.loads(kubeconfig.read_text())
    cluster, user = written["clusters"][0]["cluster"], written["users"][0]["user"]
    authority = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
    headers = {"Authorization": f"Bearer {user['token']}"}
    return httpx2.Client(base_url=cluster["server"], headers=headers, verify=authority, timeout=5, trust_env=False)


def code_of(error: ApiError) -> int:
    """HTTP status of a refusal, 0 if the answer carries none."""
    return error.status.code or 0


NOT_FOUND = 404
CONFLICT = 409
TOO_MANY_REQUESTS = 429
