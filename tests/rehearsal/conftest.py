"""A control plane that the tests of one file share, and what is installed in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

from sandbox.control_plane import ControlPlane
from sandbox.toolchain import Toolchain, ensure
from tests.rehearsal import helm
from tests.rehearsal.cluster import Cluster, condition, free_ports, node, until

PROJECT = Path(__file__).resolve().parents[2]
V6E = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"}
SLICES = ("v6e-0", "v6e-1", "v6e-2")


@pytest.fixture(scope="session")
def programs() -> Toolchain:
    return ensure(["etcd", "kubernetes", "kwok", "jobset-0.11.1", "jobset-0.12.0", "pulumi-resource-kubernetes"])


@pytest.fixture(scope="module")
def cluster(programs: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a pool of two CPU nodes and three slices of four hosts."""
    plane = ControlPlane(tmp_path_factory.mktemp("control-plane"), programs, free_ports())
    try:
        plane.create()
        for pool in SLICES:
            plane.add_nodes([node(pool, number, chips=4, labels=V6E) for number in range(4)])
        plane.add_nodes([node("cpu", number) for number in range(2)])
        yield Cluster.of(plane)
    finally:
        plane.delete()


@pytest.fixture(scope="module")
def installed(cluster: Cluster, programs: Toolchain) -> Cluster:
    """The cluster with JobSet, from its own chart, and the PathwaysJob controller, both ready."""
    cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "jobset-system"}}])
    cluster.apply(helm.jobset_chart(programs, "0.11.1"))
    cluster.apply(yaml.safe_load_all((PROJECT / "sandbox" / "pathways_job" / "install.yaml").read_text()))
    for namespace in ("jobset-system", "pathways-job-system"):
        until(partial(_available, cluster, namespace), f"the Deployment in {namespace} is available")
    return cluster


def _available(cluster: Cluster, namespace: str) -> bool:
    deployments = cluster.items(f"/apis/apps/v1/namespaces/{namespace}/deployments")
    return bool(deployments) and all(condition(one, "Available") == "True" for one in deployments)
