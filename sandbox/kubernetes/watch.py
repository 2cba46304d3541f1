"""What happens to the objects of one kind, across lost connections and expired histories."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import msgspec
from lightkube import Client

ALL_NAMESPACES = "*"
SERVER_TIMEOUT_SECONDS = 300
RETRY_SECONDS = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """An object as it is now, or, where `gone`, as it was last."""

    object: Any
    gone: bool = False


def changes(client: Client, kind: type[Any], *, namespace: str | None, stop: threading.Event) -> Iterator[Change]:
    """Yields every object of a kind, then every change to one, until `stop` is set.

    namespace: of namespaced kinds, or ALL_NAMESPACES. After an interruption all objects come again, and those that
    vanished meanwhile come as gone: a consumer must bear repetition, and misses no end.
    """
    known: dict[str, Any] = {}
    while not stop.is_set():
        try:
            listed = client.list(kind, namespace=namespace)
            present = {one.metadata.uid: one for one in listed}
            vanished = [one for uid, one in known.items() if uid not in present]
            known = present
            yield from (Change(one, gone=True) for one in vanished)
            yield from (Change(one) for one in present.values())
            for change in _follow(client, kind, namespace, listed.resourceVersion):
                if change.gone:
                    known.pop(change.object.metadata.uid, None)
                else:
                    known[change.object.metadata.uid] = change.object
                yield change
        except (httpx2.HTTPError, msgspec.MsgspecError, OSError) as error:
            if not stop.is_set():
                _log.debug("watch of %s is taken up again: %s", kind.__name__, error)
        stop.wait(RETRY_SECONDS)


def _follow(client: Client, kind: type[Any], namespace: str | None, version: str) -> Iterator[Change]:
    """Changes after a version of the list; ends with an exception, such as that of an expired version (410)."""
    watched = client.watch(kind, namespace=namespace, resource_version=version, server_timeout=SERVER_TIMEOUT_SECONDS)
    for event, changed in watched:
        yield Change(changed, gone=event == "DELETED")
