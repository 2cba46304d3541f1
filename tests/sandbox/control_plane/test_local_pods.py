"""What a kubelet of ours reports of a process, and how it prepares the JobSet controller."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from lightkube.resources.core_v1 import Pod

from sandbox.control_plane import images
from sandbox.control_plane.images import container_running
from sandbox.control_plane.jobset import JobSetController
from sandbox.control_plane.local_controller import CannotStart
from sandbox.control_plane.local_pod import Refusal, Sighting, pod_status
from sandbox.control_plane.processes import ProcessState
from sandbox.toolchain import ToolchainError

NOW = datetime(2026, 8, 1, 10, tzinfo=UTC)
ADDRESSES = {"host": "10.0.0.5", "pod": "10.245.0.1"}


def pod(image: str = "registry.k8s.io/jobset/jobset:v0.11.1") -> Pod:
    return msgspec.convert(
        {
            "metadata": {
                "name": "jobset-controller-5d9c-x7",
                "namespace": "jobset-system",
            },
            "spec": {
                "containers": [
                    {
                        "name": "controller",
                        "image": image,
                        "args": ["--zap-log-level=2", "--config=/controller_manager_config.yaml"],
                    }
                ]
            },
        },
        Pod,
    )


def status(seen: Sighting) -> dict[str, Any]:
    return pod_status(pod(), seen, ADDRESSES, NOW)


def conditions(seen: Sighting) -> dict[str, str]:
    return {one["type"]: one["status"] for one in status(seen)["conditions"]}


RUNNING = ProcessState("jobset", 42, alive=True, restarts=0)
DEAD = ProcessState("jobset", 42, alive=False, restarts=3)


def test_a_pod_is_ready_only_when_its_probe_passes() -> None:
    assert conditions(Sighting(RUNNING, ready=False))["Ready"] == "False"
    assert conditions(Sighting(RUNNING, ready=True))["Ready"] == "True"


def test_a_pod_whose_process_died_backs_off_and_counts() -> None:
    [container] = status(Sighting(DEAD, ready=False))["containerStatuses"]
    assert container["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert (container["restartCount"], container["ready"]) == (3, False)


def test_a_pod_that_cannot_start_stays_pending_and_says_why() -> None:
    seen = Sighting(None, ready=False, refusal=Refusal("ErrImagePull", "no such version"))
    reported = status(seen)
    assert reported["phase"] == "Pending"
    assert reported["containerStatuses"][0]["state"]["waiting"] == {
        "reason": "ErrImagePull",
        "message": "no such version",
    }


@pytest.mark.parametrize(
    ("image", "program", "version"),
    [
        ("registry.k8s.io/jobset/jobset:v0.12.0", "jobset/jobset", "0.12.0"),
        ("localhost:5000/mirror/jobset/jobset:0.11.1", "jobset/jobset", "0.11.1"),
        ("registry.k8s.io/jobset/jobset:v0.11.1@sha256:abc", "jobset/jobset", "0.11.1"),
        ("localhost:5000/jobset", "localhost:5000/jobset", ""),
        ("python:3.13", "python", "3.13"),
    ],
)
def test_an_image_names_a_program_and_its_version(image: str, program: str, version: str) -> None:
    assert (images.program(image), images.version(image)) == (program, version)


def test_a_pod_without_an_image_of_the_program_is_not_its() -> None:
    assert container_running(pod(), "jobset/jobset") is not None
    assert container_running(pod("python:3.13"), "jobset/jobset") is None


class OldToolchain:
    """Has JobSet 0.11.1 and nothing else."""

    def path(self, name: str) -> Path:
        if name != "jobset-0.11.1":
            raise ToolchainError(f"{name} is not among the programs")
        return Path("/programs/jobset")


class Files:
    """A pod's files as the API server would give them, the certificate not made yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: str) -> Path:
        (self.folder / name).write_text(content)
        return self.folder / name

    def kubeconfig(self, _pod: Pod) -> Path:
        return self.folder / "kubeconfig"

    def config_map(self, _pod: Pod, _volume: str) -> dict[str, str]:
        configuration = {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "leaderElection": {"leaderElect": True},
            "clientConnection": {"qps": 500, "burst": 500},
            "internalCertManagement": {"enable": True, "webhookSecretName": "jobset-webhook-server-cert"},
            "featureGates": {"RestartJob": True},
        }
        return {"controller_manager_config.yaml": yaml.safe_dump(configuration)}

    def mount_secret(self, *_: Any) -> None:
        return None


