"""Where the VMs of a slice come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    Tag,
    model_validator,
)
from pydantic_core import CoreSchema

from pathways.settings.base import (
    MEANING_OF_PATTERN,
    NAME,
    PROJECT,
    Fault,
    Name,
    Positive,
    Settings,
    must_hold,
    refused,
)
from pathways.wording import quoted


class Spot(Settings):
    """Cheap, and taken back at any time. Counts against the preemptible quota."""


class OnDemand(Settings):
    """As long as it is wanted, when there is any. Counts against the standard quota."""


class FlexStart(Settings):
    """Waits for capacity, which stays for seven days at most."""


class Queued(Settings):
    """Queued provisioning: nodes come for one workload, all at once, and go with it."""


_PATH = re.compile(
    r"(?:projects/(?P<project>[^/]+)/reservations/)?(?P<name>[^/]+)"
    r"(?:/reservationBlocks/(?P<block>[^/]+)(?:/reservationSubBlocks/(?P<subBlock>[^/]+))?)?"
)


def _short_name(name: str) -> str:
    if "/" in name:
        raise refused(
            f"{quoted(name)} is no reservation; write its name, or a path such as"
            " projects/P/reservations/R/reservationBlocks/B, and what the path says nowhere else"
        )
    if not re.fullmatch(NAME, name):
        raise refused(f"{quoted(name)} is not {MEANING_OF_PATTERN[NAME]}")
    return name


class Reservation(Settings):
    """VMs of a reservation, and of no other. Its name alone, or its path as Google Cloud shows it."""

    name: Annotated[str, AfterValidator(_short_name)]
    """Its name, or projects/P/reservations/R/reservationBlocks/B/reservationSubBlocks/S, or a part of such a path."""
    project: Annotated[str, StringConstraints(pattern=PROJECT)] | None = None
    """Project that owns it, where that is not the stack's."""
    block: Name | None = None
    """Block of the reservation."""
    sub_block: Name | None = None
    """Sub-block of the block."""
    chips: Positive | None = None
    """Chips that it holds, where that is known: the plan then tells whether they suffice."""

    @model_validator(mode="before")
    @classmethod
    def _take_path_apart(cls, written: Any) -> Any:
        """Fill in what the path says, where nothing else does."""
        path = _PATH.fullmatch(str(written.get("name"))) if isinstance(written, dict) else None
        parts = {key: part for key, part in path.groupdict().items() if part} if path else {}
        return {**written, **parts} if parts and parts.keys() & written.keys() == {"name"} else written

    @must_hold
    def _blocks_are_nested(self) -> Iterator[Fault]:
        if self.sub_block and not self.block:
            yield Fault(("subBlock",), "is of a block; name that as well")


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
