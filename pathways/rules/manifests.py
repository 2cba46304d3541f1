"""Rules about the shape of manifests."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.rules.model import Context, Problem, Severity, resource_rule
from pathways.rules.shapes import SHAPES, faults
from pathways.rules.values import Value


@resource_rule(
    "manifest-shape",
    Severity.ERROR,
    [*SHAPES],
    remedy="Write what the API server takes there.",
    source="CRDs of PathwaysJob v0.1.4 and JobSet 0.12.0; Kueue 0.17; Kubernetes API, PriorityClass",
)
def has_its_shape(manifest: Value, _: Context) -> Iterator[Problem]:
    """A manifest has the fields and types that the API server takes, and no entry of a list twice that is told apart
    by its name: anything else is refused, or, in what a controller makes of it, refused later and in its log alone.
    """
    for fault in faults(SHAPES[manifest.resource.kind], manifest):
        if fault.unknown_field is None:
            yield Problem(fault.at, fault.message)


@resource_rule(
    "manifest-unknown-field",
    Severity.ERROR,
    [*SHAPES],
    remedy="Correct its spelling or its place, or take it away.",
    source="CRDs of PathwaysJob v0.1.4 and JobSet 0.12.0; Kubernetes API: server-side apply refuses unknown fields",
    mild_when="it is deep in a JobSet, a pod or a queue, of which newer versions may know more",
)
def has_known_fields(manifest: Value, _: Context) -> Iterator[Problem]:
    """A manifest has no field that does not exist: it would be refused, or dropped without a word."""
    for fault in faults(SHAPES[manifest.resource.kind], manifest):
        if fault.unknown_field is not None:
            yield Problem(fault.at, fault.message, severity=Severity(fault.unknown_field))
