"""The JobSet controller as a local process, with the configuration that its chart gives it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from lightkube.resources.core_v1 import Pod

from sandbox.control_plane.components import FRUGAL, Programs
from sandbox.control_plane.images import container_running, version
from sandbox.control_plane.local_controller import CannotStart, accepts, answers
from sandbox.control_plane.pod_files import PodFiles
from sandbox.control_plane.processes import Program
from sandbox.toolchain import ToolchainError

WEBHOOK_PORT = "jobset_webhook"
HEALTH_PORT = "jobset_health"

_CONFIGURATION_VOLUME = "manager-config"
_CONFIGURATION = "controller_manager_config.yaml"
_CERTIFICATE_VOLUME = "webhook-cert"
_CERTIFICATE_KEYS = ("tls.crt", "tls.key", "ca.crt")
_CERTIFICATES = "certificates"

# Built into the program: it waits until this file exists, and reads it nowhere. The certificate itself it reads from
# webhook.certDir of its configuration. An empty file will do, and lets all sandboxes of the machine share the place.
# None takes it away: another may be looking at it. A program that finds it before its certificate is there ends, and is
# started again.
_GATE = Path("/tmp/k8s-webhook-server/serving-certs/tls.crt")

_log = logging.getLogger(__name__)


class JobSetController:
    """Serves JobSets and the four webhooks of the chart."""

    name = "jobset-controller"
    namespace = "jobset-system"
    image = "jobset/jobset"

    def __init__(self, programs: Programs, ports: Mapping[str, int]) -> None:
        self._programs = programs
        self._webhook = ports[WEBHOOK_PORT]
        self._health = ports[HEALTH_PORT]
        self.ports: Mapping[str, int] = {"webhook": self._webhook, "9443": self._webhook}
        self._shut: str | None = None

    def program(self, pod: Pod, files: PodFiles) -> Program:
        container = container_running(pod, self.image)
        assert container is not None
        binary = self._binary(version(container.image or ""))
        try:
            given = files.config_map(pod, _CONFIGURATION_VOLUME)[_CONFIGURATION]
            self._mount_certificate(pod, files)
        except LookupError as error:
            raise CannotStart("CreateContainerConfigError", f"JobSet's files: {error}") from error
        configuration = files.write(_CONFIGURATION, self._local_configuration(given, files.folder / _CERTIFICATES))
        arguments = [one for one in container.args or [] if not one.startswith("--config")]
        command = (str(binary), *arguments, f"--config={configuration}")
        environment = {"KUBECONFIG": str(files.kubeconfig(pod)), **FRUGAL}
        return Program(self.name, command, environment)

    def tend(self, pod: Pod, files: PodFiles) -> None:
        self._mount_certificate(pod, files)

    def ready(self) -> bool:
        return answers(self._health, "/readyz") and accepts(self._webhook)

    def _binary(self, wanted: str) -> Path:
        try:
            return self._programs.path(f"jobset-{wanted}")
        except ToolchainError as error:
            raise CannotStart("ErrImagePull", f"the sandbox has no JobSet {wanted}") from error

    def _local_configuration(self, given: str, certificates: Path) -> str:
        """The chart's configuration, bound to the loopback interface and free of leader election."""
        configuration: dict[str, Any] = yaml.safe_load(given) or {}
        configuration["webhook"] = {"host": "127.0.0.1", "port": self._webhook, "certDir": str(certificates)}
        configuration["metrics"] = {"bindAddress": "0"}
        configuration["health"] = {"healthProbeBindAddress": f"127.0.0.1:{self._health}"}
        configuration["leaderElection"] = {"leaderElect": False}
        return yaml.safe_dump(configuration, sort_keys=False)

    def _mount_certificate(self, pod: Pod, files: PodFiles) -> None:
        """Copies the webhook's certificate once the controller has made it, and lets the controller go on."""
        if files.mount_secret(pod, _CERTIFICATE_VOLUME, _CERTIFICATE_KEYS, _CERTIFICATES) is None:
            return
        shut = _open_gate()
        if shut is not None and shut != self._shut:
            _log.warning("JobSet waits for %s, which this user can neither see nor make: %s", _GATE, shut)
        self._shut = shut


def _open_gate() -> str | None:
    """Makes the gate where it is missing, for all users of the machine to see. Returns why that cannot be done."""
    try:
        if not _GATE.exists():
            for folder in (_GATE.parent.parent, _GATE.parent):
                if not folder.exists():
                    folder.mkdir(exist_ok=True)
                    folder.chmod(0o755)
            _GATE.touch()
    except OSError as error:
        return str(error)
    return None
