"""The shape of pods, as far as people who run TPU jobs write them.

Source: the pod template in the PathwaysJob CRD v0.1.4 and in the JobSet CRD 0.12.0.
"""

from __future__ import annotations

from pathways.rules.shapes.shape import Shape

TEXT = Shape("text")
INTEGER = Shape("integer", low=-(2**31), high=2**31 - 1)
LONG = Shape("integer", low=-(2**63), high=2**63 - 1)
COUNT = Shape("integer", low=0, high=2**31 - 1)
BOOLEAN = Shape("boolean")
ANYTHING = Shape("any")
OBJECT = Shape("object")
LIST = Shape("list")
TEXTS = Shape("list", item=TEXT)
LABEL = Shape("text", pattern=r"(?=.{0,63}$)([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", meaning="a label's value")
LABELS = Shape("object", values=LABEL)
ANNOTATIONS = Shape("object", values=TEXT)
QUANTITIES = Shape("object", values=Shape("quantity"))

METADATA = Shape(
    "object",
    {
        "name": TEXT,
        "generateName": TEXT,
        "namespace": TEXT,
        "labels": LABELS,
        "annotations": ANNOTATIONS,
        "finalizers": TEXTS,
        "ownerReferences": Shape("list", item=OBJECT),
    },
)

ENV = Shape(
    "list",
    keys={"name": None},
    item=Shape("object", {"name": TEXT, "value": TEXT, "valueFrom": OBJECT}, required=["name"], closed="warning"),
)
RESOURCES = Shape("object", {"limits": QUANTITIES, "requests": QUANTITIES, "claims": LIST}, closed="warning")
PORTS = Shape(
    "list",
    keys={"containerPort": None, "protocol": "TCP"},
    item=Shape(
        "object",
        {
            "containerPort": Shape("integer", low=1, high=65535),
            "hostIP": TEXT,
            "hostPort": Shape("integer", low=0, high=65535),
            "name": TEXT,
            "protocol": Shape("text", legal=["TCP", "UDP", "SCTP"]),
        },
        required=["containerPort"],
        closed="warning",
    ),
)
VOLUME_MOUNTS = Shape(
    "list",
    keys={"mountPath": None},
    item=Shape(
        "object",
        {
            "mountPath": TEXT,
            "mountPropagation": TEXT,
            "name": TEXT,
            "readOnly": BOOLEAN,
            "recursiveReadOnly": TEXT,
            "subPath": TEXT,
            "subPathExpr": TEXT,
        },
        required=["mountPath", "name"],
        closed="warning",
    ),
)
CONTAINER = Shape(
    "object",
    {
        "args": TEXTS,
        "command": TEXTS,
        "env": ENV,
        "envFrom": Shape("list", item=OBJECT),
        "image": TEXT,
        "imagePullPolicy": Shape("text", legal=["Always", "IfNotPresent", "Never"]),
        "lifecycle": OBJECT,
        "livenessProbe": OBJECT,
        "name": TEXT,
        "ports": PORTS,
        "readinessProbe": OBJECT,
        "resizePolicy": LIST,
        "resources": RESOURCES,
        "restartPolicy": TEXT,
        "restartPolicyRules": LIST,
        "securityContext": OBJECT,
        "startupProbe": OBJECT,
        "stdin": BOOLEAN,
        "stdinOnce": BOOLEAN,
        "terminationMessagePath": TEXT,
        "terminationMessagePolicy": TEXT,
        "tty": BOOLEAN,
        "volumeDevices": LIST,
        "volumeMounts": VOLUME_MOUNTS,
        "workingDir": TEXT,
    },
    required=["name"],
    closed="warning",
)
CONTAINERS = Shape("list", keys={"name": None}, item=CONTAINER, low=1)
INIT_CONTAINERS = Shape("list", keys={"name": None}, item=CONTAINER)
TOLERATION = Shape(
    "object",
    {
        "effect": Shape("text", legal=["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        "key": TEXT,
        "operator": TEXT,
        "tolerationSeconds": LONG,
        "value": TEXT,
    },
    closed="warning",
)

POD_SPEC = Shape(
    "object",
    {
        "activeDeadlineSeconds": LONG,
        "affinity": OBJECT,
        "automountServiceAccountToken": BOOLEAN,
        "containers": CONTAINERS,
        "dnsConfig": OBJECT,
        "dnsPolicy": Shape("text", legal=["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
        "enableServiceLinks": BOOLEAN,
        "ephemeralContainers": LIST,
        "hostAliases": LIST,
        "hostIPC": BOOLEAN,
        "hostNetwork": BOOLEAN,
        "hostPID": BOOLEAN,
        "hostUsers": BOOLEAN,
        "hostname": TEXT,
        "hostnameOverride": TEXT,
        "imagePullSecrets": Shape("list", keys={"name": None}, item=OBJECT),
        "initContainers": INIT_CONTAINERS,
        "nodeName": TEXT,
        "nodeSelector": LABELS,
        "os": OBJECT,
        "overhead": QUANTITIES,
        "preemptionPolicy": TEXT,
        "priority": INTEGER,
        "priorityClassName": TEXT,
        "readinessGates": LIST,
        "resourceClaims": LIST,
        "resources": RESOURCES,
        "restartPolicy": Shape("text", legal=["Always", "OnFailure", "Never"]),
        "runtimeClassName": TEXT,
        "schedulerName": TEXT,
        "schedulingGates": LIST,
        "securityContext": OBJECT,
        "serviceAccount": TEXT,
        "serviceAccountName": TEXT,
        "setHostnameAsFQDN": BOOLEAN,
        "shareProcessNamespace": BOOLEAN,
        "subdomain": TEXT,
        "terminationGracePeriodSeconds": LONG,
        "tolerations": Shape("list", item=TOLERATION),
        "topologySpreadConstraints": LIST,
        "volumes": Shape("list", keys={"name": None}, item=Shape("object", {"name": TEXT}, required=["name"])),
        "workloadRef": OBJECT,
    },
    required=["containers"],
    closed="warning",
)
POD_TEMPLATE = Shape("object", {"metadata": METADATA, "spec": POD_SPEC}, required=["spec"], closed="warning")
