"""The data file is whole: what its rules name exists, and it knows what the provider's Python package declares."""

import importlib
import inspect

import pytest

from pathways.gcp import resource_tokens, resource_type

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_gcp")


def properties_below(declared, prefix=""):
    for name, what in declared.items():
        yield f"{prefix}{name}", what
        if what.properties:
            yield from properties_below(what.properties, f"{prefix}{name}.")


@pytest.mark.parametrize("token", resource_tokens())
def test_every_rule_names_properties_that_exist(token):
    known = dict(properties_below(resource_type(token).properties))
    for path, what in known.items():
        for other in (*what.conflicts_with, *what.exactly_one_of, *what.at_least_one_of, *what.required_with):
            assert other in known, f"{token} {path} names {other}"


@pytest.mark.parametrize("token", resource_tokens())
def test_what_a_program_must_give_is_what_the_package_requires(token):
    _, module, kind = token.split(":")
    arguments = getattr(importlib.import_module(f"pulumi_gcp.{module.split('/')[0]}"), f"{kind}Args")
    required = {
        name
        for name, parameter in inspect.signature(arguments.__init__).parameters.items()
        if parameter.default is inspect.Parameter.empty and name not in ("self", "__self__")
    }
    resource = resource_type(token)
    declared = {name for name, what in resource.properties.items() if what.required} - {resource.name_property}
    assert {snake(name) for name in declared} == required


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
