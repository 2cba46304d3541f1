"""Kueue: its custom resources, controller and webhooks, from its own chart."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import yaml

from components.controller_chart import ControllerChartArgs, declare_controller, image_of
from pathways.gke import WEBHOOK_PORT
from pathways.settings import KueueInstall as KueueSettings

CONTROLLER_RESOURCES = {
    "requests": {"cpu": "500m", "memory": "512Mi"},
    "limits": {"cpu": "2", "memory": "4Gi"},
}
"""The chart's own figures but for the limit of memory, which is too little for large clusters.

Source: XPK sizes it by 32 MiB for each node, with 4 GiB at least.
"""

CONFIGURATION = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "health": {"healthProbeBindAddress": ":8081"},
    "metrics": {"bindAddress": ":8443"},
    "webhook": {"port": WEBHOOK_PORT},
    "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    "controller": {
        "groupKindConcurrency": {
            "Job.batch": 5,
            "Workload.kueue.x-k8s.io": 5,
            "LocalQueue.kueue.x-k8s.io": 1,
            "ClusterQueue.kueue.x-k8s.io": 1,
            "ResourceFlavor.kueue.x-k8s.io": 1,
        }
    },
    "clientConnection": {"qps": 50, "burst": 100},
    "integrations": {"frameworks": ["batch/job", "jobset.x-k8s.io/jobset"]},
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}
"""The chart's own configuration, for JobSets and Jobs alone, and with fair sharing of what is borrowed.

Without Jobs, Kueue 0.17.0 refuses every Job of the cluster, those of JobSets too: its webhook panics. Jobs that name no
queue are left alone: taken in, they would be stopped, running ones too.
"""


@dataclass(frozen=True)
class KueueInstallArgs:
    """What a KueueInstall is made from.

    settings: version of chart and image, and where the chart is: an OCI reference or a local folder.
    cluster: what the objects are deleted with. after: what must stand before; JobSet among it.
    """

    settings: KueueSettings
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


class KueueInstall(pulumi.ComponentResource):
    """The Kueue controller, complete when its Deployment is ready, which it is when its webhooks serve.

    It looks for the JobSet resource once, when it starts, so JobSet must be installed before. Its webhooks refuse when
    no one answers, those of JobSets too: every queue and every job must depend on this component.
    """

    def __init__(self, name: str, args: KueueInstallArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:KueueInstall", name, None, opts)
        image = {**image_of("kueue", args.settings.version), "pullPolicy": "IfNotPresent"}
        chart = ControllerChartArgs(
            chart="kueue",
            settings=args.settings,
            values={
                "controllerManager": {"manager": {"image": image, "resources": CONTROLLER_RESOURCES}},
                "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(CONFIGURATION, sort_keys=False)},
            },
            transforms=[],
            cluster=args.cluster,
            after=args.after,
        )
        self.register_outputs({"namespace": declare_controller(self, name, chart)})
