"""The shapes of the kinds of manifests that are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pathways.manifests.controller.job import COLOCATED
from pathways.rules.kinds import (
    CLUSTER_QUEUE,
    JOB_SET,
    LOCAL_QUEUE,
    PATHWAYS_JOB,
    PRIORITY_CLASS,
    RESOURCE_FLAVOR,
)
from pathways.rules.shapes.pods import (
    ANYTHING,
    BOOLEAN,
    COUNT,
    ENV,
    INTEGER,
    LABELS,
    LIST,
    LONG,
    METADATA,
    OBJECT,
    POD_TEMPLATE,
    TEXT,
    TEXTS,
    TOLERATION,
)
from pathways.rules.shapes.shape import Shape
from pathways.tpu import catalog

CONTROLLER_MACHINES = [machine.name for machine in catalog().machines.values() if machine.pathways_type]
"""Machine types that the PathwaysJob CRD lists."""

COMPONENTS = ("pathways_server", "worker", "proxy_server", "colocated_python_sidecar")
MODES = (COLOCATED, "default")


def _manifest(fields: Mapping[str, Shape], required: Collection[str] = ()) -> Shape:
    envelope = {"apiVersion": TEXT, "kind": TEXT, "metadata": METADATA, "status": ANYTHING}
    return Shape("object", {**envelope, **fields}, required=["metadata", *required], closed="error")


_PATHWAYS_JOB = _manifest(
    {
        "spec": Shape(
            "object",
            {
                "controller": Shape(
                    "object",
                    {
                        "deploymentMode": Shape("text", legal=MODES),
                        "elasticSlices": INTEGER,
                        "enableMetricsCollection": BOOLEAN,
                        "mainContainerName": TEXT,
                        "template": POD_TEMPLATE,
                    },
                    required=["deploymentMode"],
                    closed="error",
                ),
                "customComponents": Shape(
                    "list",
                    keys={"componentType": None},
                    high=4,
                    item=Shape(
                        "object",
                        {
                            "componentType": Shape("text", legal=COMPONENTS),
                            "customEnv": Shape("list", item=ENV.item),
                            "customFlags": TEXTS,
                            "image": TEXT,
                        },
                        required=["componentType"],
                        closed="error",
                    ),
                ),
                "maxRestarts": INTEGER,
                "pathwaysDir": TEXT,
                "pathwaysVersion": TEXT,
                "workers": Shape(
                    "list",
                    keys={"type": None},
                    high=1,
                    item=Shape(
                        "object",
                        {
                            "maxSliceRestarts": INTEGER,
                            "nodeSelector": LABELS,
                            "numSlices": INTEGER,
                            "priorityClassName": TEXT,
                            "terminationGracePeriodSeconds": LONG,
                            "topology": TEXT,
                            "type": Shape("text", legal=CONTROLLER_MACHINES),
                        },
                        required=["type", "topology", "numSlices"],
                        closed="error",
                    ),
                ),
            },
            required=["controller", "workers"],
            closed="error",
        )
    },
    required=["spec"],
)

_JOB_SPEC = Shape(
    "object",
    {
        "activeDeadlineSeconds": LONG,
        "backoffLimit": COUNT,
        "backoffLimitPerIndex": COUNT,
        "completionMode": Shape("text", legal=["Indexed", "NonIndexed"]),
        "completions": COUNT,
        "managedBy": TEXT,
        "manualSelector": BOOLEAN,
        "maxFailedIndexes": COUNT,
        "parallelism": COUNT,
        "podFailurePolicy": OBJECT,
        "podReplacementPolicy": TEXT,
        "selector": OBJECT,
        "successPolicy": OBJECT,
        "suspend": BOOLEAN,
        "template": POD_TEMPLATE,
        "ttlSecondsAfterFinished": COUNT,
    },
    required=["template"],
    closed="warning",
)
_FAILURE_RULE = Shape(
    "object",
    {
        "action": Shape(
            "text",
            legal=[
                "FailJobSet",
                "RestartJobSet",
                "RestartJobSetAndIgnoreMaxRestarts",
                "RestartJob",
                "RestartJobAndIgnoreMaxRestarts",
            ],
        ),
        "name": TEXT,
        "onJobFailureMessagePatterns": TEXTS,
        "onJobFailureReasons": TEXTS,
        "targetReplicatedJobs": TEXTS,
    },
    required=["action"],
    closed="warning",
)
_JOB_SET = _manifest(
    {
        "spec": Shape(
            "object",
            {
                "coordinator": Shape(
                    "object",
                    {"jobIndex": COUNT, "podIndex": COUNT, "replicatedJob": TEXT},
                    required=["replicatedJob"],
                    closed="warning",
                ),
                "failurePolicy": Shape(
                    "object",
                    {
                        "maxRestarts": INTEGER,
                        "restartStrategy": TEXT,
                        "rules": Shape("list", keys={"name": None}, item=_FAILURE_RULE),
                    },
                    closed="warning",
                ),
                "managedBy": TEXT,
                "network": Shape(
                    "object",
                    {"enableDNSHostnames": BOOLEAN, "publishNotReadyAddresses": BOOLEAN, "subdomain": TEXT},
                    closed="warning",
                ),
                "replicatedJobs": Shape(
                    "list",
                    keys={"name": None},
                    item=Shape(
                        "object",
                        {
                            "dependsOn": Shape("list", keys={"name": None}, item=OBJECT),
                            "groupName": TEXT,
                            "name": TEXT,
                            "replicas": INTEGER,
                            "template": Shape(
                                "object", {"metadata": METADATA, "spec": _JOB_SPEC}, required=["spec"], closed="warning"
                            ),
                        },
                        required=["name", "template"],
                        closed="warning",
                    ),
                ),
                "startupPolicy": Shape(
                    "object",
                    {"startupPolicyOrder": Shape("text", legal=["AnyOrder", "InOrder"])},
                    required=["startupPolicyOrder"],
                    closed="warning",
                ),
                "successPolicy": Shape(
                    "object",
                    {"operator": Shape("text", legal=["All", "Any"]), "targetReplicatedJobs": TEXTS},
                    required=["operator"],
                    closed="warning",
                ),
                "suspend": BOOLEAN,
                "ttlSecondsAfterFinished": COUNT,
                "volumeClaimPolicies": LIST,
            },
            closed="warning",
        )
    },
)

_QUOTA = Shape(
    "object",
    {
        "borrowingLimit": Shape("quantity"),
        "lendingLimit": Shape("quantity"),
        "name": TEXT,
        "nominalQuota": Shape("quantity"),
    },
    required=["name", "nominalQuota"],
    closed="warning",
)
_RESOURCE_GROUP = Shape(
    "object",
    {
        "coveredResources": Shape("list", item=TEXT, low=1),
        "flavors": Shape(
            "list",
            keys={"name": None},
            low=1,
            item=Shape(
                "object",
                {"name": TEXT, "resources": Shape("list", keys={"name": None}, item=_QUOTA)},
                required=["name", "resources"],
                closed="warning",
            ),
        ),
    },
    required=["coveredResources", "flavors"],
    closed="warning",
)

SHAPES: Mapping[str, Shape] = {
    PATHWAYS_JOB: _PATHWAYS_JOB,
    JOB_SET: _JOB_SET,
    PRIORITY_CLASS: _manifest(
        {
            "description": TEXT,
            "globalDefault": BOOLEAN,
            "preemptionPolicy": Shape("text", legal=["PreemptLowerPriority", "Never"]),
            "value": INTEGER,
        },
        required=["value"],
    ),
    CLUSTER_QUEUE: _manifest(
        {
            "spec": Shape(
                "object",
                {
                    "cohort": TEXT,
                    "cohortName": TEXT,
                    "namespaceSelector": OBJECT,
                    "preemption": OBJECT,
                    "queueingStrategy": TEXT,
                    "resourceGroups": Shape("list", item=_RESOURCE_GROUP),
                },
            )
        }
    ),
    LOCAL_QUEUE: _manifest({"spec": Shape("object", {"clusterQueue": TEXT})}),
    RESOURCE_FLAVOR: _manifest(
        {
            "spec": Shape(
                "object",
                {
                    "nodeLabels": LABELS,
                    "nodeTaints": LIST,
                    "tolerations": Shape("list", item=TOLERATION),
                    "topologyName": TEXT,
                },
            )
        }
    ),
}
