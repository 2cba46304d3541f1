"""A PathwaysJob as the controller sees it: the fields that it reads, and what follows from them."""

from __future__ import annotations

import math
from typing import Any

from pathways.manifests.controller.reading import INT32, INT64, ControllerRefusal, Fields
from pathways.runtime import MAIN_CONTAINER
from pathways.tpu import catalog
from pathways.wording import quoted

ACCELERATOR_LABEL = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY_LABEL = "cloud.google.com/gke-tpu-topology"

COLOCATED = "colocate_head_with_workers"
DEFAULT_SLICE_RESTARTS = 1
"""Default of the custom resource's definition."""
RETRIES_PER_VM = 4


class Job:
    """A PathwaysJob, read. Raises ControllerRefusal where the controller fails.

    Defaults of the custom resource's definition are applied; its other rules are the API server's to hold.
    """

    def __init__(self, manifest: dict[str, Any]) -> None:
        root = Fields(manifest, "PathwaysJob")
        self.metadata = root.fields("metadata")
        self.metadata.path = "metadata"
        spec = Fields(root.mapping("spec"), "spec")
        workers = spec.objects("workers")
        if not workers:
            raise ControllerRefusal("runtime error: index out of range [0] with length 0 (spec.workers is empty)")
        if not spec.has("controller"):
            raise ControllerRefusal(
                "runtime error: invalid memory address or nil pointer dereference (spec.controller is missing)"
            )
        self._read_workers(workers[0])
        self._read_controller(spec.fields("controller"))
        self.max_restarts = spec.number("maxRestarts", INT32)
        self.scratch = spec.text("pathwaysDir")
        self.image_tag = spec.text("pathwaysVersion") or "latest"
        self.components = Components(spec.objects("customComponents"))

    def _read_workers(self, workers: Fields) -> None:
        machine_type, topology = workers.text("type"), workers.text("topology")
        machine = catalog().machines.get(machine_type)
        axes = machine.controller_topologies.get(topology) if machine else None
        if machine is None or axes is None:
            raise ControllerRefusal(
                f"invalid TPU topology for worker type ({quoted(topology)} for {quoted(machine_type)})"
            )
        self.slices = workers.number("numSlices", INT32)
        self.chips_per_vm = machine.chips
        self.vms = max(math.prod(axes) // machine.chips, 1)
        self.instance_type = f"{machine.pathways_type}:{topology}"
        self.slice_restarts = workers.number("maxSliceRestarts", INT32, DEFAULT_SLICE_RESTARTS)
        self.grace_seconds = (
            workers.number("terminationGracePeriodSeconds", INT64)
            if workers.has("terminationGracePeriodSeconds")
            else None
        )
        self.priority_class = workers.text("priorityClassName")
        self.tpu_selector = {
            **workers.labels("nodeSelector"),
            ACCELERATOR_LABEL: machine.generation.accelerator,
            TOPOLOGY_LABEL: topology,
        }

    def _read_controller(self, controller: Fields) -> None:
        mode = controller.text("deploymentMode")
        self.exclusive_head = mode == "default"
        self.colocated = mode == COLOCATED
        self.main_container = controller.text("mainContainerName") or MAIN_CONTAINER
        self.metrics = controller.flag("enableMetricsCollection")
        self.elastic_slices = controller.number("elasticSlices", INT32)
        self.head_template = controller.fields("template").fields("spec") if controller.has("template") else None

    @property
    def name(self) -> str:
        return self.metadata.text("name")

    @property
    def annotations(self) -> dict[str, str]:
        return self.metadata.labels("annotations")

    @property
    def worker_retries(self) -> int:
        """How many pods of a slice may fail. Elastic jobs have fewer by default than others: 1 for each VM, not 4."""
        per_vm = self.slice_restarts if self.elastic_slices > 0 and self.slice_restarts > 0 else RETRIES_PER_VM
        return self.vms * per_vm


class Components:
    """What a job says of the containers that the controller adds, by component type."""

    def __init__(self, entries: list[Fields]) -> None:
        self._entries = entries

    def image(self, component: str) -> str:
        """Return the first image of that component, or nothing."""
        return next((image for entry in self._of(component) if (image := entry.text("image"))), "")

    def flags(self, component: str) -> list[str]:
        """Return the flags of the first entry of that component that has any."""
        return next((flags for entry in self._of(component) if (flags := entry.texts("customFlags"))), [])

    def variables(self, component: str) -> list[dict[str, Any]]:
        """Return the variables of all entries of that component."""
        return [variable.content for entry in self._of(component) for variable in entry.objects("customEnv")]

    def _of(self, component: str) -> list[Fields]:
        return [entry for entry in self._entries if entry.text("componentType") == component]
