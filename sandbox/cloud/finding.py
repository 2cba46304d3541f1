"""Finds what a call made whose answer nobody heard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pathways.gcp import without_defaults_keys
from sandbox.cloud.identities import identifying_inputs
from sandbox.cloud.store import Record, read_records


def find(folder: Path, type: str, inputs: Mapping[str, Any]) -> str | None:
    """The id of the resource that these inputs made in the simulated cloud of a folder; None where there is none."""
    for record in read_records(folder):
        if record.type == type and _is_made_by(record, inputs):
            return record.id
    return None


def _is_made_by(record: Record, inputs: Mapping[str, Any]) -> bool:
    identifying = identifying_inputs(record.type)
    if not identifying:
        return bool(without_defaults_keys(record.inputs) == without_defaults_keys(dict(inputs)))
    return all(record.inputs.get(name) == inputs.get(name) for name in identifying)
