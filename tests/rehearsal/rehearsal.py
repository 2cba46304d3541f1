"""Helpers of the rehearsal tests: run the sandbox's commands, and ask the API server, the state and the journal.

What is asserted comes from kubectl, the engine's checkpoint and the cloud's journal, never from the code under test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.engine.workspace import environment
from sandbox.home import Home
from sandbox.toolchain import ensure

PROJECT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 400


@dataclass(frozen=True)
class Rehearsal:
    """A stack file of its own in a sandbox of its own."""

    folder: Path
    stack: str

    @property
    def file(self) -> Path:
        return self.folder / f"Pulumi.{self.stack}.yaml"

    @property
    def home(self) -> Path:
        return self.folder / "sandboxes" / self.stack

    def write(self, platform: dict[str, Any]) -> None:
        config = {
            "gcp:project": "rehearsed",
            "pulumi:disable-default-providers": ["*"],
            "pathways:platform": platform,
        }
        self.file.write_text(yaml.safe_dump({"config": config}, sort_keys=False))

    def start(self, command: str, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sandbox", command, str(self.file), *options],
            cwd=PROJECT,
            env={**os.environ, "PATHWAYS_SANDBOX_ROOT": str(self.folder / "sandboxes"), "COLUMNS": "160"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, command: str, *options: str, code: int = 0, seconds: float = COMMAND_SECONDS) -> str:
        """Runs a command to its end; returns what it printed; asserts the exit code."""
        process = self.start(command, *options)
        printed, _ = process.communicate(timeout=seconds)
        assert process.returncode == code, printed
        return printed

    def pulumi(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`pulumi WORDS` by the engine itself, on the stack of the sandbox, whose daemon runs."""
        home = Home(self.home, self.stack)
        toolchain = ensure(["pulumi", "pulumi-resource-kubernetes"])
        surroundings = {**os.environ, **environment(home, toolchain, home.read_daemon()["ports"])}
        command = [str(toolchain.path("pulumi")), *words, "--non-interactive", "--stack", self.stack]
        return subprocess.run(command, cwd=home.project, env=surroundings, capture_output=True, text=True, check=False)

    def tell(self, *words: str) -> str:
        """`kubectl WORDS`; returns what it printed."""
        kubeconfig = json.loads((self.home / "daemon.json").read_text())["kubeconfig"]
        command = [str(Path(sys.executable).parent / "kubectl"), "--kubeconfig", kubeconfig, *words]
        got = subprocess.run(command, capture_output=True, text=True, check=False)
        assert got.returncode == 0, got.stderr
        return got.stdout

    def kubectl(self, *words: str) -> list[dict[str, Any]]:
        """`kubectl get WORDS -o json`, as the list of what it shows."""
        shown = json.loads(self.tell("get", *words, "--output=json"))
        items: list[dict[str, Any]] = shown.get("items", [shown])
        return items

    def journal(self, call: str | None = None, type: str | None = None) -> list[dict[str, Any]]:
        """Calls that reached the simulated cloud, in the order in which they began."""
        entries = [json.loads(line) for line in (self.home / "cloud" / "journal.jsonl").read_text().splitlines()]
        return [
            entry
            for entry in sorted(entries, key=lambda entry: entry["started"])
            if call in (None, entry["call"]) and type in (None, entry["type"])
        ]

    def state(self) -> list[dict[str, Any]]:
        """Resources in the engine's checkpoint."""
        checkpoint = self.home / "state" / ".pulumi" / "stacks" / "pathways" / f"{self.stack}.json"
        latest = json.loads(checkpoint.read_text())["checkpoint"]["latest"]
        resources: list[dict[str, Any]] = latest.get("resources") or []
        return resources
