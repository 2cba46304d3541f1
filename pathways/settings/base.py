"""What all settings have in common: how keys are written, and the kinds of text and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Annotated, Any, NamedTuple, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    StringConstraints,
    TypeAdapter,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, ValidationError

from pathways.wording import quoted

MAX_REPLICAS = 2**31 - 1
"""Kubernetes counts in 32 bits."""


class Fault(NamedTuple):
    """Something wrong among values that are right each by itself. path: of the value at fault, from the mapping."""

    path: tuple[str | int, ...]
    message: str


class Settings(BaseModel):
    """A mapping of the stack file: keys in camelCase, none but the declared ones, values of exactly the given kind.

    What must hold among the values of a mapping is told by methods that are marked with `must_hold`. All that is wrong
    is told at once: such a method runs also when values that it does not read are wrong.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        strict=True,
    )

    @model_validator(mode="wrap")
    @classmethod
    def _tell_all(cls, written: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            settings = handler(written)
        except ValidationError as error:
            if not isinstance(written, dict):
                raise
            found = [_again(details) for details in error.errors(include_url=False)]
            wrong = {details["loc"][0] for details in found if details["loc"]}
            faults = list(_faults_of_part(cls._part(written, wrong)))
        else:
            found = []
            faults = [fault for check in _checks(settings) for fault in check()]
        found += [InitErrorDetails(type=refused(message), loc=path, input=None) for path, message in faults]
        if found:
            raise ValidationError.from_exception_data(cls.__name__, found)
        return settings

    @classmethod
    def _part(cls, written: dict[str, Any], wrong: set[str | int]) -> Self:
        """Return settings without the attributes whose keys are `wrong`, or were wrong but for what is derived."""
        part = cls.model_construct()
        for name, field in cls.model_fields.items():
            key = field.alias or name
            if key in written or key in wrong:
                part.__dict__.pop(name, None)
            if key in written and key not in wrong:
                with suppress(ValidationError):
                    part.__dict__[name] = _adapter(cls, name).validate_python(written[key])
        return part


def defaults(model: type[Settings]) -> Any:
    """Return the field whose default is a model with all its defaults, which costs nothing before it is needed."""
    return Field(default_factory=model.model_construct)


Check = Callable[[Any], Iterator[Fault]]


def must_hold(method: Check) -> Check:
    """Mark a method of Settings that yields what is wrong among its values."""
    method.must_hold = True  # type: ignore[attr-defined]
    return method


def _checks(settings: Settings) -> list[Callable[[], Iterator[Fault]]]:
    members = [member for model in type(settings).__mro__ for member in vars(model).values()]
    functions = [member for member in members if isinstance(member, FunctionType)]
    return [getattr(settings, function.__name__) for function in functions if hasattr(function, "must_hold")]


def _faults_of_part(part: Settings) -> Iterator[Fault]:
    """Yield the faults that can be seen in a part of the settings; a check that reads what is not there is left out."""
    for check in _checks(part):
        with suppress(AttributeError):
            yield from check()


def _again(details: ErrorDetails) -> InitErrorDetails:
    """Return an error in the form in which it can be raised once more."""
    kind: str | PydanticCustomError = details["type"]
    context = details.get("ctx", {})
    if kind == _REFUSED:
        kind = refused(context["message"])
    return InitErrorDetails(type=kind, loc=details["loc"], input=details["input"], ctx=context)


@cache
def _adapter(model: type[Settings], name: str) -> TypeAdapter[Any]:
    """Return the validator of one field."""
    field = model.model_fields[name]
    kind: Any = field.annotation
    if field.metadata:
        kind = Annotated[(kind, *field.metadata)]
    is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
    return TypeAdapter(kind, config=None if is_model else ConfigDict(strict=True))


NAME = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"
PROJECT = r"^([a-z0-9.-]+:)?[a-z][-a-z0-9]*[a-z0-9]$"
VERSION = r"^[0-9]+\.[0-9]+\.[0-9]+$"
ZONE = r"^[a-z]+-[a-z]+[0-9]+-[a-z]+[0-9]*[a-z]?$"
REGION_OR_ZONE = r"^[a-z]+-[a-z]+[0-9]+(-[a-z]+[0-9]*[a-z]?)?$"
TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
RBAC_GROUP = r"^gke-security-groups@[^@\s]+\.[^@\s]+$"
KEY = r"^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$"
NUMBER = r"^[0-9]+$"
CHANNEL = r"^projects/[^/]+/notificationChannels/[0-9]+$"
EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
FOLDER = r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$"
_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_TEXT = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
LABEL_KEY = rf"^({_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_LABEL_TEXT}$"
LABEL_VALUE = rf"^({_LABEL_TEXT})?$"
LOCATION = r"^gs://[a-z0-9][-_.a-z0-9]*[a-z0-9](/.*)?$"
XLA_FLAG = r"^--xla_[A-Za-z0-9_]+=.*$"

MEANING_OF_PATTERN = {
    NAME: "a name: lower-case letters, digits and dashes, a letter first, no dash last",
    PROJECT: "the id of a project: lower-case letters, digits and dashes, a letter first, no dash last",
    VERSION: "a version of three numbers, such as 0.8.3",
    ZONE: "a zone, such as us-east5-b",
    REGION_OR_ZONE: "a region or a zone, such as us-east5 or us-east5-b",
    TIME_OF_DAY: "a time of day, such as 02:00, in quotes",
    RBAC_GROUP: "a group by the name that GKE wants, such as gke-security-groups@example.com",
    KEY: "a key of Cloud KMS, such as projects/P/locations/us-east5/keyRings/R/cryptoKeys/K",
    NUMBER: "a project's number, in quotes",
    VARIABLE: "a variable's name: letters, digits and underscores, no digit first",
    CHANNEL: "a notification channel, such as projects/my-project/notificationChannels/123",
    EMAIL: "an e-mail address",
    LABEL_KEY: "a key of Kubernetes, such as team or example.com/team, of 63 characters at most after the slash",
    LABEL_VALUE: "a label's value: letters, digits, dashes, dots and underscores, 63 at most, no mark at either end",
    LOCATION: "a place in Cloud Storage, such as gs://my-bucket/hlo/",
    XLA_FLAG: "a flag of XLA, such as --xla_tpu_scoped_vmem_limit_kib=65536",
    FOLDER: "a folder, such as team/pathways: letters, digits, dots, dashes and underscores, no slash at either end",
}

Text = Annotated[str, StringConstraints(min_length=1, max_length=65_536)]
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=63)]
"""A DNS label that begins with a letter (RFC 1035)."""
Positive = Annotated[int, Field(ge=1, le=MAX_REPLICAS)]
NotNegative = Annotated[int, Field(ge=0, le=MAX_REPLICAS)]


def repeated(key: str, values: Sequence[str], *below: str) -> Iterator[Fault]:
    """Yield a fault for each value of the list `key` that an earlier one has. below: path in an item of the list."""
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        if first.setdefault(value, index) != index:
            yield Fault((key, index, *below), f"{quoted(value)} is that of {key}[{first[value]}] as well")


_REFUSED = "refused"


def refused(message: str) -> PydanticCustomError:
    """Return the error about a value that a validator raises; `message` becomes the text after the path."""
    return PydanticCustomError(_REFUSED, "{message}", {"message": message})
