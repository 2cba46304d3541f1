"""A stack file to vary: the example of the documents, as text and as the mapping under pathways:platform."""

import copy
from typing import Any

import yaml

from pathways.settings import StackSettings, parse_settings

STACK_FILE = """\
config:
  gcp:project: my-project
  pathways:platform:
    environment: dev
    zone: us-east5-b
    jax: "0.8.3"
    head: {machineType: n2-standard-64, maxNodes: 2}
    slices:
      - {name: v6e, tpu: v6e-16, count: 2, spares: 1, capacity: {spot: {}}}
    priorities: {high-prior-job: 2000, low-prior-job: 1000}
    workloads:
      - name: hello
        kind: pathways
        slices: {group: v6e, count: 2}
        image: python:3.13
        command: [python, -c, "import pathwaysutils, jax; pathwaysutils.initialize(); print(jax.devices())"]
"""

ABSENT = object()

_PLATFORM = yaml.safe_load(STACK_FILE)["config"]["pathways:platform"]


def platform(*changes: tuple[tuple[str | int, ...], Any]) -> dict[str, Any]:
    """Returns the example's mapping with the values at some paths changed; ABSENT takes one away."""
    mapping: dict[str, Any] = copy.deepcopy(_PLATFORM)
    for path, value in changes:
        target: Any = mapping
        for part in path[:-1]:
            target = target[part]
        if value is ABSENT:
            del target[path[-1]]
        else:
            target[path[-1]] = value
    return mapping


def settings(*changes: tuple[tuple[str | int, ...], Any]) -> StackSettings:
    """Returns the settings of the example with changes."""
    return parse_settings(platform(*changes), project="my-project", stack="dev", source="stacks/Pulumi.dev.yaml")
