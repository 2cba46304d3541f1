"""The JSON Schema of stack files."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

from pathways.documents import Path
from pathways.settings.base import Settings
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
    """Return the JSON Schema of the settings alone, with the docstrings of fields as descriptions."""
    schema = StackSettings.model_json_schema(by_alias=True)
    for model in _models(Settings):
        described = schema if model is StackSettings else schema["$defs"].get(model.__name__, {})
        for parent in model.__mro__:
            for key, text in _field_docstrings(parent).items() if issubclass(parent, Settings) else ():
                described.get("properties", {}).get(key, {}).setdefault("description", text)
    return schema


def _models(model: type[Settings]) -> Iterator[type[Settings]]:
    for child in model.__subclasses__():
        yield child
        yield from _models(child)


def _field_docstrings(model: type[Settings]) -> dict[str, str]:
    """Return the docstring after each field, by key.

    pydantic reads them as well, but at every start, which takes longer than all the rest of a check.
    """
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, after in itertools.pairwise(definition.body):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[model.model_fields[name].alias or name] = inspect.cleandoc(text)
    return found


def keys_at(path: Path) -> list[str]:
    """Return the keys that a mapping at `path` of the settings can have.

    A member of a union may be in the path after what it is the value of: then the keys are of that member alone.
    """
    return sorted({key for schema in _schemas_at(path) for key in schema.get("properties", {})})


def setting_paths() -> list[str]:
    """Return every setting that holds no others, in the order of the schema: slices[].capacity.reservation.name."""
    return list(dict.fromkeys(_paths_below(_platform(), "")))


def _paths_below(schema: dict[str, Any], at: str) -> Iterator[str]:
    """Yield the paths below a schema; its own where there is none, and none of plain items of a list."""
    children = [
        *((f"{at}.{key}" if at else key, child) for key, child in schema.get("properties", {}).items()),
        *([(f"{at}[]", schema["items"])] if "items" in schema else []),
        *((at, each) for each in _alternatives(schema) if each is not schema),
    ]
    found = [path for place, child in children for path in _paths_below(child, place)]
    yield from [path for path in found if path not in (at, f"{at}[]")] or [at]


def _schemas_at(path: Path) -> list[dict[str, Any]]:
    schemas = list(_alternatives(_platform()))
    for part in path:
        below = [found for schema in schemas for each in _child(schema, part) for found in _alternatives(each)]
        schemas = below or schemas
    return schemas


def _child(schema: dict[str, Any], part: str | int) -> Iterator[dict[str, Any]]:
    member = schema.get("discriminator", {}).get("mapping", {}).get(part)
    if member:
        child: Any = {"$ref": member}
    elif isinstance(part, int):
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
