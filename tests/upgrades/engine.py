"""The real engine over a recorded state: real control plane without anything in it, simulated Google Cloud."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pathways.settings import load_stack_file
from sandbox.cloud import CloudServer
from sandbox.control_plane import ControlPlane
from sandbox.daemon import PROGRAMS
from sandbox.engine import workspace
from sandbox.engine.events import Events, Step
from sandbox.engine.runs import run
from sandbox.home import Home
from sandbox.toolchain import Toolchain, ensure
from tests.upgrades.record import NOWHERE
from tests.upgrades.recorded import Deployed


@dataclass(frozen=True)
class Surroundings:
    """What previews need: they read nothing of the cloud, and of the cluster its kinds alone, so one does for all.

    folder: a sandbox's, with the states of all stacks in it.
    """

    folder: Path
    toolchain: Toolchain
    ports: dict[str, int]

    def preview(self, deployed: Deployed, stack_file: Path) -> list[Step]:
        """What an update of the deployed stack to a stack file would do, by the engine's preview with this program."""
        home = Home(self.folder, deployed.stack)
        workspace.copy_project_file(home)
        workspace.copy_stack_file(home, stack_file, load_stack_file(stack_file), self.toolchain)
        stack = workspace.open_stack(home, workspace.environment(home, self.toolchain, self.ports))
        exported = stack.export_stack()
        exported.deployment["resources"] = self._resources(deployed)
        stack.import_stack(exported)
        events = Events()
        done = run(stack.preview, events, self.folder / "engine.log")
        assert done.ok, done.errors
        return list(events.steps.values())

    def _resources(self, deployed: Deployed) -> list[dict[str, Any]]:
        """The recorded resources, in a cluster that answers."""
        text = json.dumps(deployed.resources).replace(NOWHERE, f"localhost:{self.ports['apiserver']}")
        resources: list[dict[str, Any]] = json.loads(text)
        return resources


@contextmanager
def surroundings(folder: Path) -> Iterator[Surroundings]:
    """Starts them in a folder, and stops them."""
    toolchain = ensure(PROGRAMS)
    home = Home(folder, folder.name)
    home.create()
    ports = home.ports((*ControlPlane.PORTS, "cloud"))
    plane = ControlPlane(home.control_plane, toolchain, ports)
    cloud = CloudServer(home.cloud, plane, ports["cloud"])
    try:
        plane.create()
        cloud.start()
        with patch.dict(os.environ):  # the engine's programs come to stand on the PATH of this process
            yield Surroundings(folder, toolchain, ports)
    finally:
        cloud.stop()
        plane.delete()
