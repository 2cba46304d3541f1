"""Stands for Kueue's API of pending workloads, and has none.

Kueue's chart declares the API. While no one answers for it, the API server's discovery is incomplete, and no namespace
can be deleted.
"""

from __future__ import annotations

import json
import ssl
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_PREFIX = "/apis/visibility.kueue.x-k8s.io/"


class VisibilityServer:
    """Answers on a loopback port for as long as this process lives."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: ThreadingHTTPServer | None = None

    def start(self, certificate: Path, key: Path) -> None:
        """Serves with a certificate, unless it serves already: the API server does not look at it."""
        if self._server is not None:
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), _Discovery)
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, name="visibility", daemon=True).start()


class _Discovery(BaseHTTPRequestHandler):
    """Says of each version that it has no resources."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        version = self.path.removeprefix(_PREFIX).partition("?")[0].strip("/")
        known = self.path.startswith(_PREFIX) and version and "/" not in version
        empty = {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": f"visibility.kueue.x-k8s.io/{version}",
            "resources": [],
        }
        body = json.dumps(empty).encode() if known else b""
        self.send_response(HTTPStatus.OK if known else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """The daemon's log is for what matters."""
