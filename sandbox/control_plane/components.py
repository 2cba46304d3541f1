"""How each part of the control plane is started: etcd, the Kubernetes components, and kwok, who plays the kubelets.

All run with the cluster's folder as working folder, so that sockets have short names. Whatever listens does so on the
loopback interface or on a unix socket.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from sandbox.control_plane import certificates, credentials
from sandbox.control_plane.processes import Program

ETCD_DATA = "etcd"
EGRESS_SOCKET = "egress.sock"
EGRESS_CONFIGURATION = "egress.json"
SCHEDULER_CONFIGURATION = "scheduler.json"
KWOK_CONFIGURATION = "kwok.yaml"
FAKE_NODE = "kwok.x-k8s.io/node=fake"

SERVICE_RANGE = "10.96.0.0/16"
POD_RANGE = "10.244.0.1/16"

# No kubelet renews leases here: kwok reports each node's state now and then, far apart enough to cost nothing.
NODE_GRACE = "2h"

# Client limits of the components; their defaults make 1,000 pods wait for minutes.
REQUESTS_PER_SECOND = 1000
BURST = 2000

# Of the components' memory, most is what the garbage collector lets lie; these trade some processor time for it.
FRUGAL = {"GOGC": "70"}

# etcd wants ports in its URLs; here they are a part of the names of two sockets.
_ETCD = "unix://etcd-client:0"
_ETCD_PEER = "unix://etcd-peer:0"

_CONTROLLERS = (
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "endpointslice-controller",
    "endpoints-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "node-lifecycle-controller",
    "pod-garbage-collector-controller",
    "replicaset-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "statefulset-controller",
    "taint-eviction-controller",
    "ttl-after-finished-controller",
)


class Programs(Protocol):
    """Where the programs lie that a control plane consists of."""

    def path(self, name: str) -> Path: ...


def etcd(programs: Programs) -> Program:
    """The store. It does not wait for the disk: a crash of a process loses nothing, a power cut may."""
    flags = {
        "name": "sandbox",
        "data-dir": ETCD_DATA,
        "listen-client-urls": _ETCD,
        "advertise-client-urls": _ETCD,
        "listen-peer-urls": _ETCD_PEER,
        "initial-advertise-peer-urls": _ETCD_PEER,
        "initial-cluster": f"sandbox={_ETCD_PEER}",
        "unsafe-no-fsync": "true",
        "log-level": "warn",
    }
    return Program("etcd", (str(programs.path("etcd")), *_written(flags)), FRUGAL)


def api_server(programs: Programs, port: int) -> Program:
    flags = {
        "bind-address": "127.0.0.1",
        "secure-port": str(port),
        "advertise-address": "127.0.0.1",
        "external-hostname": "127.0.0.1",
        "endpoint-reconciler-type": "none",  # it would publish the address, and a loopback one is refused
        "etcd-servers": _ETCD,
        "tls-cert-file": certificates.SERVING,
        "tls-private-key-file": certificates.SERVING_KEY,
        "token-auth-file": credentials.TOKENS,
        "anonymous-auth": "false",
        "authorization-mode": "RBAC",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": certificates.ACCOUNT_KEY,
        "service-account-signing-key-file": certificates.ACCOUNT_KEY,
        "service-cluster-ip-range": SERVICE_RANGE,
        "allow-privileged": "true",
        # It gives TPU pods their google.com/tpu toleration, on GKE too.
        "enable-admission-plugins": "ExtendedResourceToleration",
        "egress-selector-config-file": EGRESS_CONFIGURATION,
        "profiling": "false",
    }
    # It would wait for watches that are open; all its state is in etcd, so it is killed instead.
    return replace(_kubernetes(programs, "kube-apiserver", flags), patience=1.0)


def controller_manager(programs: Programs) -> Program:
    flags = {
        "kubeconfig": credentials.kubeconfig(Path(), "controller-manager").name,
        "secure-port": "0",
        "leader-elect": "false",
        "controllers": ",".join(_CONTROLLERS),
        "root-ca-file": certificates.AUTHORITY,
        "concurrent-job-syncs": "40",
        "node-monitor-grace-period": NODE_GRACE,
        "kube-api-qps": str(REQUESTS_PER_SECOND),
        "kube-api-burst": str(BURST),
    }
    return _kubernetes(programs, "kube-controller-manager", flags)


def scheduler(programs: Programs) -> Program:
    return _kubernetes(programs, "kube-scheduler", {"config": SCHEDULER_CONFIGURATION, "secure-port": "0"})


def kwok(programs: Programs) -> Program:
    flags = {
        "kubeconfig": credentials.kubeconfig(Path(), "kwok").name,
        "config": KWOK_CONFIGURATION,
        "manage-all-nodes": "false",
        "manage-nodes-with-annotation-selector": FAKE_NODE,
        "node-lease-duration-seconds": "0",
        "node-port": "0",  # any other number makes it listen on every interface
        "cidr": POD_RANGE,
        "v": "WARN",
    }
    return Program("kwok", (str(programs.path("kwok")), *_written(flags)), FRUGAL)


def scheduler_configuration() -> dict[str, object]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {
            "kubeconfig": credentials.kubeconfig(Path(), "scheduler").name,
            "qps": REQUESTS_PER_SECOND,
            "burst": BURST,
        },
    }


def egress_configuration() -> dict[str, object]:
    """What the API server calls inside the cluster, webhooks above all, it calls through our proxy."""
    proxy = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": EGRESS_SOCKET}}}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": proxy}],
    }


def _kubernetes(programs: Programs, component: str, flags: dict[str, str]) -> Program:
    return Program(component, (str(programs.path("kubernetes")), component, *_written(flags)), FRUGAL)


def _written(flags: dict[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in flags.items()]
