"""The package schema that the engine asks a provider for, from what is known of the resource types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pathways.gcp import Property, resource_tokens, resource_type


@cache
def schema_document(version: str) -> str:
    """JSON text of the schema; resource types and their properties, no functions."""
    types: dict[str, Any] = {}
    resources = {token: _resource(token, types) for token in resource_tokens()}
    return json.dumps({"name": "gcp", "version": version, "types": types, "resources": resources})


def _resource(token: str, types: dict[str, Any]) -> dict[str, Any]:
    resource = resource_type(token)
    declared = {name: what for name, what in resource.properties.items() if name != "id"}
    specs = {name: _spec(what, token, types) for name, what in declared.items()}
    return {
        "properties": specs,
        "inputProperties": {name: specs[name] for name, what in declared.items() if what.is_input},
        "requiredInputs": [name for name, what in declared.items() if what.required and name != resource.name_property],
    }


def _spec(what: Property, parent: str, types: dict[str, Any]) -> dict[str, Any]:
    if what.properties is not None:
        element = {"$ref": f"#/types/{_nested(what, what.properties, parent, types)}"}
    else:
        element = {"type": what.items or "string"}
    if what.type in ("list", "set"):
        return {"type": "array", "items": element}
    if what.type == "map":
        return {"type": "object", "additionalProperties": element}
    return element if what.type == "object" else {"type": what.type}


def _nested(what: Property, properties: Mapping[str, Property], parent: str, types: dict[str, Any]) -> str:
    """Declares the type of a nested object; returns its token, such as gcp:container/NodePoolAutoscaling:..."""
    module, _, owner = parent.rpartition(":")
    name = f"{owner}{what.name[0].upper()}{what.name[1:]}"
    token = f"{module.partition('/')[0]}/{name}:{name}"
    types[token] = {
        "type": "object",
        "properties": {name: _spec(inner, token, types) for name, inner in properties.items()},
        "required": [name for name, inner in properties.items() if inner.required],
    }
    return token
