"""What the Google Cloud provider declares of its resource types, and how a change of their inputs acts."""

from pathways.gcp.changes import Action, Change, Kind, changes_between
from pathways.gcp.checks import Failure, check_inputs
from pathways.gcp.defaults import is_name_generated, with_defaults, without_defaults_keys
from pathways.gcp.exceptions import refusal_of
from pathways.gcp.schema import Property, ResourceType, UnknownType, resource_tokens, resource_type
from pathways.gcp.values import UNKNOWN, Path, Unknown, format_path, lies_under, parse_path

__all__ = [
    "UNKNOWN",
    "Action",
    "Change",
    "Failure",
    "Kind",
    "Path",
    "Property",
    "ResourceType",
    "Unknown",
    "UnknownType",
    "changes_between",
    "check_inputs",
    "format_path",
    "is_name_generated",
    "lies_under",
    "parse_path",
    "refusal_of",
    "resource_tokens",
    "resource_type",
    "with_defaults",
    "without_defaults_keys",
]
