"""The stand-in for the PathwaysJob controller, as a local process."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from lightkube.resources.core_v1 import Pod

from sandbox.control_plane.images import container_running, version
from sandbox.control_plane.local_controller import CannotStart, answers
from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.processes import Program

HEALTH_PORT = "pathways_job_health"
VERSION = "0.1.4"

_PROJECT = Path(__file__).resolve().parents[2]


class PathwaysJobController:
    """Turns PathwaysJobs into JobSets as v0.1.4 of the real controller does."""

    name = "pathways-job-controller"
    namespace = "pathways-job-system"
    image = "pathways-job/pathwaysjob-controller"
    ports: Mapping[str, int] = {}

    def __init__(self, ports: Mapping[str, int]) -> None:
        self._health = ports[HEALTH_PORT]

    def program(self, pod: Pod, files: PodFiles) -> Program:
        container = container_running(pod, self.image)
        assert container is not None
        wanted = version(container.image or "")
        if wanted != VERSION:
            raise CannotStart("ErrImagePull", f"the sandbox plays PathwaysJob {VERSION}, not {wanted or 'latest'}")
        command = (
            sys.executable, "-m", "sandbox.pathways_job.controller",
            "--kubeconfig", str(files.kubeconfig(pod)), "--health-port", str(self._health),
        )  # fmt: skip
        return Program(self.name, command, {"PYTHONPATH": str(_PROJECT)})

    def tend(self, pod: Pod, files: PodFiles) -> None:
        """It mounts nothing."""

    def ready(self) -> bool:
        return answers(self._health, "/readyz")
