"""What all settings have in common: how keys are written, and the kinds of text and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

MAX_REPLICAS = 2**31 - 1
"""Kubernetes counts in 32 bits."""


class Fault(NamedTuple):
    """Something wrong among values that are right each by itself. path: of the value at fault, from the mapping."""

    path: tuple[str | int, ...]
    message: str


class Settings(BaseModel):
    """A mapping of the stack file: keys in camelCase, none but the declared ones, values of exactly the given kind.

    What must hold among the values of a mapping is told by `faults`, all at once.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
    )

    def faults(self) -> Iterator[Fault]:
        """Yield what is wrong among the values. Runs once each of them is right by itself."""
        yield from ()

    @model_validator(mode="after")
    def _no_faults(self) -> Self:
        details = [InitErrorDetails(type=refused(fault.message), loc=fault.path, input=None) for fault in self.faults()]
        if details:
            raise ValidationError.from_exception_data(type(self).__name__, details)
        return self


NAME = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"
VERSION = r"^[0-9]+\.[0-9]+\.[0-9]+$"
ZONE = r"^[a-z]+-[a-z]+[0-9]+-[a-z]+[0-9]*[a-z]?$"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
FOLDER = r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$"

MEANING_OF_PATTERN = {
    NAME: "a name: lower-case letters, digits and dashes, a letter first, no dash last",
    VERSION: "a version of three numbers, such as 0.8.3",
    ZONE: "a zone, such as us-east5-b",
    VARIABLE: "a variable's name: letters, digits and underscores, no digit first",
    FOLDER: "a folder, such as team/pathways: letters, digits, dots, dashes and underscores, no slash at either end",
}

Text = Annotated[str, StringConstraints(min_length=1, max_length=65_536)]
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=63)]
"""A DNS label that begins with a letter (RFC 1035)."""
Positive = Annotated[int, Field(ge=1, le=MAX_REPLICAS)]
NotNegative = Annotated[int, Field(ge=0, le=MAX_REPLICAS)]


def refused(message: str) -> PydanticCustomError:
    """Return the error about a value that a validator raises; `message` becomes the text after the path."""
    return PydanticCustomError("refused", "{message}", {"message": message})
