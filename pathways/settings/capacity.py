"""Where the VMs of a slice come from."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, GetJsonSchemaHandler, Tag
from pydantic_core import CoreSchema

from pathways.settings.base import Name, Settings


class Spot(Settings):
    """Cheap, and taken back at any time. Counts against the preemptible quota."""


class OnDemand(Settings):
    """As long as it is wanted, when there is any. Counts against the standard quota."""


class FlexStart(Settings):
    """Waits for capacity, which stays for seven days at most."""


class Queued(Settings):
    """Queued provisioning: nodes come for one workload, all at once, and go with it."""


class Reservation(Settings):
    """VMs of a reservation, and of no other."""

    name: Name
    """Name of the reservation."""
    project: Name | None = None
    """Project that owns it, where that is not the stack's."""
    block: Name | None = None
    """Block of the reservation."""
    sub_block: Name | None = None
    """Sub-block of the block."""


class _OneKey:
    """In the file a capacity is a mapping with one key, its kind; here it is the model of that kind."""

    kinds = ("spot", "reservation", "onDemand", "flexStart", "queued")

    @staticmethod
    def kind(value: Any) -> str | None:
        if isinstance(value, dict):
            return next(iter(value)) if len(value) == 1 else None
        return next((tag for tag, model in _MODELS.items() if isinstance(value, model)), None)

    @staticmethod
    def content(value: Any) -> Any:
        return next(iter(value.values())) if isinstance(value, dict) else value

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        variants = handler(schema)["oneOf"]
        return {
            "oneOf": [
                {"type": "object", "properties": {kind: variant}, "required": [kind], "additionalProperties": False}
                for kind, variant in zip(self.kinds, variants, strict=True)
            ]
        }


_MODELS = dict(zip(_OneKey.kinds, (Spot, Reservation, OnDemand, FlexStart, Queued), strict=True))
_CONTENT = BeforeValidator(_OneKey.content)

Capacity: TypeAlias = Annotated[
    Annotated[Spot, _CONTENT, Tag("spot")]
    | Annotated[Reservation, _CONTENT, Tag("reservation")]
    | Annotated[OnDemand, _CONTENT, Tag("onDemand")]
    | Annotated[FlexStart, _CONTENT, Tag("flexStart")]
    | Annotated[Queued, _CONTENT, Tag("queued")],
    Discriminator(_OneKey.kind),
    _OneKey(),
    Field(description="Where the VMs come from: exactly one of spot, reservation, onDemand, flexStart and queued"),
]
