"""Property values on the wire between the engine and a provider, and as Python has them here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import struct_pb2

from pathways.gcp import UNKNOWN, Property

_UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
_SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
_RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"


def decode(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Plain values; secrets and outputs are unwrapped, unknown ones become UNKNOWN, nulls are left out."""
    return {key: value for key, value in ((k, _decode(v)) for k, v in struct.fields.items()) if value is not None}


def encode(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """The wire form; nulls are left out."""
    struct = struct_pb2.Struct()
    for key, value in values.items():
        if value is not None:
            struct.fields[key].CopyFrom(_encode(value))
    return struct


def with_secrets(declared: Mapping[str, Property], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those that the provider calls sensitive marked, for the engine to keep them encrypted."""
    return {name: _with_secrets(declared[name], value) if name in declared else value for name, value in values.items()}


def _with_secrets(what: Property, value: Any) -> Any:
    if what.sensitive and value:
        return {_SIGNATURE_KEY: _SECRET, "value": value}
    if what.properties and isinstance(value, dict):
        return with_secrets(what.properties, value)
    return value


def _decode(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value == _UNKNOWN_TEXT else value.string_value
    if kind == "number_value":
        return int(value.number_value) if value.number_value.is_integer() else value.number_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_decode(item) for item in value.list_value.values]
    if kind == "struct_value":
        return _decode_object(value.struct_value)
    return None


def _decode_object(struct: struct_pb2.Struct) -> Any:
    plain = decode(struct)
    signature = plain.get(_SIGNATURE_KEY)
    if signature == _SECRET:
        return plain.get("value")
    if signature == _OUTPUT:
        return plain.get("value", UNKNOWN)
    if signature == _RESOURCE:
        return plain.get("id") or plain.get("urn")
    return plain


def _encode(value: Any) -> struct_pb2.Value:
    if value is UNKNOWN:
        return struct_pb2.Value(string_value=_UNKNOWN_TEXT)
    if isinstance(value, bool):
        return struct_pb2.Value(bool_value=value)
    if isinstance(value, int | float):
        return struct_pb2.Value(number_value=value)
    if isinstance(value, str):
        return struct_pb2.Value(string_value=value)
    if isinstance(value, Mapping):
        return struct_pb2.Value(struct_value=encode(value))
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[_encode(item) for item in value]))
