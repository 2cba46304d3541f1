"""Many slices at once: the engine and our own components against the simulated cloud, which refuses too much at once.

No control plane: nodes are only remembered.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pulumi
import pytest
from pulumi import automation

from pathways.settings import StackSettings, parse_settings
from sandbox.cloud import NODE_POOL, CloudServer, journal
from sandbox.cloud.options import write_options
from sandbox.toolchain import ensure
from tests.sandbox.cloud.fake_host import FakeHost

pytestmark = pytest.mark.rehearsal

SLICES = 64
CREATION_MINUTES = 3  # that the simulated cloud takes for a node pool


def settings(**cluster: int) -> StackSettings:
    group = {"name": "v5p", "tpu": "v5p-128", "count": SLICES, "capacity": {"onDemand": {}}}
    platform = {"environment": "dev", "zone": "us-east5-a", "jax": "0.8.3", "slices": [group], "cluster": cluster}
    return parse_settings(platform, project="rehearsed", stack="dev", source="dev")


def declare(settings: StackSettings) -> None:
    """The cluster and the slices of a stack, as Platform declares them, without what is inside the cluster."""
    import pulumi_gcp as gcp

    from components.cluster import Cluster, ClusterArgs
    from components.multislice_group import MultisliceGroup, MultisliceGroupArgs
    from components.network import Network, NetworkArgs
    from components.node_account import NodeAccount, NodeAccountArgs
    from components.pool_lanes import PoolLanes
    from components.site import Site

    site, (group,) = Site.of(settings), settings.slices
    cloud = gcp.Provider("gcp", project=site.project, region=site.region, zone=site.zone)
    opts = pulumi.ResourceOptions(providers=[cloud])
    network = Network("network", NetworkArgs(site, settings.network), opts)
    cluster = Cluster(
        "cluster",
        ClusterArgs(
            site=site,
            settings=settings.cluster,
            subnet=network.subnet,
            control_plane_range=settings.network.control_plane_range,
            multi_networking=False,
            key=None,
            after=[],
        ),
        opts,
    )
    account = NodeAccount("account", NodeAccountArgs(site, "slices"), opts)
    args = MultisliceGroupArgs(
        site=site,
        group=group,
        cluster=cluster.cluster_name,
        service_account=account.email,
        protect=False,
        key=None,
        second_network=None,
        lanes=PoolLanes(group.pools, settings.cluster.concurrent_operations),
        after=[account, network],
    )
    MultisliceGroup("slices", args, opts)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[automation.Stack]:
    """A stack whose gcp provider is a simulated cloud in tmp_path/cloud."""
    monkeypatch.setenv("PATH", f"{ensure(['pulumi']).path('pulumi').parent}{os.pathsep}{os.environ['PATH']}")
    server = CloudServer(tmp_path / "cloud", FakeHost())
    server.start()
    (tmp_path / "state").mkdir()
    options = automation.LocalWorkspaceOptions(
        env_vars={
            "PULUMI_BACKEND_URL": (tmp_path / "state").as_uri(),
            "PULUMI_HOME": str(tmp_path / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "rehearsal",
            "PULUMI_DEBUG_PROVIDERS": f"gcp:{server.port}",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "1",
        }
    )
    yield automation.create_or_select_stack("dev", "pathways", lambda: None, opts=options)
    server.stop()


def behave(folder: Path, pool_seconds: float, limit: int) -> None:
    """Sets how long the creation of a pool takes, and how many operations the simulated GKE takes at once."""
    options = {"timeScale": pool_seconds / CREATION_MINUTES, "concurrentOperations": limit}
    write_options(folder / "cloud", json.dumps(options))


def calls(folder: Path, call: str) -> list[journal.Entry]:
    """The calls about node pools."""
    entries = journal.read(folder / "cloud")
    return [entry for entry in entries if (entry.call, entry.type) == (call, NODE_POOL)]


def seconds(entries: Sequence[journal.Entry]) -> float:
    return max(entry.ended for entry in entries) - min(entry.started for entry in entries)


@pytest.mark.parametrize(
    ("limit", "cluster", "width", "pool_seconds"),
    [
        pytest.param(5, {}, 4, 5.0, id="default"),
        pytest.param(1, {"concurrentOperations": 1}, 1, 2.0, id="one at a time", marks=pytest.mark.nightly),
    ],
)
def test_many_slices_come_and_go_without_a_refusal_and_without_idle_lanes(
    engine, tmp_path, limit, cluster, width, pool_seconds
):
    def program():
        declare(settings(**cluster))

    behave(tmp_path, pool_seconds, limit)
    engine.up(program=program)
    pools = calls(tmp_path, "create")
    assert len(pools) == SLICES
    assert seconds(pools) <= 1.05 * math.ceil(SLICES / width) * pool_seconds

    behave(tmp_path, 0.6, limit)
    engine.destroy()
    assert len(calls(tmp_path, "delete")) == SLICES
    entries = journal.read(tmp_path / "cloud")
    assert [entry.outcome for entry in entries if not entry.ok or entry.retries] == []
