"""Where a sandbox lives: one folder a stack, with everything that must survive between calls."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pathways.settings import find_stack, stack_name
from sandbox.errors import Damaged
from sandbox.ports import free_ports

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Home:
    """The folder of one sandbox.

    root: the folder, readable by its owner alone. stack: name of the stack rehearsed in it.
    """

    root: Path
    stack: str

    @classmethod
    def of(cls, stack: str) -> Home:
        """The sandbox of a stack: .sandbox/STACK in the checkout, or below PATHWAYS_SANDBOX_ROOT."""
        base = Path(os.environ.get("PATHWAYS_SANDBOX_ROOT", PROJECT / ".sandbox")).absolute()
        return cls(base / stack, stack)

    @property
    def project(self) -> Path:
        """The sandbox's own copy of Pulumi.yaml and the stack file."""
        return self.root / "project"

    @property
    def stack_file(self) -> Path:
        """The copy of the stack file."""
        return self.project / "stacks" / f"Pulumi.{self.stack}.yaml"

    @property
    def state(self) -> Path:
        """The engine's file backend."""
        return self.root / "state"

    @property
    def cloud(self) -> Path:
        return self.root / "cloud"

    @property
    def control_plane(self) -> Path:
        return self.root / "control-plane"

    @property
    def bin(self) -> Path:
        """Programs put on the engine's PATH: the credential plugin and the Kubernetes provider."""
        return self.root / "bin"

    @property
    def daemon_log(self) -> Path:
        return self.root / "daemon.log"

    def exists(self) -> bool:
        return self.root.is_dir()

    def create(self) -> None:
        for folder in (self.root, self.project, self.state, self.cloud, self.control_plane, self.bin):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def ports(self, names: Iterable[str]) -> dict[str, int]:
        """A free loopback port for each name, the same ones at every call, reboots included."""
        file = self.root / "ports.json"
        ports: dict[str, int] = read_json(file) if file.exists() else {}
        missing = [name for name in names if name not in ports]
        if missing:
            ports.update(zip(missing, free_ports(len(missing)), strict=True))
            write_json(file, ports)
        return ports

    @contextmanager
    def lock(self, name: str, *, wait: bool) -> Iterator[bool]:
        """Holds the named lock of this sandbox; yields False where another process holds it and wait is off."""
        with (self.root / f"{name}.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            yield True

    @property
    def described(self) -> bool:
        """Whether a daemon has come up so far that it describes itself."""
        return (self.root / "daemon.json").exists()

    def read_daemon(self) -> dict[str, Any]:
        """What the running daemon says of itself: pid, ports, versions, kubeconfig."""
        described: dict[str, Any] = read_json(self.root / "daemon.json")
        return described


def home_of(stack: str) -> Home:
    """The sandbox of a stack that is given by name or path, whatever its file holds. Raises StackNotFound."""
    return Home.of(stack_name(find_stack(stack)))


def read_json(file: Path) -> Any:
    """What a file of a sandbox holds. Raises Damaged."""
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise Damaged(
            f"{file} cannot be read ({error}); `python -m sandbox down --discard` removes the sandbox as it is"
        ) from error


def write_json(file: Path, value: Any) -> None:
    """Writes a file of a sandbox at once, so that no reader sees half of it."""
    written = file.with_name(f"{file.name}.new")
    written.write_text(json.dumps(value, indent=1))
    written.rename(file)
