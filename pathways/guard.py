"""Whether a preview of the engine takes away what must stay: clusters, TPU pools, TPU VMs, buckets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pathways.gcp.exceptions import BUCKET, CLUSTER, NODE_POOL, QUEUED_RESOURCE
from pathways.tpu import cpu_machines

_FATES = {
    "delete": "deleted",
    "delete-replaced": "replaced",
    "replace": "replaced",
    "create-replacement": "replaced",
    "discard-replaced": "replaced",
}
"""What becomes of a resource by an operation of the engine. Source: Pulumi's CLI, operations of `preview --json`."""

_NOUNS = {CLUSTER: "cluster", NODE_POOL: "TPU pool", QUEUED_RESOURCE: "TPU VM", BUCKET: "bucket"}


class UnreadablePreview(Exception):
    """The text is no preview. It says why."""


@dataclass(frozen=True)
class Danger:
    """Something dear that the preview takes away.

    what: "cluster", "TPU pool", "TPU VM" or "bucket". name: in Google Cloud. resource: name in Pulumi.
    reasons: properties that lead to a replacement.
    """

    what: str
    name: str
    resource: str
    fate: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        because = f" because of {', '.join(self.reasons)}" if self.reasons else ""
        return f"{self.what} {self.name} ({self.resource}) would be {self.fate}{because}"

    def allowed_by(self, names: Collection[str]) -> bool:
        """Whether someone has said, by its name in Google Cloud or in Pulumi, that it may go."""
        return self.name in names or self.resource in names


@dataclass(frozen=True)
class Preview:
    """What a preview tells. failures: why it ended early, so that there may be more dangers than it shows."""

    dangers: tuple[Danger, ...]
    failures: tuple[str, ...]


def read_preview(text: str | bytes) -> Preview:
    """Return what is told by a preview, as `pulumi preview --json` prints it. Raises UnreadablePreview."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadablePreview(f"is not JSON: {error}") from None
    if not isinstance(told, dict) or not {"steps", "changeSummary"} & set(told):
        raise UnreadablePreview("is not what `pulumi preview --json` prints: it has neither steps nor changeSummary")
    try:
        return Preview(tuple(_dangers(told.get("steps") or ())), tuple(_failures(told.get("diagnostics") or ())))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadablePreview(f"has a step that cannot be read: {error!r}") from None


def _dangers(steps: Collection[Mapping[str, Any]]) -> Iterator[Danger]:
    """Yield a danger for each resource, though a replacement has several steps."""
    seen = set()
    for step in sorted(steps, key=lambda step: not _reasons(step)):
        _, _, types, resource = step["urn"].split("::", 3)
        token = types.rpartition("$")[2]
        old = step.get("oldState") or {}
        known = {**(old.get("inputs") or {}), **(old.get("outputs") or {})}
        if step["op"] in _FATES and token in _NOUNS and not _is_cpu_pool(token, known) and step["urn"] not in seen:
            seen.add(step["urn"])
            name = str(known.get("name") or resource)
            yield Danger(_NOUNS[token], name, resource, _FATES[step["op"]], _reasons(step))


def _reasons(step: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the properties that lead to a replacement; none where another resource does."""
    detailed = [path for path, change in (step.get("detailedDiff") or {}).items() if "replace" in change["kind"]]
    return tuple(detailed or step.get("replaceReasons") or ())


def _failures(diagnostics: Collection[Mapping[str, Any]]) -> Iterator[str]:
    for diagnostic in diagnostics:
        if diagnostic.get("severity") == "error":
            yield str(diagnostic.get("message", "")).strip()


def _is_cpu_pool(token: str, known: Mapping[str, Any]) -> bool:
    """Whether a resource is a pool that is certain to have no TPU: what is not known may have one."""
    config = known.get("nodeConfig")
    return token == NODE_POOL and isinstance(config, dict) and config.get("machineType") in cpu_machines()
