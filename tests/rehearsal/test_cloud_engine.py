"""The real engine and the real Python package against the simulated cloud: no control plane, nodes only remembered."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace

import pulumi
import pytest
from pulumi import automation

from sandbox.cloud import CloudServer, Console, journal, read_records
from sandbox.toolchain import ensure
from tests.sandbox.cloud.fake_host import FakeHost

pytestmark = pytest.mark.rehearsal

POOL = "gcp:container/nodePool:NodePool"
BUCKET = "gcp:storage/bucket:Bucket"


@dataclass(frozen=True)
class Wanted:
    """What the program declares."""

    topology: str = "4x4"
    hosts: int = 4
    group: str = "v6e"
    cluster: str = "main"
    slices: int = 2
    replaced_on_changes: tuple[str, ...] = ("placementPolicy.tpuTopology", "nodeCount")
    deletion_protection: bool = False
    adopted: str | None = None


def program(wanted):
    import pulumi_gcp as gcp
    from pulumi_gcp import compute, container, serviceaccount, storage

    def declare():
        provider = gcp.Provider("gcp", project="rehearsed", region="us-east5", zone="us-east5-b")
        options = pulumi.ResourceOptions(provider=provider)
        network = compute.Network("network", auto_create_subnetworks=False, opts=options)
        subnetwork = compute.Subnetwork("nodes", network=network.id, ip_cidr_range="10.0.0.0/20", opts=options)
        account = serviceaccount.Account("nodes", account_id="slice-nodes", opts=options)
        cluster = container.Cluster(
            "cluster",
            name=wanted.cluster,
            location="us-east5",
            network=network.id,
            subnetwork=subnetwork.id,
            remove_default_node_pool=True,
            initial_node_count=1,
            deletion_protection=wanted.deletion_protection,
            opts=options,
        )
        for index in range(wanted.slices):
            container.NodePool(
                f"slice-{index}",
                name=f"slice-{index}",
                cluster=cluster.name,
                location="us-east5",
                node_locations=["us-east5-b"],
                node_count=wanted.hosts,
                placement_policy={"type": "COMPACT", "tpu_topology": wanted.topology},
                node_config={
                    "machine_type": "ct6e-standard-4t",
                    "spot": True,
                    "service_account": account.email,
                    "labels": {"MultisliceGroup": wanted.group},
                },
                opts=pulumi.ResourceOptions(
                    provider=provider,
                    delete_before_replace=True,
                    replace_on_changes=list(wanted.replaced_on_changes),
                    import_=wanted.adopted,
                ),
            )
        bucket = storage.Bucket(
            "scratch",
            name="rehearsed-scratch",
            location="us-east5",
            lifecycle_rules=[{"action": {"type": "Delete"}, "condition": {"age": 7}}],
            opts=pulumi.ResourceOptions(provider=provider, ignore_changes=["lifecycleRules"]),
        )
        storage.BucketIAMMember(
            "scratch-nodes", bucket=bucket.name, role="roles/storage.objectUser", member=account.member, opts=options
        )
        pulumi.export("endpoint", cluster.control_plane_endpoints_config.dns_endpoint_config.endpoint)

    return declare


class Rehearsal:
    """A stack in a folder of its own whose gcp provider is the simulated cloud."""

    def __init__(self, folder):
        self.host = FakeHost()
        self.folder = folder / "cloud"
        self.folder.mkdir()
        (self.folder / "options.json").write_text(json.dumps({"timeScale": 0.01}))
        self.server = CloudServer(self.folder, self.host)
        self.server.start()
        state = folder / "state"
        state.mkdir()
        self.stack = automation.create_or_select_stack(
            "dev",
            "pathways",
            program(Wanted()),
            opts=automation.LocalWorkspaceOptions(
                env_vars={
                    "PULUMI_BACKEND_URL": state.as_uri(),
                    "PULUMI_HOME": str(folder / "home"),
                    "PULUMI_CONFIG_PASSPHRASE": "rehearsal",
                    "PULUMI_DEBUG_PROVIDERS": f"gcp:{self.server.port}",
                    "PULUMI_SKIP_UPDATE_CHECK": "1",
                    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                    "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "1",
                },
            ),
        )

    def up(self, wanted):
        return changes(self.stack.up(program=program(wanted)).summary.resource_changes)

    def preview(self, wanted):
        return changes(self.stack.preview(program=program(wanted)).change_summary)

    def calls(self, call, type=POOL, since=0):
        return [
            entry
            for entry in journal.read(self.folder)
            if entry.call == call and entry.type == type and entry.seq > since
        ]

    def mark(self):
        return max(entry.seq for entry in journal.read(self.folder))


def changes(summary):
    """What the engine did or would do, without what stays the same."""
    counts = {str(getattr(op, "value", op)): count for op, count in summary.items()}
    return {op: count for op, count in counts.items() if op != "same"}


@pytest.fixture(scope="module")
def pulumi_on_path():
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{ensure(['pulumi']).path('pulumi').parent}{os.pathsep}{before}"
    yield
    os.environ["PATH"] = before


@pytest.fixture
def rehearsal(tmp_path, pulumi_on_path):
    rehearsal = Rehearsal(tmp_path)
    yield rehearsal
    rehearsal.server.stop()


def test_the_life_of_a_stack(rehearsal):
    wanted = Wanted()
    assert rehearsal.up(wanted) == {"create": 10}
    assert rehearsal.stack.outputs()["endpoint"].value == "localhost:6443"
    assert len(rehearsal.host.nodes) == 8

    # A second preview is empty, and so is one after a refresh.
    assert rehearsal.preview(wanted) == {}
    rehearsal.stack.refresh()
    assert rehearsal.preview(wanted) == {}

    # A label edit goes to the living nodes.
    before = set(rehearsal.host.nodes)
    relabelled = replace(wanted, group="other")
    assert rehearsal.preview(relabelled) == {"update": 2}
    assert rehearsal.up(relabelled) == {"update": 2}
    assert set(rehearsal.host.nodes) == before
    assert {node["metadata"]["labels"]["MultisliceGroup"] for node in rehearsal.host.nodes.values()} == {"other"}

    # A topology edit that the program declares to replace: the old pool goes first.
    mark = rehearsal.mark()
    reshaped = replace(relabelled, topology="2x4", hosts=2)
    assert rehearsal.up(reshaped) == {"replace": 2}
    assert len(rehearsal.host.nodes) == 4
    for name in ("slice-0", "slice-1"):
        (deleted,) = [entry for entry in rehearsal.calls("delete", since=mark) if entry.name == name]
        (created,) = [entry for entry in rehearsal.calls("create", since=mark) if entry.name == name]
        assert deleted.ended <= created.started
    assert rehearsal.preview(reshaped) == {}

    # A slice less takes one pool.
    mark = rehearsal.mark()
    assert rehearsal.up(replace(reshaped, slices=1)) == {"delete": 1}
    assert [entry.name for entry in rehearsal.calls("delete", since=mark)] == ["slice-1"]

    rehearsal.stack.destroy()
    assert read_records(rehearsal.folder) == []
    assert not rehearsal.host.there


def test_without_replace_on_changes_a_topology_edit_is_planned_for_ever_and_never_sent(rehearsal):  # pool-2
    wanted = Wanted(slices=1, replaced_on_changes=())
    rehearsal.up(wanted)
    reshaped = replace(wanted, topology="2x8")
    for _ in range(2):
        assert rehearsal.preview(reshaped) == {"update": 1}
        assert rehearsal.up(reshaped) == {"update": 1}
    (update, _) = rehearsal.calls("update")
    assert update.changes == [{"path": "placementPolicy.tpuTopology", "kind": "update", "action": "silently ignored"}]
    assert {
        node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] for node in rehearsal.host.nodes.values()
    } == {"4x4"}


def test_resizing_a_slice_is_refused_as_gke_does(rehearsal):
    wanted = Wanted(slices=1, replaced_on_changes=())
    rehearsal.up(wanted)
    with pytest.raises(automation.CommandError, match=r"Error 501: .*manual resize is not supported"):
        rehearsal.up(replace(wanted, hosts=8))


def test_a_new_cluster_name_replaces_cluster_and_pools_in_dependency_order(rehearsal):
    wanted = Wanted()
    rehearsal.up(wanted)
    mark = rehearsal.mark()
    assert rehearsal.up(replace(wanted, cluster="other")) == {"replace": 3}
    deleted = [entry.name for entry in sorted(rehearsal.calls("delete", since=mark), key=lambda entry: entry.started)]
    assert set(deleted) == {"slice-0", "slice-1"}
    (cluster,) = rehearsal.calls("delete", "gcp:container/cluster:Cluster", since=mark)
    assert all(entry.ended <= cluster.started for entry in rehearsal.calls("delete", since=mark))
    assert len(rehearsal.host.nodes) == 8


def test_a_protected_cluster_is_destroyed_in_two_steps(rehearsal):
    wanted = Wanted(slices=0, deletion_protection=True)
    rehearsal.up(wanted)
    with pytest.raises(automation.CommandError, match="deletion_protection is set to true"):
        rehearsal.stack.destroy()
    rehearsal.up(replace(wanted, deletion_protection=False))
    rehearsal.stack.destroy()
    assert read_records(rehearsal.folder) == []


def test_the_rule_that_pathways_adds_to_its_bucket_survives(rehearsal):  # scratch-4
    wanted = Wanted(slices=0)
    rehearsal.up(wanted)
    ours = {"action": {"type": "Delete"}, "condition": {"age": 7, "withState": "ANY"}}
    theirs = {
        "action": {"type": "Delete"},
        "condition": {"age": 3, "matchesPrefixes": ["pathways/"], "withState": "ANY"},
    }
    with Console(rehearsal.server.port) as console:
        console.edit(BUCKET, "rehearsed-scratch", {"lifecycleRules": [ours, theirs]})
    rehearsal.stack.refresh()
    assert rehearsal.preview(wanted) == {}
    rehearsal.up(wanted)
    (bucket,) = [record for record in read_records(rehearsal.folder) if record.type == BUCKET]
    assert bucket.properties["lifecycleRules"] == [ours, theirs]


def test_a_fault_of_the_inputs_is_told_before_anything_happens(rehearsal):
    def misspelt():
        import pulumi_gcp as gcp

        provider = gcp.Provider("gcp", project="rehearsed", region="us-east5")
        gcp.container.NodePool(
            "slice",
            cluster="main",
            node_config={"machineTyp": "ct6e-standard-4t"},
            opts=pulumi.ResourceOptions(provider=provider),
        )

    with pytest.raises(automation.CommandError) as caught:
        rehearsal.stack.preview(program=misspelt)
    assert "Invalid or unknown key. Did you mean" in str(caught.value)
    assert "Examine values at 'slice.nodeConfig.machineTyp'" in str(caught.value)
    assert journal.read(rehearsal.folder) == []


def test_a_stockout_leaves_a_pool_that_the_state_knows(rehearsal):  # pool-6
    (rehearsal.folder / "options.json").write_text(
        json.dumps({"timeScale": 0, "faults": [{"type": POOL, "name": "slice-0", "error": "stockout"}]})
    )
    wanted = Wanted(slices=1)
    with pytest.raises(automation.CommandError, match="does not have enough resources available"):
        rehearsal.up(wanted)
    resources = rehearsal.stack.export_stack().deployment["resources"]
    (pool,) = [resource for resource in resources if resource["type"] == POOL]
    assert pool["id"] == "rehearsed/us-east5/main/slice-0"
    rehearsal.stack.destroy()
    assert read_records(rehearsal.folder) == []


def test_a_pool_whose_creation_nobody_heard_of_is_imported(rehearsal):
    (rehearsal.folder / "options.json").write_text(
        json.dumps({"timeScale": 0, "faults": [{"type": POOL, "name": "slice-0", "error": "lost"}]})
    )
    wanted = Wanted(slices=1)
    with pytest.raises(automation.CommandError, match="Error 503"):
        rehearsal.up(wanted)
    with pytest.raises(automation.CommandError, match="Error 409: Already exists"):
        rehearsal.up(wanted)
    adopted = replace(wanted, adopted="rehearsed/us-east5/main/slice-0")
    assert rehearsal.up(adopted)["import"] == 1
    assert rehearsal.preview(wanted) == {}
    assert len(rehearsal.host.nodes) == 4
