"""A watch misses no object's end, whatever becomes of its connection. The API server is played by a transport."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from lightkube import Client
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, Context, User
from lightkube.resources.core_v1 import Pod

from sandbox.kubernetes import watch
from sandbox.kubernetes.watch import ALL_NAMESPACES, changes


def pod(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "team", "uid": f"uid-{name}", "resourceVersion": "1"}}


def event(kind: str, thing: dict[str, Any]) -> str:
    return json.dumps({"type": kind, "object": thing}) + "\n"


class ApiServer:
    """Answers each list and each watch with the next thing it was given; when they run out, the test is over."""

    def __init__(self, stop: threading.Event, lists: list[list[str]], watches: list[Any]) -> None:
        self.stop = stop
        self.lists = iter(lists)
        self.watches = iter(watches)
        self.versions: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if "watch" not in request.url.params:
            items = [pod(name) for name in next(self.lists)]
            return httpx2.Response(200, json={"items": items, "metadata": {"resourceVersion": "41"}})
        self.versions.append(request.url.params["resourceVersion"])
        answer = next(self.watches, None)
        if answer is None:
            self.stop.set()
            raise httpx2.ConnectError("the API server is gone")
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else httpx2.Response(200, text="".join(answer))


def seen(lists: list[list[str]], watches: list[Any]) -> tuple[list[tuple[str, bool]], ApiServer]:
    stop = threading.Event()
    server = ApiServer(stop, lists, watches)
    config = KubeConfig(
        clusters={"c": Cluster(server="http://api")},
        users={"u": User(token="t")},
        contexts={"x": Context(cluster="c", user="u")},
        current_context="x",
    )
    client = Client(config=config.get(), transport=httpx2.MockTransport(server), trust_env=False)
    found: Iterator[watch.Change] = changes(client, Pod, namespace=ALL_NAMESPACES, stop=stop)
    return [(change.object.metadata.name, change.gone) for change in found], server


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.0)


def test_what_exists_comes_first_and_changes_follow_from_that_version() -> None:
    changed, server = seen([["a"]], [[event("ADDED", pod("b")), event("DELETED", pod("a"))]])
    assert changed == [("a", False), ("b", False), ("a", True)]
    assert server.versions[0] == "41"


EXPIRED = event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"})


@pytest.mark.parametrize(
    "interruption",
    [
        pytest.param([EXPIRED], id="history expired"),
        pytest.param(httpx2.Response(410, json={"kind": "Status", "code": 410, "message": "gone"}), id="refused"),
        pytest.param(httpx2.ConnectError("connection refused"), id="server restarts"),
        pytest.param([event("ADDED", pod("c")), '{"type": "ADDED", "obj'], id="cut in the middle"),
    ],
)
def test_after_an_interruption_what_vanished_meanwhile_comes_as_gone(interruption: Any) -> None:
    changed, _ = seen([["a", "b"], ["b"]], [interruption])
    last = dict(changed)
    assert last["a"] is True
    assert last["b"] is False
