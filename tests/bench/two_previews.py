"""Prints how long the engine previews a stack's resources, registered by our program and by a bare one, as JSON.

Run as `python -m tests.bench.two_previews STACK`, with PATHWAYS_SANDBOX_ROOT set: it leaves a sandbox there.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from sandbox import report
from sandbox.commands import session
from sandbox.engine import workspace

ROUNDS = 3
COMPONENTS = ("pathways:", "pulumi:pulumi:")

_RECORD = """
import json, sys
from components.recorder import record_stack_file
from sandbox.home import home_of
recording = record_stack_file(home_of(sys.argv[1]).stack_file)
print(json.dumps([(r.type, r.name, r.properties, r.urn, r.options.dependencies) for r in recording.resources]))
"""
"""In a process of its own: the recorder takes the place of the engine for good."""


Recorded = tuple[str, str, dict[str, Any], str, list[str]]
"""Type, name, properties, URN, and the URNs of what it depends on."""


def bare(recorded: list[Recorded]) -> Callable[[], None]:
    """A program that registers what was recorded, with literal properties, in the same order of dependencies."""

    def declare() -> None:
        made: dict[str, pulumi.Resource] = {}
        cloud = gcp.Provider("gcp", project="project")
        unknown = gcp.compute.Network("unknown", opts=pulumi.ResourceOptions(provider=cloud)).id
        cluster = kubernetes.Provider("kubernetes", kubeconfig=unknown)
        for type_, name, properties, urn, dependencies in recorded:
            if type_.startswith(COMPONENTS):
                pulumi.ComponentResource(type_, name)
            elif not type_.startswith("pulumi:providers:"):
                opts = pulumi.ResourceOptions(
                    provider=cluster if type_.startswith("kubernetes:") else cloud,
                    depends_on=[made[each] for each in dependencies if each in made],
                )
                arguments = {_snake(key): value for key, value in properties.items()}
                made[urn] = _class_of(type_)(name, **arguments, opts=opts)

    return declare


def _class_of(type_: str) -> Any:
    """The SDK's class of a type, such as pulumi_gcp.container.NodePool of gcp:container/nodePool:NodePool."""
    package, module, name = type_.split(":")
    path = module.split("/")[0] if package == "gcp" else re.sub(r"\.(k8s\.io|sh)/|/", ".", module)
    try:
        return getattr(importlib.import_module(f"pulumi_{package}.{path}"), name)
    except ImportError:
        return kubernetes.apiextensions.CustomResource


def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def main(stack: str) -> None:
    with session(report.console(), stack, {}) as opened:
        done = subprocess.run([sys.executable, "-c", _RECORD, stack], check=True, capture_output=True, text=True)
        recorded = json.loads(done.stdout)
        programs = {"bare": bare(recorded), "ours": workspace.run_program}
        seconds = dict.fromkeys(programs, float("inf"))
        for _ in range(1 + ROUNDS):  # what the first of a process loads, the others find loaded
            for name, program in programs.items():
                started = time.monotonic()
                opened.stack.preview(program=program)
                seconds[name] = min(seconds[name], time.monotonic() - started)
    print(json.dumps({**seconds, "resources": len(recorded)}))


if __name__ == "__main__":
    main(sys.argv[1])
