"""Kueue's pod as a local process, and what answers for its API of pending workloads."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.resources.core_v1 import Pod

from pathways.settings.install import KUEUE_VERSION
from sandbox.control_plane.certificates import SERVING, SERVING_KEY, create_certificates
from sandbox.control_plane.kueue import KueueController
from sandbox.control_plane.local_controller import CannotStart
from sandbox.control_plane.visibility import VisibilityServer
from sandbox.toolchain import PROGRAMS, ToolchainError

PORTS = {"kueue_webhook": 40001, "kueue_health": 40002, "kueue_visibility": 40003}


class Programs:
    def path(self, name: str) -> Path:
        if name != "kueue":
            raise ToolchainError(name)
        return Path("/programs/kueue")


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
        configuration = {"kind": "Configuration", "integrations": {"frameworks": ["batch/job"]}}
        return {"controller_manager_config.yaml": yaml.safe_dump(configuration)}

    def mount_secret(self, *_: Any) -> None:
        return None


def pod(version: str) -> Pod:
    arguments = ["--config=/controller_manager_config.yaml", "--zap-log-level=2"]
    image = f"registry.k8s.io/kueue/kueue:{version}"
    return Pod(spec=PodSpec(containers=[Container("manager", args=arguments, image=image)]))


def test_kueue_runs_with_its_charts_configuration_bound_to_this_machine(tmp_path: Path) -> None:
    program = KueueController(Programs(), PORTS).program(pod("v0.17.0"), Files(tmp_path))  # type: ignore[arg-type]
    assert program.command == (
        "/programs/kueue",
        "--zap-log-level=2",
        f"--config={tmp_path}/controller_manager_config.yaml",
    )
    configuration = yaml.safe_load((tmp_path / "controller_manager_config.yaml").read_text())
    assert configuration["webhook"] == {"host": "127.0.0.1", "port": 40001, "certDir": f"{tmp_path}/certificates"}
    assert configuration["health"]["healthProbeBindAddress"] == "127.0.0.1:40002"
    assert configuration["integrations"] == {"frameworks": ["batch/job"]}
    assert configuration["featureGates"] == {"VisibilityOnDemand": False}  # it writes to the file system's root


def test_the_toolchain_has_the_kueue_that_stacks_install() -> None:
    (kueue,) = [program for program in PROGRAMS if program.name == "kueue"]
    assert kueue.version == KUEUE_VERSION


def test_another_kueue_is_an_image_that_cannot_be_pulled(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"0\.17\.0, not 0\.16\.1") as refused:
        KueueController(Programs(), PORTS).program(pod("v0.16.1"), Files(tmp_path))  # type: ignore[arg-type]
    assert refused.value.reason == "ErrImagePull"


def test_the_api_of_pending_workloads_is_there_and_empty(tmp_path: Path) -> None:
    """The API server asks for each version's resources; an answer of 200 makes the API available."""
    create_certificates(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = VisibilityServer(port)
    server.start(tmp_path / SERVING, tmp_path / SERVING_KEY)
    server.start(tmp_path / SERVING, tmp_path / SERVING_KEY)  # a second time does nothing
    context = ssl._create_unverified_context()
    url = f"https://127.0.0.1:{port}/apis/visibility.kueue.x-k8s.io"
    with urllib.request.urlopen(f"{url}/v1beta2?timeout=5s", context=context) as answer:
        found = json.load(answer)
    assert (found["groupVersion"], found["resources"]) == ("visibility.kueue.x-k8s.io/v1beta2", [])
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{url}/v1beta2/clusterqueues/a/pendingworkloads", context=context)
