"""The settings of a stack: pydantic models of the stack file, one noun a module, and its loader."""

from pathways.settings.capacity import Capacity, FlexStart, OnDemand, Queued, Reservation, Spot
from pathways.settings.checkpoints import CheckpointSettings
from pathways.settings.cluster import ClusterSettings
from pathways.settings.containers import Pods, Resources, Secret
from pathways.settings.encryption import EncryptionSettings
from pathways.settings.head import HeadSettings
from pathways.settings.install import InstallSettings, JobSetInstall, KueueInstall, PathwaysJobInstall
from pathways.settings.job import Job, SliceRequest
from pathways.settings.loader import (
    StackNotFound,
    find_stack,
    known_stacks,
    load_stack_file,
    parse_settings,
    read_stack_file,
    stack_name,
)
from pathways.settings.maintenance import MaintenanceSettings
from pathways.settings.monitoring import MonitoringSettings
from pathways.settings.multislice_workload import MultisliceWorkload
from pathways.settings.network import ExistingNetwork, NetworkSettings
from pathways.settings.pathways_workload import Component, Elastic, PathwaysWorkload
from pathways.settings.problems import Problem, SettingsError
from pathways.settings.queues import Queue
from pathways.settings.schema import stack_file_schema
from pathways.settings.scratch import ScratchSettings
from pathways.settings.slices import SliceGroup
from pathways.settings.stack import StackSettings
from pathways.settings.system import SystemSettings
from pathways.settings.tpu_vms import TpuVm
from pathways.settings.workloads import Workload

__all__ = [
    "Capacity",
    "CheckpointSettings",
    "ClusterSettings",
    "Component",
    "Elastic",
    "EncryptionSettings",
    "ExistingNetwork",
    "FlexStart",
    "HeadSettings",
    "InstallSettings",
    "Job",
    "JobSetInstall",
    "KueueInstall",
    "MaintenanceSettings",
    "MonitoringSettings",
    "MultisliceWorkload",
    "NetworkSettings",
    "OnDemand",
    "PathwaysJobInstall",
    "PathwaysWorkload",
    "Pods",
    "Problem",
    "Queue",
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
    "SystemSettings",
    "TpuVm",
    "Workload",
    "find_stack",
    "known_stacks",
    "load_stack_file",
    "parse_settings",
    "read_stack_file",
    "stack_file_schema",
    "stack_name",
]
