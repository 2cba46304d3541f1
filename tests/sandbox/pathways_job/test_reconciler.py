"""What the controller does for one PathwaysJob. A transport plays the API server and remembers what was written."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from lightkube import ApiError, Client
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, Context, User

from pathways.manifests import ControllerRefusal
from sandbox.pathways_job.reconciler import reconcile
from sandbox.pathways_job.status import ControllerPanic

JOB: dict[str, Any] = {
    "apiVersion": "pathways-job.pathways.domain/v1",
    "kind": "PathwaysJob",
    "metadata": {"name": "hello", "namespace": "team", "uid": "uid-of-hello", "resourceVersion": "7"},
    "spec": {
        "workers": [{"type": "ct6e-standard-4t", "topology": "4x4", "numSlices": 2, "maxSliceRestarts": 1}],
        "controller": {"deploymentMode": "default", "mainContainerName": "main"},
        "pathwaysDir": "gs://bucket/dir",
    },
}


def refusal(code: int, reason: str) -> httpx2.Response:
    return httpx2.Response(code, json={"kind": "Status", "code": code, "reason": reason, "message": reason})


class ApiServer:
    """Holds one PathwaysJob and answers for its JobSet as told."""

    def __init__(self, job: dict[str, Any] | None, jobset: Any, creation: httpx2.Response | None = None) -> None:
        self.job = job
        self.jobset = jobset
        self.creation = creation
        self.written: list[tuple[str, str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        kind = request.url.path.split("/namespaces/team/")[1]
        if request.method == "GET":
            held = self.job if kind.startswith("pathwaysjobs") else self.jobset
            if isinstance(held, httpx2.Response | Exception):
                return _raised(held)
            return refusal(404, "NotFound") if held is None else httpx2.Response(200, json=held)
        body = json.loads(request.content)
        self.written.append((request.method, kind, body))
        if request.method == "POST" and self.creation is not None:
            return self.creation
        return httpx2.Response(200, json=body)

    def client(self) -> Client:
        config = KubeConfig(
            clusters={"c": Cluster(server="http://api")},
            users={"u": User(token="t")},
            contexts={"x": Context(cluster="c", user="u")},
            current_context="x",
        )
        return Client(config=config.get(), transport=httpx2.MockTransport(self), trust_env=False)

    def reconcile(self) -> None:
        reconcile(self.client(), ("team", "hello"))


def _raised(answer: httpx2.Response | Exception) -> httpx2.Response:
    if isinstance(answer, Exception):
        raise answer
    return answer


def jobset(*conditions: dict[str, str]) -> dict[str, Any]:
    return {"metadata": {"name": "hello", "namespace": "team"}, "spec": {}, "status": {"conditions": list(conditions)}}


STARTED = {
    "type": "StartupPolicyCompleted",
    "status": "True",
    "reason": "Started",
    "message": "all started",
    "lastTransitionTime": "2026-08-01T10:00:00Z",
}


def test_a_pathways_job_without_a_jobset_gets_one_that_it_owns() -> None:
    server = ApiServer(JOB, None)
    server.reconcile()
    [(method, kind, made)] = server.written
    assert (method, kind) == ("POST", "jobsets")
    assert [job["name"] for job in made["spec"]["replicatedJobs"]] == ["pathways-head", "worker"]
    assert made["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "pathways-job.pathways.domain/v1",
            "kind": "PathwaysJob",
            "name": "hello",
            "uid": "uid-of-hello",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def test_a_jobset_that_exists_is_followed_and_never_written() -> None:
    server = ApiServer(JOB, jobset(STARTED))
    server.reconcile()
    [(method, kind, written)] = server.written
    assert (method, kind) == ("PUT", "pathwaysjobs/hello/status")
    assert [one["type"] for one in written["status"]["conditions"]] == ["Running"]


def test_a_jobset_that_says_nothing_changes_nothing() -> None:
    server = ApiServer(JOB, jobset())
    server.reconcile()
    assert server.written == []


def test_a_pathways_job_that_is_gone_is_left_alone() -> None:
    server = ApiServer(None, None)
    server.reconcile()
    assert server.written == []


def test_what_the_controller_refuses_is_failed_without_a_jobset_and_tried_again() -> None:
    worker = {**JOB["spec"]["workers"][0], "topology": "3x3"}
    server = ApiServer({**JOB, "spec": {**JOB["spec"], "workers": [worker]}}, None)
    with pytest.raises(ControllerRefusal):
        server.reconcile()
    [(method, kind, written)] = server.written
    assert (method, kind) == ("PUT", "pathwaysjobs/hello/status")
    assert written["status"] == {"terminalState": "Failed"}


def test_what_the_api_server_refuses_is_failed_and_tried_again() -> None:
    server = ApiServer(JOB, None, creation=refusal(422, "Invalid"))
    with pytest.raises(ApiError):
        server.reconcile()
    assert server.written[-1][2]["status"] == {"terminalState": "Failed"}


@pytest.mark.parametrize("trouble", [refusal(500, "InternalError"), httpx2.ConnectError("refused")])
def test_a_jobset_that_cannot_be_read_counts_as_absent_and_marks_a_healthy_job_failed(trouble: Any) -> None:
    server = ApiServer(JOB, trouble, creation=refusal(409, "AlreadyExists"))
    with pytest.raises(ApiError):
        server.reconcile()
    assert [(method, kind) for method, kind, _ in server.written] == [
        ("POST", "jobsets"),
        ("PUT", "pathwaysjobs/hello/status"),
    ]
    assert server.written[-1][2]["status"] == {"terminalState": "Failed"}


def test_a_jobset_that_was_deleted_after_the_end_is_made_again() -> None:
    ended = {**JOB, "status": {"terminalState": "Completed", "conditions": []}}
    server = ApiServer(ended, None)
    server.reconcile()
    assert [(method, kind) for method, kind, _ in server.written] == [("POST", "jobsets")]


def test_a_panic_writes_nothing() -> None:
    server = ApiServer(JOB, jobset({**STARTED, "type": "RestartingJobSet"}))
    with pytest.raises(ControllerPanic):
        server.reconcile()
    assert server.written == []
