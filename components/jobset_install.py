"""JobSet: its custom resource, controller and webhooks, from its own chart."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import yaml

from components.controller_chart import ControllerChartArgs, declare_controller, image_of
from pathways.settings import JobSetInstall as JobSetSettings

CONFIGURATION = "controller_manager_config.yaml"
"""Key of the chart's ConfigMap. Source: chart of JobSet 0.12.0."""

CONTROLLER_RESOURCES = {
    "requests": {"cpu": "500m", "memory": "128Mi"},
    "limits": {"cpu": "2", "memory": "4Gi"},
}
"""The chart's own figures, written out so that an upgrade of it does not change what a head node must spare."""


@dataclass(frozen=True)
class JobSetInstallArgs:
    """What a JobSetInstall is made from.

    settings: version of chart and image, and where the chart is: an OCI reference or a local folder.
    feature_gates: features to switch on that are off by default.
    cluster: what the objects are deleted with. after: what must stand before, such as nodes for the controller.
    """

    settings: JobSetSettings
    feature_gates: Sequence[str]
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


class JobSetInstall(pulumi.ComponentResource):
    """The JobSet controller, complete when its Deployment is ready, which it is when its webhooks serve.

    All its webhooks refuse when no one answers, so every JobSet and PathwaysJob must depend on this component.

    Its CRD is an object of the chart like others here, so that, unlike with Helm, an upgrade reaches it (and its
    removal takes all JobSets with it). The chart has no value for feature gates: they are written into its ConfigMap.
    """

    def __init__(self, name: str, args: JobSetInstallArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:JobSetInstall", name, None, opts)
        chart = ControllerChartArgs(
            chart="jobset",
            settings=args.settings,
            values={
                "image": image_of("jobset", args.settings.version),
                "controller": {"resources": CONTROLLER_RESOURCES},
            },
            transforms=[switching_on(args.feature_gates)],
            cluster=args.cluster,
            after=args.after,
        )
        self.register_outputs({"namespace": declare_controller(self, name, chart)})


def switching_on(feature_gates: Sequence[str]) -> pulumi.ResourceTransform:
    """Return the transform that writes feature gates into the controller's configuration.

    The ConfigMap is named after them, and the Deployment's volume follows: the controller reads its configuration once,
    and the chart's own hash of it does not see what is written here. So the Deployment rolls when gates change, and a
    new pod waits for its own ConfigMap.
    """
    suffix = "".join(f"-{gate.lower()}" for gate in sorted(feature_gates))

    def switch_on(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if not feature_gates:
            return None
        if args.type_ == "kubernetes:core/v1:ConfigMap" and CONFIGURATION in (args.props.get("data") or {}):
            return pulumi.ResourceTransformResult(props=_with_gates(args.props, feature_gates, suffix), opts=args.opts)
        if args.type_ == "kubernetes:apps/v1:Deployment":
            return pulumi.ResourceTransformResult(props=_reading(args.props, suffix), opts=args.opts)
        return None

    return switch_on


def _with_gates(config_map: Mapping[str, Any], feature_gates: Sequence[str], suffix: str) -> dict[str, Any]:
    written = yaml.safe_load(config_map["data"][CONFIGURATION])
    configuration = yaml.safe_dump({**written, "featureGates": dict.fromkeys(feature_gates, True)}, sort_keys=False)
    metadata = {**config_map["metadata"], "name": config_map["metadata"]["name"] + suffix}
    return {**config_map, "metadata": metadata, "data": {**config_map["data"], CONFIGURATION: configuration}}


def _reading(deployment: Mapping[str, Any], suffix: str) -> dict[str, Any]:
    """Return the Deployment with the ConfigMap of that suffix behind its one ConfigMap volume."""
    changed = copy.deepcopy(dict(deployment))
    for volume in changed["spec"]["template"]["spec"]["volumes"]:
        if "configMap" in volume:
            volume["configMap"]["name"] += suffix
    return changed
