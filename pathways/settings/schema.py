"""The JSON Schema of stack files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pathways.documents import Path
from pathways.settings.stack import StackSettings

PLATFORM_KEY = "pathways:platform"
"""Where a stack file has the settings, under `config`."""


def stack_file_schema() -> dict[str, Any]:
    """Return the JSON Schema of a whole stack file, for editors."""
    platform = platform_schema()
    definitions = platform.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stack file: Pathways on Cloud TPU slices in GKE",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "properties": {
                    "gcp:project": {"type": "string", "description": "Google Cloud project that owns all of it"},
                    PLATFORM_KEY: platform,
                },
                "required": ["gcp:project", PLATFORM_KEY],
            }
        },
        "required": ["config"],
        "$defs": definitions,
    }


def platform_schema() -> dict[str, Any]:
    """Return the JSON Schema of the settings alone."""
    return StackSettings.model_json_schema(by_alias=True)


def keys_at(path: Path) -> list[str]:
    """Return the keys that a mapping at `path` of the settings can have."""
    return sorted({key for schema in _schemas_at(path) for key in schema.get("properties", {})})


def _schemas_at(path: Path) -> list[dict[str, Any]]:
    schemas = list(_alternatives(_platform()))
    for part in path:
        schemas = [found for schema in schemas for each in _child(schema, part) for found in _alternatives(each)]
    return schemas


def _child(schema: dict[str, Any], part: str | int) -> Iterator[dict[str, Any]]:
    if isinstance(part, int):
        child = schema.get("items")
    else:
        child = schema.get("properties", {}).get(part) or schema.get("additionalProperties")
    if isinstance(child, dict):
        yield child


def _alternatives(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schema itself, with references followed, and every member of a union."""
    if "$ref" in schema:
        yield from _alternatives(_platform()["$defs"][schema["$ref"].rpartition("/")[2]])
    for member in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _alternatives(member)
    yield schema


@cache
def _platform() -> dict[str, Any]:
    return platform_schema()
