"""The process of the PathwaysJob controller.

Run as `python -m sandbox.pathways_job.controller --kubeconfig FILE --health-port PORT`. It watches PathwaysJobs and the
JobSets that they own, and brings each in line, one at a time.
"""

from __future__ import annotations

import argparse
import logging
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn

from lightkube import Client

from sandbox.kubernetes.connection import connect
from sandbox.kubernetes.watch import ALL_NAMESPACES, changes
from sandbox.pathways_job.reconciler import JobSet, PathwaysJob, reconcile
from sandbox.pathways_job.work_queue import Key, WorkQueue

_log = logging.getLogger("pathways-job")


def main() -> None:
    parser = argparse.ArgumentParser(prog="sandbox.pathways_job.controller")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--health-port", type=int, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    client = connect(arguments.kubeconfig)
    _serve_health(arguments.health_port)
    run(client)


def run(client: Client) -> NoReturn:
    """Works until the process ends; a PathwaysJob that fails comes again, ever later."""
    forever = threading.Event()
    queue = WorkQueue()
    for kind, key_of in ((PathwaysJob, _key), (JobSet, _owner_key)):
        threading.Thread(target=_feed, args=(client, kind, key_of, queue, forever), daemon=True).start()
    while True:
        key = queue.take()
        try:
            reconcile(client, key)
        except Exception as error:  # as the original, which survives even its own panics
            delay = queue.failed(key)
            _log.error("%s/%s is tried again in %.3f s: %s: %s", *key, delay, type(error).__name__, error)
        else:
            queue.succeeded(key)


def _feed(
    client: Client, kind: Any, key_of: Callable[[Any], Key | None], queue: WorkQueue, stop: threading.Event
) -> None:
    for change in changes(client, kind, namespace=ALL_NAMESPACES, stop=stop):
        key = key_of(change.object)
        if key is not None:
            queue.add(key)


def _key(job: Any) -> Key:
    return job["metadata"]["namespace"], job["metadata"]["name"]


def _owner_key(jobset: Any) -> Key | None:
    """The PathwaysJob that a JobSet belongs to, if it belongs to one."""
    for owner in jobset["metadata"].get("ownerReferences", []):
        if owner["kind"] == "PathwaysJob" and owner.get("controller"):
            return jobset["metadata"]["namespace"], owner["name"]
    return None


def _serve_health(port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), _Health)
    threading.Thread(target=server.serve_forever, name="health", daemon=True).start()


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path in ("/healthz", "/readyz") else 404)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Probes are not worth a line each."""


if __name__ == "__main__":
    main()
