"""The Kueue controller as a local process, with the configuration that its chart gives it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from lightkube.resources.core_v1 import Pod

from pathways import gke
from pathways.settings.install import KUEUE_VERSION
from sandbox.control_plane.components import FRUGAL, Programs
from sandbox.control_plane.images import container_running, version
from sandbox.control_plane.local_controller import CannotStart, accepts, answers
from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.processes import Program
from sandbox.control_plane.visibility import VisibilityServer
from sandbox.toolchain import ToolchainError

WEBHOOK_PORT = "kueue_webhook"
HEALTH_PORT = "kueue_health"
VISIBILITY_PORT = "kueue_visibility"

_PROGRAM = "kueue"

_CONFIGURATION_VOLUME = "manager-config"
_CONFIGURATION = "controller_manager_config.yaml"
_CERTIFICATE_VOLUME = "cert"
_CERTIFICATE_KEYS = ("tls.crt", "tls.key", "ca.crt")
_CERTIFICATES = "certificates"


class KueueController:
    """Admits jobs by their queues' quotas, and serves the webhooks of the chart."""

    name = "kueue-controller"
    namespace = "kueue-system"
    image = "kueue/kueue"

    def __init__(self, programs: Programs, ports: Mapping[str, int]) -> None:
        self._programs = programs
        self._webhook = ports[WEBHOOK_PORT]
        self._health = ports[HEALTH_PORT]
        self._visibility = VisibilityServer(ports[VISIBILITY_PORT])
        self.ports: Mapping[str, int] = {
            str(gke.WEBHOOK_PORT): self._webhook,
            str(gke.QUEUE_API_PORT): ports[VISIBILITY_PORT],
        }

    def program(self, pod: Pod, files: PodFiles) -> Program:
        container = container_running(pod, self.image)
        assert container is not None
        wanted = version(container.image or "")
        if wanted != KUEUE_VERSION:
            raise CannotStart("ErrImagePull", f"the sandbox has Kueue {KUEUE_VERSION}, not {wanted or 'latest'}")
        try:
            binary = self._programs.path(_PROGRAM)
            given = files.config_map(pod, _CONFIGURATION_VOLUME)[_CONFIGURATION]
            self.tend(pod, files)
        except ToolchainError as error:
            raise CannotStart("ErrImagePull", str(error)) from error
        except LookupError as error:
            raise CannotStart("CreateContainerConfigError", f"Kueue's files: {error}") from error
        configuration = files.write(_CONFIGURATION, self._local_configuration(given, files.folder / _CERTIFICATES))
        arguments = [one for one in container.args or [] if not one.startswith("--config")]
        command = (str(binary), *arguments, f"--config={configuration}")
        return Program(self.name, command, {"KUBECONFIG": str(files.kubeconfig(pod)), **FRUGAL})

    def tend(self, pod: Pod, files: PodFiles) -> None:
        """Mounts the webhooks' certificate once the controller has made it."""
        mounted = files.mount_secret(pod, _CERTIFICATE_VOLUME, _CERTIFICATE_KEYS, _CERTIFICATES)
        if mounted is not None:
            self._visibility.start(mounted / "tls.crt", mounted / "tls.key")

    def ready(self) -> bool:
        return answers(self._health, "/readyz") and accepts(self._webhook)

    def _local_configuration(self, given: str, certificates: Path) -> str:
        """The chart's configuration, bound to the loopback interface and free of leader election.

        Its own server of pending workloads wants a folder at the root of the file system.
        """
        configuration: dict[str, Any] = yaml.safe_load(given) or {}
        configuration["webhook"] = {"host": "127.0.0.1", "port": self._webhook, "certDir": str(certificates)}
        configuration["metrics"] = {"bindAddress": "0"}
        configuration["health"] = {"healthProbeBindAddress": f"127.0.0.1:{self._health}"}
        configuration["leaderElection"] = {"leaderElect": False}
        configuration["featureGates"] = {**configuration.get("featureGates", {}), "VisibilityOnDemand": False}
        return yaml.safe_dump(configuration, sort_keys=False)
