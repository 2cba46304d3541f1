"""The PathwaysJob custom resource and its controller, from their published manifest."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.yaml.v2 import ConfigGroup

from pathways.settings import PathwaysJobInstall as PathwaysJobSettings


@dataclass(frozen=True)
class PathwaysJobInstallArgs:
    """What a PathwaysJobInstall is made from.

    settings: where the manifest is, a URL or the path of a local file. cluster: what the objects are deleted with.
    after: what must stand before; JobSet among it.
    """

    settings: PathwaysJobSettings
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


class PathwaysJobInstall(pulumi.ComponentResource):
    """The PathwaysJob CRD and the controller that turns each PathwaysJob into a JobSet.

    It watches JobSets, so JobSet must be installed before it starts. The manifest is read by the provider and not by
    this program: its CRD has 10,000 lines and more, and is too large for anything but server-side apply.
    """

    def __init__(self, name: str, args: PathwaysJobInstallArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:PathwaysJobInstall", name, None, opts)
        ConfigGroup(
            f"{name}-manifest",
            files=[args.settings.location],
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=args.after, deleted_with=args.cluster, transforms=[hold_pods_to_baseline]
            ),
        )
        self.register_outputs({})


def hold_pods_to_baseline(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Label the manifest's namespace, which says nothing about the pods that it admits."""
    if args.type_ != "kubernetes:core/v1:Namespace":
        return None
    metadata = args.props["metadata"]
    labels = {**(metadata.get("labels") or {}), "pod-security.kubernetes.io/enforce": "baseline"}
    return pulumi.ResourceTransformResult(
        props={**args.props, "metadata": {**metadata, "labels": labels}}, opts=args.opts
    )