@pytest.fixture(autouse=True)
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.control_plane.jobset._GATE", tmp_path / "gate")


def test_jobset_runs_with_its_charts_configuration_bound_to_this_machine(tmp_path: Path) -> None:
    controller = JobSetController(OldToolchain(), {"jobset_webhook": 40001, "jobset_health": 40002})
    program = controller.program(pod(), Files(tmp_path))  # type: ignore[arg-type]
    assert program.command == (
        "/programs/jobset",
        "--zap-log-level=2",
        f"--config={tmp_path}/controller_manager_config.yaml",
    )
    configuration = yaml.safe_load((tmp_path / "controller_manager_config.yaml").read_text())
    assert configuration["webhook"]["host"] == "127.0.0.1"
    assert configuration["webhook"]["port"] == 40001
    assert configuration["health"]["healthProbeBindAddress"] == "127.0.0.1:40002"
    assert configuration["metrics"]["bindAddress"] == "0"
    assert configuration["leaderElection"]["leaderElect"] is False
    assert configuration["clientConnection"] == {"qps": 500, "burst": 500}
    assert configuration["internalCertManagement"]["enable"] is True
    assert configuration["featureGates"] == {"RestartJob": True}


def test_a_jobset_that_the_toolchain_lacks_is_an_image_that_cannot_be_pulled(tmp_path: Path) -> None:
    controller = JobSetController(OldToolchain(), {"jobset_webhook": 40001, "jobset_health": 40002})
    with pytest.raises(CannotStart) as refused:
        controller.program(pod("registry.k8s.io/jobset/jobset:v0.10.1"), Files(tmp_path))  # type: ignore[arg-type]
    assert refused.value.reason == "ErrImagePull"
    assert "0.10.1" in str(refused.value)


class WithCertificate(Files):
    def mount_secret(self, *_: Any) -> Path:  # type: ignore[override]
        return self.folder


def jobset() -> JobSetController:
    return JobSetController(OldToolchain(), {"jobset_webhook": 40001, "jobset_health": 40002})


def test_jobset_waits_for_its_certificate_and_for_nothing_else(tmp_path: Path) -> None:
    controller, gate = jobset(), tmp_path / "gate"
    controller.program(pod(), Files(tmp_path))  # type: ignore[arg-type]
    assert not gate.exists()
    controller.tend(pod(), WithCertificate(tmp_path))  # type: ignore[arg-type]
    assert gate.exists()


def test_a_gate_that_another_sandbox_has_opened_stays_open(tmp_path: Path) -> None:
    (tmp_path / "gate").touch()
    jobset().program(pod(), Files(tmp_path))  # type: ignore[arg-type]
    assert (tmp_path / "gate").exists()


def test_other_users_of_the_machine_can_see_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = tmp_path / "server" / "certificates" / "tls.crt"
    monkeypatch.setattr("sandbox.control_plane.jobset._GATE", gate)
    earlier = os.umask(0o077)
    try:
        jobset().tend(pod(), WithCertificate(tmp_path))  # type: ignore[arg-type]
    finally:
        os.umask(earlier)
    assert gate.parent.stat().st_mode & 0o777 == gate.parent.parent.stat().st_mode & 0o777 == 0o755


def forbid(monkeypatch: pytest.MonkeyPatch, *methods: str) -> None:
    def refuse(self: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    for method in methods:
        monkeypatch.setattr(Path, method, refuse)


def test_a_gate_in_somebody_elses_folder_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "gate").touch()
    controller = jobset()
    forbid(monkeypatch, "touch", "mkdir", "chmod", "unlink")
    controller.tend(pod(), WithCertificate(tmp_path))  # type: ignore[arg-type]
    assert caplog.records == []


@pytest.mark.parametrize("refused", ["touch", "exists"])
def test_a_gate_that_can_neither_be_seen_nor_made_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, refused: str
) -> None:
    controller = jobset()
    forbid(monkeypatch, refused)
    for _ in range(3):
        controller.tend(pod(), WithCertificate(tmp_path))  # type: ignore[arg-type]
    (record,) = caplog.records
    assert str(tmp_path / "gate") in record.getMessage()
    assert "Permission denied" in record.getMessage()
