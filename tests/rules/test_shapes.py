"""The shape that manifests are held to is that of the custom resource that is installed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from pathways.resources import Resource
from pathways.rules.kinds import PATHWAYS_JOB
from pathways.rules.shapes import SHAPES, faults
from pathways.rules.shapes.pods import POD_TEMPLATE
from pathways.rules.shapes.shape import Shape
from pathways.rules.values import root

INSTALL = Path(__file__).resolve().parents[2] / "sandbox" / "pathways_job" / "install.yaml"
KINDS = {"object": "object", "array": "list", "string": "text", "integer": "integer", "boolean": "boolean"}


def published() -> dict[str, Any]:
    documents = yaml.safe_load_all(INSTALL.read_text(encoding="utf-8"))
    definition = next(document for document in documents if document["kind"] == "CustomResourceDefinition")
    schema: dict[str, Any] = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return schema


def differences(schema: dict[str, Any], shape: Shape, at: str) -> Iterator[str]:
    if shape is POD_TEMPLATE or "x-kubernetes-int-or-string" in schema:
        return
    if KINDS[schema["type"]] != shape.kind:
        yield f"{at}: {schema['type']} and {shape.kind}"
    if sorted(schema.get("required", [])) != sorted(shape.required):
        yield f"{at}: required {schema.get('required')} and {shape.required}"
    if sorted(schema.get("enum", [])) != sorted(shape.legal):
        yield f"{at}: legal {schema.get('enum')} and {shape.legal}"
    if schema.get("maxItems") != (shape.high if shape.kind == "list" else None):
        yield f"{at}: at most {schema.get('maxItems')} and {shape.high}"
    if sorted(schema.get("x-kubernetes-list-map-keys", [])) != sorted(shape.keys):
        yield f"{at}: keys {schema.get('x-kubernetes-list-map-keys')} and {shape.keys}"
    fields = schema.get("properties", {})
    if shape.closed and set(fields) != set(shape.fields):
        yield f"{at}: fields {set(fields) ^ set(shape.fields)}"
    for name in set(fields) & set(shape.fields):
        yield from differences(fields[name], shape.fields[name], f"{at}.{name}")
    if shape.item and "items" in schema:
        yield from differences(schema["items"], shape.item, f"{at}[]")


def test_a_pathways_job_is_what_its_custom_resource_says() -> None:
    assert list(differences(published(), SHAPES[PATHWAYS_JOB].fields["spec"], "spec")) == []


def test_the_same_port_may_be_two_when_the_protocols_differ() -> None:
    def complaints(*ports: dict[str, object]) -> list[str]:
        containers = [{"name": "main", "ports": list(ports)}]
        manifest = Resource("x", "x", {"containers": containers})
        return [fault.message for fault in faults(POD_TEMPLATE.fields["spec"], root(manifest))]

    assert complaints({"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}) == []
    assert len(complaints({"containerPort": 53}, {"containerPort": 53, "protocol": "TCP"})) == 1
