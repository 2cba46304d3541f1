"""Settings that need a job to be a JobSet: a PathwaysJob has no field for them, or its controller ignores them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pathways.documents import Path

_OF_ANY_JOB: dict[Path, str] = {
    ("workers", "tolerations"): "the PathwaysJob controller gives workers no tolerations",
    ("workers", "serviceAccount"): "the PathwaysJob controller gives workers no service account",
    ("workers", "sharedMemoryGib"): "the PathwaysJob controller gives workers no shared memory",
    ("components", "sidecar", "flags"): "the PathwaysJob controller ignores the flags of the sidecar",
    ("components", "sidecar", "env"): "the PathwaysJob controller ignores the variables of the sidecar",
    ("timeToLiveSeconds",): "a PathwaysJob has no time to live",
    ("imagePullPolicy",): "the PathwaysJob controller always pulls",
    ("imagePullSecrets",): "a PathwaysJob has no pull secrets for its workers",
}

_OF_HEADLESS_JOB: dict[Path, str] = {
    ("head", "nodeSelector"): "the head of a headless PathwaysJob can be given no node selector",
    ("head", "tolerations"): "the head of a headless PathwaysJob can be given no tolerations",
    ("head", "serviceAccount"): "the head of a headless PathwaysJob can be given no service account",
}


def needs_direct_form(workload: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield path and reason of what a workload, as it is written, has that no PathwaysJob can have."""
    if workload.get("kind") != "pathways":
        return
    recovery = workload.get("recovery", "inJob")
    if recovery in ("slice", "job"):
        yield ("recovery",), f"the PathwaysJob controller recovers in its own way, inJob, and not by {recovery}"
    headless = workload.get("mode") == "headless"
    reasons = {**_OF_ANY_JOB, **_OF_HEADLESS_JOB} if headless else {**_OF_ANY_JOB}
    for path, reason in reasons.items():
        if _has(workload, path):
            yield path, reason
    if headless and _value(workload, ("head", "colocated")) is True:
        yield ("head", "colocated"), "a headless PathwaysJob beside workers tolerates no TPU node"
    if _has(workload, ("sliceRestarts",)) and not workload.get("elastic") and recovery == "inJob":
        yield (
            ("sliceRestarts",),
            "the PathwaysJob controller counts those of elastic jobs alone, others have 4",
        )


def _has(workload: Mapping[str, Any], path: Path) -> bool:
    return _value(workload, path) is not None


def _value(workload: Any, path: Path) -> Any:
    for key in path:
        workload = workload.get(key) if isinstance(workload, Mapping) else None
    return workload
