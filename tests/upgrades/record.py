"""Keeps what a release deployed, for all later ones to be held to: python -m tests.upgrades.record STACK.

Before a release: `python -m sandbox up STACK`, then this, for each stack of stacks/. It writes the state, as
`pulumi stack export` does, and the stack file into tests/upgrades/VERSION/, VERSION being that of pyproject.toml. Left
out is what differs from one deployment to the next (times, positions in the source, the sandbox's ports), and what
charts and manifests consist of. There is no secret in it: a sandbox never sees those of a stack file.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from pathways.settings import find_stack
from sandbox.engine import workspace
from sandbox.home import PROJECT, home_of
from sandbox.toolchain import ensure

FOLDER = Path(__file__).parent
STATE = "state.{stack}.json"

OF_ONE_DEPLOYMENT = ("created", "modified", "sourcePosition", "stackTrace")
EXPANDED = ("kubernetes:helm.sh/v4:Chart$", "kubernetes:yaml/v2:ConfigGroup$")
"""In the type of what a provider makes of a chart or a manifest."""
ENDPOINT = re.compile(r"\b(127\.0\.0\.1|localhost):\d+")
NOWHERE = "localhost:9"
"""An endpoint of a cluster that does not answer: the port of discard, which no one serves."""


def record(stack: str) -> Path:
    """Writes state and stack file of a stack that stands in its sandbox; returns the folder."""
    home = home_of(stack)
    opened = workspace.open_stack(
        home, workspace.environment(home, ensure(["pulumi", "pulumi-resource-kubernetes"]), home.ports(()))
    )
    deployment = opened.export_stack().deployment
    folder = FOLDER / _version()
    folder.mkdir(exist_ok=True)
    shutil.copyfile(find_stack(stack), folder / f"Pulumi.{stack}.yaml")
    (folder / STATE.format(stack=stack)).write_text(_text(deployment["resources"]))
    return folder


def _version() -> str:
    """The version of the project."""
    return str(tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"])


def _text(resources: list[dict[str, Any]]) -> str:
    """The export of a stack with these resources, one a line. Raises ValueError where it tells of this machine."""
    lines = [json.dumps(_lasting(each)) for each in resources if not any(part in each["urn"] for part in EXPANDED)]
    text = ENDPOINT.sub(NOWHERE, '{"version": 3, "deployment": {"resources": [\n' + ",\n".join(lines) + "\n]}}\n")
    for place in (PROJECT, Path.home()):
        if str(place) in text:
            raise ValueError(f"the state has {place} in it")
    return text


def _lasting(resource: dict[str, Any]) -> dict[str, Any]:
    """A resource without what only its own deployment is told by."""
    lasting = {key: value for key, value in resource.items() if key not in OF_ONE_DEPLOYMENT}
    lasting.get("outputs", {}).get("metadata", {}).pop("managedFields", None)
    return lasting


if __name__ == "__main__":
    print(record(sys.argv[1]))
