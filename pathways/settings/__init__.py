"""The settings of a stack: pydantic models of the stack file, one noun a module, and its loader."""

from pathways.settings.capacity import Capacity, FlexStart, OnDemand, Queued, Reservation, Spot
from pathways.settings.cluster import ClusterSettings
from pathways.settings.head import HeadSettings
from pathways.settings.install import InstallSettings, JobSetInstall, PathwaysJobInstall
from pathways.settings.loader import (
    StackNotFound,
    find_stack,
    load_stack_file,
    parse_settings,
    read_stack_file,
    stack_name,
)
from pathways.settings.network import NetworkSettings
from pathways.settings.problems import Problem, SettingsError
from pathways.settings.schema import stack_file_schema
from pathways.settings.scratch import ScratchSettings
from pathways.settings.slices import SliceGroup
from pathways.settings.stack import StackSettings
from pathways.settings.workloads import Elastic, PathwaysWorkload, Resources, Secret, SliceRequest

__all__ = [
    "Capacity",
    "ClusterSettings",
    "Elastic",
    "FlexStart",
    "HeadSettings",
    "InstallSettings",
    "JobSetInstall",
    "NetworkSettings",
    "OnDemand",
    "PathwaysJobInstall",
    "PathwaysWorkload",
    "Problem",
    "Queued",
    "Reservation",
    "Resources",
    "ScratchSettings",
    "Secret",
    "SettingsError",
    "SliceGroup",
    "SliceRequest",
    "Spot",
    "StackNotFound",
    "StackSettings",
    "find_stack",
    "load_stack_file",
    "parse_settings",
    "read_stack_file",
    "stack_file_schema",
    "stack_name",
]
