"""The commands plan and guard: what they print and how they end. They run the real program under the recorder."""

import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from pathways.cli import main
from tests.plan.recordings import RECORDED

STACKS = Path(__file__).resolve().parents[2] / "stacks"
BASE = {
    "environment": "prod",
    "zone": "us-east5-a",
    "jax": "0.8.3",
    "cluster": {"deletionProtection": False},
    "head": {"minNodes": 1, "maxNodes": 2},
    "slices": [
        {
            "name": "v5p",
            "tpu": "v5p-32",
            "count": 2,
            "spares": 1,
            "capacity": {"reservation": {"name": "v5p-training"}},
        },
        {"name": "v6e", "tpu": "v6e-16", "count": 1, "capacity": {"spot": {}}},
    ],
    "priorities": {"high-prior-job": 2000},
    "workloads": [
        {
            "name": "pretrain",
            "kind": "pathways",
            "slices": {"group": "v5p", "count": 2},
            "priority": "high-prior-job",
            "image": "python:3.13",
            "command": ["python", "-c", "print(1)"],
        }
    ],
}
"""The stack whose state is recorded."""


@pytest.fixture
def pathways(monkeypatch, capsys):
    """Runs a command; returns its exit code, and what it printed to either stream."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["pathways", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main()
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def stack(tmp_path):
    """Writes the stack file of the recorded stack, with other values for top-level keys, and returns its path."""

    def write(**changes):
        config = {"gcp:project": "rehearsed", "pulumi:disable-default-providers": ["*"]}
        platform = {**BASE, **changes}
        path = tmp_path / "Pulumi.prod.yaml"
        path.write_text(yaml.safe_dump({"config": {**config, "pathways:platform": platform}}))
        return path

    return write


@pytest.mark.parametrize(
    ("name", "chips", "hosts", "lanes", "minutes"),
    [  # 3 v6e-16 of 16 chips and 4 hosts; 5 v5p-128 of 64 chips and 16 hosts; two CPU pools besides, 4 at once
        ("dev", 48, 12, 4, 6 + 2 * 3),
        ("prod", 320, 80, 4, 6 + 2 * 3),
    ],
)
def test_our_own_stacks_are_fine(pathways, name, chips, hosts, lanes, minutes):
    code, out, err = pathways("plan", STACKS / f"Pulumi.{name}.yaml", "--json")
    assert (code, err) == (0, "")
    plan = json.loads(out)
    assert plan["fine"] is True
    assert [finding for finding in plan["findings"] if finding["severity"] == "error"] == []
    (group,) = plan["slices"]
    assert (group["chips"], group["hosts"]) == (chips, hosts)
    assert (plan["operations"]["at_once"], plan["operations"]["minutes"]) == (lanes, minutes)
    assert all(job["runs"] for job in plan["jobs"])
    types = {resource["type"] for resource in plan["resources"]}
    assert {"gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool", "gcp:storage/bucket:Bucket"} <= types


@pytest.mark.parametrize(
    ("written", "at_once", "minutes", "findings"),
    [  # 3 slices, heads and controllers: 5 pools of 3 minutes each, after a cluster of 6
        ({}, 4, 6 + 2 * 3, []),
        ({"concurrentOperations": 1}, 1, 6 + 5 * 3, []),
        ({"concurrentOperations": 2}, 2, 6 + 3 * 3, []),
        ({"concurrentOperations": 5}, 5, 6 + 3, []),
        ({"concurrentOperations": 6}, 5, 6 + 3, ["cluster-concurrent-operations"]),
    ],
)
def test_pools_are_made_as_many_at_once_as_is_written(
    pathways, stack, written, at_once, minutes, findings
):  # case pool-5
    slices = [{"name": "v6e", "tpu": "v6e-16", "count": 3, "capacity": {"spot": {}}}]
    code, out, _ = pathways("plan", stack(environment="dev", slices=slices, workloads=[], cluster=written), "--json")
    plan = json.loads(out)
    assert code == 0
    assert (plan["operations"]["at_once"], plan["operations"]["minutes"]) == (at_once, minutes)
    found = [finding["rule"] for finding in plan["findings"]]
    assert [rule for rule in found if rule == "cluster-concurrent-operations"] == findings


def test_the_plan_is_for_people_by_default(pathways):
    code, out, _ = pathways("plan", STACKS / "Pulumi.dev.yaml")
    assert code == 0
    assert "16 chips / 4 = 4 hosts" in out
    assert "podRange 10.64.0.0/11: 1,280 of 2,097,152 addresses" in out  # 12 hosts x 32, and 7 other nodes x 128
    assert out.rstrip().splitlines()[-1].startswith("fine")


def test_a_page_is_written_and_its_place_told(pathways, tmp_path):
    page = tmp_path / "plan.html"
    code, out, _ = pathways("plan", STACKS / "Pulumi.dev.yaml", "--html", page)
    assert code == 0
    assert str(page) in out
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_a_topology_edit_in_prod_is_refused_until_it_is_named(pathways, stack):
    bigger = [{**BASE["slices"][0], "tpu": "v5p-64"}, BASE["slices"][1]]
    edited = stack(slices=bigger)
    state = RECORDED / "state.json"
    code, out, _ = pathways("plan", edited, "--against", state, "--json")
    assert code == 1
    assert set(json.loads(out)["update"]["losses"]) >= {"v5p-0", "v5p-1", "v5p-2"}
    code, out, _ = pathways("plan", edited, "--against", state, "--allow", "v5p", "--allow", "pretrain", "--json")
    assert set(json.loads(out)["update"]["losses"]) & {"v5p-0", "v5p-1", "v5p-2", "pretrain"} == set()


def test_a_slice_less_in_prod_is_refused(pathways, stack):
    code, out, _ = pathways("plan", stack(slices=BASE["slices"][:1]), "--against", RECORDED / "state.json")
    assert code == 1
    assert "1 slice would be lost or interrupted: v6e-0; if that is meant: --allow v6e" in out


def test_the_state_may_come_by_standard_input(pathways, stack):
    code, out, _ = pathways("plan", stack(), "--against", "-", "--json", stdin=(RECORDED / "state.json").read_bytes())
    assert code in (0, 1)
    assert {outcome["name"] for outcome in json.loads(out)["update"]["outcomes"]} >= {"v5p-0", "v6e-0", "pretrain"}


def test_wrong_settings_end_in_1_and_what_cannot_be_looked_at_in_2(pathways, stack, tmp_path):
    wrong = stack(zone="nowhere")
    code, out, err = pathways("plan", wrong)
    assert (code, out) == (1, "")
    assert "zone" in err
    assert pathways("plan", "no-such-stack")[0] == 2
    broken = tmp_path / "state.json"
    broken.write_text("{")
    for against in (broken, tmp_path / "absent.json"):
        code, out, err = pathways("plan", STACKS / "Pulumi.dev.yaml", "--against", against)
        assert (code, out) == (2, "")
        assert str(against) in err


def test_a_reservation_that_is_too_small_and_a_budget_that_is_exceeded_are_errors(pathways, stack):  # case cap-4
    group = {**BASE["slices"][0], "capacity": {"reservation": {"name": "v5p-training", "chips": 32}}}
    code, out, _ = pathways("plan", stack(slices=[group], budget=40), "--json")  # three slices of 16 chips
    assert code == 1
    errors = {each["rule"]: each["message"] for each in json.loads(out)["findings"] if each["severity"] == "error"}
    assert set(errors) >= {"reservation-large-enough", "cost-guard"}
    assert "48" in errors["reservation-large-enough"]
    assert "32" in errors["reservation-large-enough"]
    assert "40" in errors["cost-guard"]


def test_another_stacks_state_is_no_state_of_this_one(pathways):
    code, _, err = pathways("plan", STACKS / "Pulumi.dev.yaml", "--against", RECORDED / "state.json")
    assert code == 2
    assert "stack prod, not of dev" in err


def test_a_program_that_fails_ends_in_2_with_its_error(pathways, monkeypatch):
    import components.recorder

    monkeypatch.setattr(components.recorder, "record_stack_file", lambda _: 1 / 0)
    code, out, err = pathways("plan", STACKS / "Pulumi.dev.yaml")
    assert (code, out) == (2, "")
    assert "ZeroDivisionError" in err


def test_allow_goes_with_against(pathways):
    assert pathways("plan", "dev", "--allow", "v6e-0")[0] == 2


@pytest.mark.parametrize(
    ("preview", "allow", "code"),
    [
        ("nothing", [], 0),
        ("heads", [], 0),
        ("capacity", [], 1),
        ("capacity", ["v6e-0"], 0),
        ("capacity", ["v5p-0"], 1),
        ("topology", ["v5p-0", "v5p-1"], 1),
        ("topology", ["v5p-0", "v5p-1", "v5p-2"], 2),  # all dangers are allowed, and yet the preview itself failed
        ("gone", [], 1),
        ("bucket", [], 1),
        ("cluster", [], 1),
    ],
)
def test_the_guard_stops_what_no_one_has_allowed(pathways, preview, allow, code):
    names = [option for name in allow for option in ("--allow", name)]
    assert pathways("guard", RECORDED / f"preview-{preview}.json", *names)[0] == code


def test_the_guard_reads_standard_input_and_refuses_what_is_no_preview(pathways):
    code, _, err = pathways("guard", "-", stdin=(RECORDED / "preview-gone.json").read_bytes())
    assert code == 1
    assert err.startswith("TPU pool v6e-0 (pathways-slices-v6e-0) would be deleted")
    assert pathways("guard", "-", stdin=b"")[0] == 2
    assert pathways("guard", "no-such-file")[0] == 2
