"""Protection against loss, which a rehearsal lifts before it takes away what it made."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pulumi import automation

from pathways.settings import read_stack_file
from sandbox.engine.recovery import read_checkpoint
from sandbox.engine.runs import Run
from sandbox.home import Home


def is_on(home: Home) -> bool:
    """Whether the engine would refuse to destroy something of this stack."""
    return any(resource.get("protect") for resource in read_checkpoint(home).get("resources") or [])


def lift(home: Home, stack: automation.Stack, update: Callable[[], Run]) -> Run:
    """The two steps that a protected stack needs: an update without deletion protection, then the engine's own.

    Only the sandbox's copy of the stack file is written.
    """
    file = home.stack_file
    content: dict[str, Any] = read_stack_file(file)  # not as JSON: the engine may have written it anew, as YAML
    content["config"]["pathways:platform"].setdefault("cluster", {})["deletionProtection"] = False
    file.write_text(json.dumps(content, indent=1))
    updated = update()
    if updated.ok:
        exported = stack.export_stack()
        for resource in exported.deployment["resources"]:
            resource.pop("protect", None)
        stack.import_stack(exported)
    return updated
