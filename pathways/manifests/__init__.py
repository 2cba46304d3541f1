"""Kubernetes objects of a stack, as plain data."""

from pathways.manifests.controller import ControllerRefusal, jobset_of_pathways_job
from pathways.manifests.labels import HEAD_LABELS, group_labels, group_selector
from pathways.manifests.objects import Manifest, namespace, priority_class
from pathways.manifests.pathways_job import pathways_job

__all__ = [
    "HEAD_LABELS",
    "ControllerRefusal",
    "Manifest",
    "group_labels",
    "group_selector",
    "jobset_of_pathways_job",
    "namespace",
    "pathways_job",
    "priority_class",
]
