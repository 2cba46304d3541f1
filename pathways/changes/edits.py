"""One edit at least for each setting of a stack file: what is changed, in which stack, to what.

A new setting needs an entry here, in the order of the schema; a test names those that have none.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pathways.documents import Path as KeyPath
from pathways.gcp import parse_path
from pathways.settings import read_stack_file
from pathways.settings.schema import PLATFORM_KEY

STACKS = Path(__file__).with_name("stacks")

EVERYTHING, CONTROLLER, IN_CLUSTER, IN_NETWORK = "everything", "controller", "in-cluster", "in-network"
"""Names of the stacks that are changed: one says all that can be said, jobs being JobSets; one has the PathwaysJob
controller, and says little; two are in a cluster or a network that exists."""


@dataclass(frozen=True)
class Edit:
    """A change of one setting.

    at: where, such as slices[0].count. to: its new value. instead_of: the key beside it that goes, of two that exclude
    each other. also: what must change with it, by path. stack: that is changed. aside: what the effects do not tell.
    """

    at: str
    to: Any
    instead_of: str = ""
    also: Mapping[str, Any] = field(default_factory=dict)
    stack: str = EVERYTHING
    aside: str = ""

    @property
    def setting(self) -> str:
        """The setting as the schema has it: slices[].count."""
        return re.sub(r"\[\d+\]", "[]", self.at)

    @property
    def noun(self) -> str:
        """The first part of the path: slices."""
        return re.split(r"[\[.]", self.at)[0]

    @property
    def before(self) -> Any:
        """The value that it replaces; None where there is none."""
        path = parse_path(self.at)
        return _value(platform(self.stack), (*path[:-1], self.instead_of) if self.instead_of else path)

    @property
    def after(self) -> dict[str, Any]:
        """The settings of the stack once they are changed."""
        edited = copy.deepcopy(platform(self.stack))
        path = parse_path(self.at)
        if self.instead_of:
            del _value(edited, path[:-1])[self.instead_of]
        for where, value in ((path, self.to), *((parse_path(text), value) for text, value in self.also.items())):
            _set(edited, where, value)
        return edited


@cache
def platform(stack: str) -> dict[str, Any]:
    """Return the settings of a stack that is changed, as they are written."""
    settings: dict[str, Any] = config(stack)[PLATFORM_KEY]
    return settings


@cache
def config(stack: str) -> dict[str, Any]:
    """Return the whole configuration of a stack that is changed."""
    found: dict[str, Any] = read_stack_file(STACKS / f"Pulumi.{stack}.yaml")["config"]
    return found


def _value(settings: Any, path: KeyPath) -> Any:
    """Return what is at a path; None where nothing is."""
    for step in path:
        settings = settings.get(step) if isinstance(settings, dict) else settings and settings[step]
    return settings


def _set(settings: Any, path: KeyPath, value: Any) -> None:
    """Put a value at a path, with the mappings on the way that are not there; None takes the value away."""
    for step in path[:-1]:
        settings = settings.setdefault(step, {}) if isinstance(settings, dict) else settings[step]
    if value is None:
        del settings[path[-1]]
    else:
        settings[path[-1]] = value


ELASTIC, PLAIN, HOSTS = "workloads[0]", "workloads[1]", "workloads[2]"
NAMED, SHAPED = "slices[0]", "slices[1]"
AGES = "Ages reach a bucket that stands with overwriteLifecycle alone."
EXISTING_NETWORK = "network.existing"
KEY = "projects/my-project/locations/us-east5/keyRings/ring/cryptoKeys/{}"
RESERVATION = f"{SHAPED}.capacity.reservation"
EDITS = (
    Edit("environment", "dev"),
    Edit("zone", "us-east5-a"),
    Edit("jax", "0.8.2", aside="A job with a jax of its own keeps it."),
    Edit("namespace", "jobs"),
    Edit("cluster.name", "another"),
    Edit("cluster.existing.location", "us-east5-b", stack=IN_CLUSTER),
    Edit("cluster.releaseChannel", "rapid"),
    Edit("cluster.maintenance.days", ["SU"]),
    Edit("cluster.maintenance.start", "04:00"),
    Edit("cluster.maintenance.hours", 10),
    Edit("cluster.maintenance.upgrades", "patches"),
    Edit("cluster.maintenance.freezes[0].name", "fair"),
    Edit("cluster.maintenance.freezes[0].first", "2027-01-02"),
    Edit("cluster.maintenance.freezes[0].last", "2027-01-09"),
    Edit("cluster.dnsEndpoint", False),
    Edit("cluster.authorizedNetworks", {"office": "10.200.0.0/16", "other": "10.201.0.0/16"}),
    Edit("cluster.binaryAuthorization", True),
    Edit("cluster.securityPosture", "off"),
    Edit("cluster.rbacGroup", "gke-security-groups@example.org"),
    Edit("cluster.deletionProtection", False),
    Edit("cluster.concurrentOperations", 2),
    Edit(f"{EXISTING_NETWORK}.network", "other", stack=IN_NETWORK),
    Edit(f"{EXISTING_NETWORK}.subnetwork", "other", stack=IN_NETWORK),
    Edit(f"{EXISTING_NETWORK}.podRange", "other", stack=IN_NETWORK),
    Edit(f"{EXISTING_NETWORK}.serviceRange", "other", stack=IN_NETWORK),
    Edit(f"{EXISTING_NETWORK}.project", "third-project", stack=IN_NETWORK),
    Edit("network.nodeRange", "10.1.0.0/18"),
    Edit("network.nodeRange", "10.0.0.0/17"),
    Edit("network.podRange", "10.96.0.0/11"),
    Edit("network.serviceRange", "10.33.0.0/20"),
    Edit("network.controlPlaneRange", "172.16.0.48/28"),
    Edit("network.secondNicRange", "10.129.0.0/18"),
    Edit("network.flowLogs", True),
    Edit("system.machineType", "e2-standard-8"),
    Edit("system.minNodes", 2),
    Edit("system.maxNodes", 4),
    Edit("head.machineType", "n2-standard-80"),
    Edit("head.minNodes", 2),
    Edit("head.maxNodes", 5),
    Edit(f"{NAMED}.name", "renamed", also={f"{ELASTIC}.slices.group": "renamed", "queues[0].slices": {"renamed": 1}}),
    Edit(f"{NAMED}.tpu", "v6e-32"),
    Edit(f"{SHAPED}.machineType", "ct6e-standard-8t"),
    Edit(f"{SHAPED}.topology", "4x4"),
    Edit(f"{NAMED}.count", 3),
    Edit(f"{NAMED}.count", 1, also={f"{ELASTIC}.slices.count": 1}),
    Edit(f"{NAMED}.spares", 2),
    Edit(f"{NAMED}.spares", 0),
    Edit(f"{NAMED}.capacity.spot", {}, instead_of="onDemand"),
    Edit(f"{RESERVATION}.name", "others"),
    Edit(f"{RESERVATION}.project", "third-project"),
    Edit(f"{RESERVATION}.block", "block-2"),
    Edit(f"{RESERVATION}.subBlock", "part-2"),
    Edit(f"{RESERVATION}.chips", 16),
    Edit("slices[2].capacity.onDemand", {}, instead_of="spot"),
    Edit(f"{NAMED}.capacity.flexStart", {}, instead_of="onDemand", also={f"{NAMED}.autoscaled": None}),
    Edit(f"{NAMED}.capacity.queued", {}, instead_of="onDemand", also={f"{NAMED}.autoscaled": None}),
    Edit(f"{NAMED}.autoscaled", True),
    Edit(f"{NAMED}.networking", "singleNic"),
    Edit(f"{SHAPED}.networking", "secondNic"),
    Edit("scratch.enabled", False, also={"scratch.profiles": None, "scratch.dumps": None}),
    Edit("scratch.bucket", "another-scratch"),
    Edit("scratch.prefix", "other"),
    Edit("scratch.expireDays", 14, aside=AGES),
    Edit("scratch.abortedUploadDays", 2, aside=AGES),
    Edit("scratch.profiles.prefix", "traces"),
    Edit("scratch.profiles.expireDays", 60, aside=AGES),
    Edit("scratch.dumps.prefix", "compiler", aside="A job that dumps there is replaced."),
    Edit("scratch.dumps.expireDays", 14, aside=AGES),
    Edit("scratch.overwriteLifecycle", True, also={"scratch.expireDays": 14}),
    Edit("checkpoints.bucket", "another-checkpoints"),
    Edit("checkpoints.recoverableDays", 14),
    Edit("checkpoints.abortedUploadDays", 14),
    Edit("encryption.key", KEY.format("other")),
    Edit("encryption.key", KEY.format("first"), stack=CONTROLLER),
    Edit("encryption.projectNumber", "987654321"),
    Edit("priorities", {"high": 3000, "low": 1000}),
    Edit("priorities", {"high": 2000, "low": 1000, "middle": 1500}),
    Edit("queues[0].name", "renamed", also={f"{ELASTIC}.queue": "renamed"}),
    Edit("queues[0].slices", {"named": 2}),
    Edit("queues[0].weight", 2),
    Edit(f"{ELASTIC}.slices.group", "hosts", also={f"{ELASTIC}.slices.count": 1}),
    Edit(f"{ELASTIC}.slices.count", 1),
    Edit(f"{ELASTIC}.image", "python:3.14"),
    Edit(f"{ELASTIC}.command", ["sh"]),
    Edit(f"{ELASTIC}.args", ["-c", "pass"]),
    Edit(f"{ELASTIC}.env", {"LOG": "debug"}),
    Edit(f"{ELASTIC}.mounts[0].path", "/other"),
    Edit(f"{ELASTIC}.mounts[0].claim", "other"),
    Edit(f"{ELASTIC}.mounts[0].secret", "keys", instead_of="claim"),
    Edit(f"{ELASTIC}.mounts[0].configMap", "files", instead_of="claim"),
    Edit(f"{ELASTIC}.mounts[0].readOnly", True),
    Edit(f"{PLAIN}.jax", "0.8.2"),
    Edit(f"{ELASTIC}.priority", "low"),
    Edit(f"{ELASTIC}.queue", "other"),
    Edit(f"{ELASTIC}.jobRestarts", 5),
    Edit(f"{ELASTIC}.maintenanceCounts", True),
    Edit(f"{ELASTIC}.noRestartOnExitCodes", [3]),
    Edit(f"{ELASTIC}.autocheckpoint", True, also={f"{ELASTIC}.terminationGraceSeconds": None}),
    Edit(f"{ELASTIC}.terminationGraceSeconds", 90),
    Edit(f"{ELASTIC}.timeToLiveSeconds", 7200),
    Edit(f"{ELASTIC}.imagePullPolicy", "IfNotPresent"),
    Edit(f"{ELASTIC}.imagePullSecrets", ["other"]),
    Edit(f"{ELASTIC}.labels", {"team": "product"}),
    Edit(f"{ELASTIC}.annotations", {"owner": "another"}),
    Edit(f"{ELASTIC}.overrides.metadata", {"labels": {"more": "no"}}),
    Edit(f"{ELASTIC}.overrides.spec", {"suspend": True}),
    Edit(f"{ELASTIC}.name", "renamed"),
    Edit(f"{PLAIN}.kind", "multislice", also={f"{PLAIN}.recovery": None, f"{PLAIN}.sliceRestarts": None}),
    Edit(f"{PLAIN}.mode", "headless", also={f"{PLAIN}.image": None}),
    Edit(f"{ELASTIC}.resources.cpus", 10),
    Edit(f"{ELASTIC}.resources.memoryGib", 40),
    Edit(f"{ELASTIC}.resources.sharedMemoryGib", 20),
    Edit(f"{ELASTIC}.port", 8001),
    Edit(f"{ELASTIC}.recovery", "job"),
    Edit(f"{PLAIN}.sliceRestarts", 5),
    Edit(f"{ELASTIC}.elastic.slices", 2),
    Edit(f"{ELASTIC}.elastic.mode", "pauseResume"),
    Edit(f"{ELASTIC}.head.nodeSelector", {"disk": "fast"}),
    Edit(f"{ELASTIC}.head.tolerations[0].key", "other"),
    Edit(f"{ELASTIC}.head.tolerations[0].operator", "Exists", also={f"{ELASTIC}.head.tolerations[0].value": None}),
    Edit(f"{ELASTIC}.head.tolerations[0].value", "others"),
    Edit(f"{ELASTIC}.head.tolerations[0].effect", "NoExecute"),
    Edit(f"{ELASTIC}.head.serviceAccount", "other"),
    Edit(f"{ELASTIC}.head.colocated", True),
    Edit(f"{ELASTIC}.workers.nodeSelector", {"disk": "fast"}),
    Edit(f"{ELASTIC}.workers.tolerations[0].key", "other"),
    Edit(
        f"{ELASTIC}.workers.tolerations[0].operator", "Exists", also={f"{ELASTIC}.workers.tolerations[0].value": None}
    ),
    Edit(f"{ELASTIC}.workers.tolerations[0].value", "others"),
    Edit(f"{ELASTIC}.workers.tolerations[0].effect", "NoExecute"),
    Edit(f"{ELASTIC}.workers.serviceAccount", "other"),
    Edit(f"{ELASTIC}.workers.sharedMemoryGib", 32),
    Edit(f"{ELASTIC}.components.resourceManager.image", "manager:2"),
    Edit(f"{ELASTIC}.components.resourceManager.flags", ["--v=2"]),
    Edit(f"{ELASTIC}.components.resourceManager.env", {"A": "2"}),
    Edit(f"{ELASTIC}.components.proxy.image", "proxy:2"),
    Edit(f"{ELASTIC}.components.proxy.flags", ["--v=2"]),
    Edit(f"{ELASTIC}.components.proxy.env", {"A": "2"}),
    Edit(f"{ELASTIC}.components.workers.image", "worker:2"),
    Edit(f"{ELASTIC}.components.workers.flags", ["--v=2"]),
    Edit(f"{ELASTIC}.components.workers.env", {"A": "2"}),
    Edit(f"{ELASTIC}.components.sidecar.image", "sidecar:2"),
    Edit(f"{ELASTIC}.components.sidecar.flags", ["--v=2"]),
    Edit(f"{ELASTIC}.components.sidecar.env", {"A": "2"}),
    Edit(f"{ELASTIC}.metrics", True),
    Edit(f"{ELASTIC}.persistence", True),
    Edit(f"{ELASTIC}.proxyTimeoutSeconds", 900),
    Edit(f"{ELASTIC}.xla.flags", ["--xla_tpu_scoped_vmem_limit_kib=98304"]),
    Edit(f"{PLAIN}.xla.dump", True),
    Edit(f"{ELASTIC}.xla.dumpTo", "gs://dumps/b/"),
    Edit(f"{ELASTIC}.profiling.token.secret", "other"),
    Edit(f"{ELASTIC}.profiling.token.key", "other"),
    Edit(f"{ELASTIC}.profiling.locations", ["gs://profiles/b/"]),
    Edit(f"{HOSTS}.hostNetwork", False),
    Edit(f"{HOSTS}.privileged", True),
    Edit("workloads[1].sharesGroup", True, stack=CONTROLLER, aside="With queues it changes nothing."),
    Edit("replaceable", ["elastic"], aside="The engine no longer refuses to replace these jobs."),
    Edit("install.jobset.enabled", False, aside="The custom resource goes, and all jobs with it."),
    Edit("install.jobset.version", "0.11.1", also={f"{ELASTIC}.recovery": "job"}),
    Edit("install.jobset.source", "oci://example.com/charts/jobset"),
    Edit("install.pathwaysJob.enabled", False, stack=CONTROLLER),
    Edit("install.pathwaysJob.version", "0.1.5", stack=CONTROLLER),
    Edit("install.pathwaysJob.source", "install.yaml", stack=CONTROLLER),
    Edit("install.kueue.version", "0.16.0"),
    Edit("install.kueue.source", "oci://example.com/charts/kueue"),
    Edit("monitoring.enabled", False),
    Edit("monitoring.emails", ["another@example.com"]),
    Edit("monitoring.channels", ["projects/my-project/notificationChannels/2"]),
    Edit("tpuVms[0].name", "other"),
    Edit("tpuVms[0].tpu", "v6e-16"),
    Edit("tpuVms[0].runtimeVersion", "v2-alpha-tpuv6e-ub2404"),
    Edit("tpuVms[0].externalIps", True),
    Edit("budget", 2000),
    Edit("rates", {"v6e": 3.0}),
)
