"""Kubernetes objects of a stack, as plain data."""

from pathways.manifests.colocation import colocated_head_priorities
from pathways.manifests.connection import connection_to
from pathways.manifests.controller import ControllerRefusal, jobset_of_pathways_job
from pathways.manifests.labels import HEAD_LABELS, SYSTEM_LABELS, group_labels, group_selector
from pathways.manifests.objects import Manifest, namespace, priority_class
from pathways.manifests.overrides import overridden_paths
from pathways.manifests.pathways_job import pathways_job
from pathways.manifests.queues import (
    cluster_queues,
    cohort,
    local_queues,
    resource_flavors,
    workload_priority_classes,
)
from pathways.manifests.workload import accounts_off_the_host_network, manifest_of, service_accounts, service_of

__all__ = [
    "HEAD_LABELS",
    "SYSTEM_LABELS",
    "ControllerRefusal",
    "Manifest",
    "accounts_off_the_host_network",
    "cluster_queues",
    "cohort",
    "colocated_head_priorities",
    "connection_to",
    "group_labels",
    "group_selector",
    "jobset_of_pathways_job",
    "local_queues",
    "manifest_of",
    "namespace",
    "overridden_paths",
    "pathways_job",
    "priority_class",
    "resource_flavors",
    "service_accounts",
    "service_of",
    "workload_priority_classes",
]
