"""Kueue: its custom resources, controller and webhooks, from its own chart."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import yaml
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.helm.v4 import Chart

from components.webhook_certificate import left_to_controller
from pathways.gke import WEBHOOK_PORT
from pathways.settings import KueueInstall as KueueSettings

NAMESPACE = "kueue-system"
IMAGE_REPOSITORY = "registry.k8s.io/kueue/kueue"
CERTIFICATE_SECRET = "kueue-webhook-server-cert"

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

    The chart names a staging image of a branch; image and tag are therefore always written. The controller writes the
    webhooks' certificate into a Secret that the chart declares empty: its data is the controller's.
    """

    def __init__(self, name: str, args: KueueInstallArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:KueueInstall", name, None, opts)
        settings = args.settings
        namespace = Namespace(
            f"{name}-namespace",
            metadata={"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
            opts=pulumi.ResourceOptions(parent=self, depends_on=args.after, deleted_with=args.cluster),
        )
        Chart(
            f"{name}-chart",
            name="kueue",
            namespace=NAMESPACE,
            chart=settings.location,
            version=settings.version if settings.location.startswith("oci://") else None,
            values={
                "controllerManager": {
                    "manager": {
                        "image": {
                            "repository": IMAGE_REPOSITORY,
                            "tag": f"v{settings.version}",
                            "pullPolicy": "IfNotPresent",
                        },
                        "resources": CONTROLLER_RESOURCES,
                    }
                },
                "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(CONFIGURATION, sort_keys=False)},
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[namespace],
                deleted_with=args.cluster,
                transforms=[left_to_controller(CERTIFICATE_SECRET)],
            ),
        )
        self.register_outputs({"namespace": NAMESPACE})
