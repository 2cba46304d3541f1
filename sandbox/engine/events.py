"""What the engine did: its events as steps with times and as messages."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pulumi.automation import EngineEvent, OpType

STYLE_TAG = re.compile(r"<\{%.*?%\}>")
QUIET = {OpType.SAME, OpType.READ, OpType.READ_REPLACEMENT, OpType.REFRESH}
OF_THE_SANDBOX = re.compile(r"^(using pulumi-\S+ from \$PATH|resource plugin kubernetes is expected)")
"""Warnings at every run: plugins are its own, the provider is the newest published module; `status` tells which."""


def name_of(urn: str) -> str:
    """The logical name of the resource."""
    return urn.split("::", 3)[3]


@dataclass
class Step:
    """One operation on one resource. started, ended: seconds of the monotonic clock."""

    operation: str
    urn: str
    started: float
    ended: float | None = None
    failed: bool = False

    @property
    def type(self) -> str:
        return self.urn.split("::")[2].split("$")[-1]

    @property
    def name(self) -> str:
        return name_of(self.urn)

    @property
    def acts(self) -> bool:
        """Whether the resource exists outside of the engine."""
        return not self.type.startswith(("pathways:", "pulumi:"))

    @property
    def part(self) -> str:
        """The component that the resource belongs to, such as "Cluster"; the resource's own kind outside of any."""
        chain = self.urn.split("::")[2].split("$")
        owner = chain[1] if len(chain) > 2 else chain[-1]
        return owner.split(":")[-1]


@dataclass
class Events:
    """Collects the events of one engine run. told: called with each step that starts or ends."""

    told: Callable[[Step], None] = lambda _: None
    steps: dict[tuple[str, str], Step] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    changes: dict[str, int] = field(default_factory=dict)
    last: float = field(default_factory=time.monotonic)

    def __call__(self, event: EngineEvent) -> None:
        self.last = time.monotonic()
        if event.resource_pre_event:
            self._start(event.resource_pre_event.metadata.op, event.resource_pre_event.metadata.urn)
        elif event.res_outputs_event:
            self._end(event.res_outputs_event.metadata.op, event.res_outputs_event.metadata.urn, failed=False)
        elif event.res_op_failed_event:
            self._end(event.res_op_failed_event.metadata.op, event.res_op_failed_event.metadata.urn, failed=True)
        elif event.diagnostic_event:
            self._diagnose(event.diagnostic_event.severity, event.diagnostic_event.urn, event.diagnostic_event.message)
        elif event.policy_event:
            kept = self.errors if event.policy_event.enforcement_level == "mandatory" else self.warnings
            self._keep(kept, event.policy_event.resource_urn, event.policy_event.message)
        elif event.summary_event:
            self.changes = {str(getattr(op, "value", op)): n for op, n in event.summary_event.resource_changes.items()}

    def _start(self, op: OpType, urn: str) -> None:
        if op not in QUIET:
            step = Step(op.value, urn, self.last)
            self.steps[op.value, urn] = step
            self.told(step)

    def _end(self, op: OpType, urn: str, *, failed: bool) -> None:
        step = self.steps.get((op.value, urn))
        if step is not None:
            step.ended, step.failed = self.last, failed
            self.told(step)

    def _diagnose(self, severity: str, urn: str | None, message: str) -> None:
        kept = {"error": self.errors, "warning": self.warnings}.get(severity)
        if kept is not None and not OF_THE_SANDBOX.match(STYLE_TAG.sub("", message)):
            self._keep(kept, urn, message)

    def _keep(self, kept: list[str], urn: str | None, message: str) -> None:
        text = STYLE_TAG.sub("", message).strip()
        name = name_of(urn) if urn and not urn.split("::")[2].startswith("pulumi:pulumi:Stack") else ""
        line = f"{name}: {text}" if name else text
        if text and line not in kept:
            kept.append(line)

    @property
    def changed(self) -> list[Step]:
        """Steps that did or would do something, components and providers left out."""
        return [step for step in self.steps.values() if step.acts]
