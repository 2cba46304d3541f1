"""A controller from its own chart, in a namespace of its own: what JobSet's and Kueue's have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.helm.v4 import Chart

from pathways.settings import JobSetInstall, KueueInstall


@dataclass(frozen=True)
class ControllerChartArgs:
    """What a controller's chart is made from.

    chart: name of release and project; settings: its version, and where it is: an OCI reference or a local folder.
    values: of the chart. transforms: of its objects. cluster: what they are deleted with. after: what must stand
    before.
    """

    chart: str
    settings: JobSetInstall | KueueInstall
    values: Mapping[str, Any]
    transforms: Sequence[pulumi.ResourceTransform]
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


def image_of(chart: str, version: str) -> dict[str, str]:
    """Return repository and tag of the controller's image: charts name staging images of a branch."""
    return {"repository": f"registry.k8s.io/{chart}/{chart}", "tag": f"v{version}"}


def declare_controller(parent: pulumi.ComponentResource, name: str, args: ControllerChartArgs) -> str:
    """Declare namespace and chart as children of an install, and return the namespace's name.

    The controller writes its webhooks' certificate into a Secret that the chart declares empty: its data is the
    controller's, and is ignored.
    """
    settings, namespace_name = args.settings, f"{args.chart}-system"
    namespace = Namespace(
        f"{name}-namespace",
        metadata={"name": namespace_name, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
        opts=pulumi.ResourceOptions(parent=parent, depends_on=args.after, deleted_with=args.cluster),
    )
    Chart(
        f"{name}-chart",
        name=args.chart,
        namespace=namespace_name,
        chart=settings.location,
        version=settings.version if settings.location.startswith("oci://") else None,
        values=args.values,
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=[namespace],
            deleted_with=args.cluster,
            transforms=[left_to_controller(f"{args.chart}-webhook-server-cert"), *args.transforms],
        ),
    )
    return namespace_name


def left_to_controller(secret: str) -> pulumi.ResourceTransform:
    """Return the transform that ignores the data of the Secret of that name."""

    def leave(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != "kubernetes:core/v1:Secret" or not args.name.endswith(secret):
            return None
        ignore = pulumi.ResourceOptions(ignore_changes=["data"])
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, ignore))

    return leave
