"""Manifests of pods that wait for a node, as the API server has them once defaults and webhooks have been at them."""

from __future__ import annotations

import itertools

TPU_TOLERATION = {"key": "google.com/tpu", "operator": "Exists"}  # by the admission plugin ExtendedResourceToleration
SELECTOR = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"}
POOL = "cloud.google.com/gke-nodepool"
HOST = "kubernetes.io/hostname"
JOB_KEY = "jobset.sigs.k8s.io/job-key"

_numbers = itertools.count()


def pod(name, requests=None, *, labels=None, ports=(), **spec):
    """A pod of one container. requests: of it. ports: of the host's."""
    container = {
        "name": "main",
        "ports": [{"containerPort": port, "hostPort": port, "protocol": "TCP"} for port in ports],
        "resources": {"requests": requests or {}},
    }
    return {
        "metadata": {
            "namespace": "pathways",
            "name": name,
            "uid": f"uid-{name}-{next(_numbers)}",
            "labels": labels or {},
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"containers": [container], **spec},
        "status": {"phase": "Pending"},
    }


def alone_in(topology, job):
    """What JobSet's webhook adds for exclusive placement. Source: jobset v0.11.1, pod_mutating_webhook.go."""

    def term(*expressions):
        return [{"labelSelector": {"matchExpressions": expressions}, "topologyKey": topology, "namespaceSelector": {}}]

    required = "requiredDuringSchedulingIgnoredDuringExecution"
    own = {"key": JOB_KEY, "operator": "In", "values": [job]}
    another = {"key": JOB_KEY, "operator": "NotIn", "values": [job]}
    return {
        "podAffinity": {required: term(own)},
        "podAntiAffinity": {required: term({"key": JOB_KEY, "operator": "Exists"}, another)},
    }


def head(job, **spec):
    """The head of a Pathways job: it has a host to itself, and ports of it."""
    asked = {"cpu": "24", "memory": "132G"}
    labels = {JOB_KEY: f"{job}-head"}
    return pod(
        f"{job}-head", asked, labels=labels, ports=(29000, 29001), affinity=alone_in(HOST, labels[JOB_KEY]), **spec
    )


def leader(job, **spec):
    """The first worker of a slice; the others are made only when it has a node."""
    labels = {JOB_KEY: job}
    affinity = alone_in(POOL, job)
    return worker(job, labels=labels, affinity=affinity, **spec)


def worker(name, **spec):
    """A worker of a slice of v6e, 4x4, on hosts of four chips."""
    return pod(
        name,
        {"google.com/tpu": "4"},
        **{"nodeSelector": SELECTOR, "tolerations": [TPU_TOLERATION], "ports": (8471,), **spec},
    )


def on(node, manifest):
    """The pod, running on a node."""
    return {
        **manifest,
        "spec": {**manifest["spec"], "nodeName": node},
        "status": {"phase": "Running"},
    }
