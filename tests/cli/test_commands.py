"""The commands: what they print, their exit codes, and never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from pathways.cli import main
from tests.settings.stack_files import STACK_FILE

PROJECT = Path(__file__).parents[2]
GOLDEN = PROJECT / "tests" / "manifests" / "golden"


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs a command and returns its exit code, what it printed, and what it complained of."""

    def run_command(*arguments):
        monkeypatch.setattr(sys, "argv", ["pathways", *map(str, arguments)])
        try:
            code = main()
        except SystemExit as exit_:
            code = exit_.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_command


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_our_own_stacks_are_fine(run, stack):
    code, out, err = run("check", stack)
    assert (code, err) == (0, "")
    assert "Pulumi." in out
    assert ": fine; " in out


def test_check_of_a_bad_file(run, tmp_path):
    path = tmp_path / "Pulumi.bad.yaml"
    path.write_text(STACK_FILE.replace("zone:", "zne:"))
    code, out, err = run("check", path)
    assert (code, out) == (1, "")
    head, missing, unknown = err.splitlines()
    assert (head, missing) == (f"{path}: 2 errors", "  zone: is missing")
    assert unknown.startswith(
        "  zne: is not a key here; legal: budget checkpoints cluster encryption environment head install jax "
    )
    assert unknown.endswith('; did you mean "zone"?')


@pytest.mark.parametrize("stack", ["nope", "", "no/such.yaml", "stacks/"])
def test_check_of_what_is_not_there(run, stack):
    code, out, err = run("check", stack)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_check_warns_of_what_is_doubtful(run, tmp_path):
    path = tmp_path / "Pulumi.odd.yaml"
    path.write_text(
        STACK_FILE.replace("v6e-16", "v5p-16x20x28").replace("count: 2", "count: 1").replace("us-east5-b", "us-east5-a")
    )
    code, out, _ = run("check", path)
    assert code == 0
    assert "warning: group v6e: Google's documents stop at 6,144 chips" in out


def test_jobset_prints_the_jobset(run):
    code, out, err = run("jobset", GOLDEN / "01-v4-default-2slices.pathwaysjob.yaml")
    assert (code, err) == (0, "")
    assert yaml.safe_load(out)["metadata"]["name"] == "pathways-trial"
    assert "&id" not in out


def test_jobset_reads_standard_input():
    given = (GOLDEN / "01-v4-default-2slices.pathwaysjob.yaml").read_bytes()
    stream = b"kind: ConfigMap\n---\n" + given + b"---\n" + given
    command = [sys.executable, "-m", "pathways", "jobset", "-"]
    done = subprocess.run(command, cwd=PROJECT, input=stream, capture_output=True, timeout=60, check=True)
    assert [jobset["kind"] for jobset in yaml.safe_load_all(done.stdout)] == ["JobSet", "JobSet"]


@pytest.mark.parametrize("case", sorted(path.name.removesuffix(".error.txt") for path in GOLDEN.glob("*.error.txt")))
def test_jobset_fails_where_the_controller_fails(run, case):
    code, out, err = run("jobset", GOLDEN / f"{case}.pathwaysjob.yaml")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("text", ["", "kind: JobSet", "[", "3", "a: 1\na: 2", "kind: [PathwaysJob]"])
def test_jobset_of_what_is_no_pathways_job(run, tmp_path, text):
    path = tmp_path / "job.yaml"
    path.write_text(text)
    code, out, err = run("jobset", path)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_jobset_reads_yaml_as_kubernetes_does(run, tmp_path):
    path = tmp_path / "job.yaml"
    text = (GOLDEN / "01-v4-default-2slices.pathwaysjob.yaml").read_text()
    path.write_text(text.replace("maxRestarts: 10", "maxRestarts: 1e1").replace("resv-1", "yes"))
    code, _, err = run("jobset", path)
    assert code == 1
    assert "spec.workers[0].nodeSelector.cloud.google.com/reservation-name: text is wanted" in err


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["v5p-128"], ["ct5p-hightpu-4t 4x4x4", "64 (128 TensorCores)", "16 of 4 chips", "tpuv5:4x4x4"]),
        (["ct6e-standard-4t", "4x4"], ["v6e-16", "16 of TPUs per TPU family (tpu_family: CT6E)", "tpu-v6e-slice"]),
        (["v5p-512"], ["v5p-512 could be ct5p-hightpu-4t 4x4x16 as well; ct5p-hightpu-4t 4x8x8 is meant"]),
        (["ct5p-hightpu-1t", "1x1x1"], ["warning: ct5p-hightpu-1t is known to tools only"]),
    ],
)
def test_slice_tells_the_facts(run, arguments, facts):
    code, out, err = run("slice", *arguments)
    assert (code, err) == (0, "")
    for fact in facts:
        assert fact in out


def test_every_slice_for_machines(run):
    code, out, _ = run("slice", "--all", "--json")
    slices = {(each["machine_type"], each["topology"]): each for each in json.loads(out)}
    assert code == 0
    assert (
        slices["ct5p-hightpu-4t", "4x4x4"].items()
        >= {
            "chips": 64,
            "hosts": 16,
            "multi_host": True,
            "accelerator": "tpu-v5p-slice",
            "pathways_instance_type": "tpuv5:4x4x4",
            "names": ["v5p-128", "v5p-4x4x4"],
        }.items()
    )
    assert {each["generation"] for each in slices.values()} == {"v4", "v5e", "v5p", "v6e", "tpu7x"}


def test_one_slice_for_machines(run):
    code, out, _ = run("slice", "v6e-16", "--json")
    assert code == 0
    assert json.loads(out)["hosts"] == 4


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["v6e-12"], 1, 'did you mean "v6e-8" or "v6e-16"?'),
        (["ct6e-standard-4t", "4x2"], 1, 'did you mean "2x4"?'),
        ([], 2, "name a slice"),
        (["--all", "v6e-16"], 2, "not both"),
        (["ct6e-standard-4t"], 1, "needs a topology besides; legal: 2x2 2x4 4x4 4x8 8x8 8x16 16x16"),
    ],
)
def test_slice_refuses(run, arguments, code, message):
    found, out, err = run("slice", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_schema_is_current(run):
    code, out, _ = run("schema")
    assert code == 0
    written = (PROJECT / "schema" / "stack.schema.json").read_text()
    assert out == written, "write it again: python -m pathways schema -o schema/stack.schema.json"


def test_schema_writes_a_file(run, tmp_path):
    assert run("schema", "--output", tmp_path / "schema.json") == (0, "", "")
    assert json.loads((tmp_path / "schema.json").read_text())["type"] == "object"
    code, _, err = run("schema", "--output", tmp_path)
    assert (code, len(err.splitlines())) == (2, 1)


SCHEMA = json.loads((PROJECT / "schema" / "stack.schema.json").read_text())


@pytest.mark.parametrize("path", sorted((PROJECT / "stacks").glob("Pulumi.*.yaml")), ids=lambda path: path.name)
def test_the_schema_takes_our_own_stacks_which_name_it(path):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(yaml.safe_load(path.read_text()), SCHEMA)
    assert "$schema=../schema/stack.schema.json" in path.read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("zone:", "zne:"),
        ("spot: {}", "spt: {}"),
        ("spot: {}", "spot: {}, onDemand: {}"),
        ("count: 2", 'count: "2"'),
        ("environment: dev", "environment: test"),
        ('jax: "0.8.3"', "jax: 0.8"),
    ],
)
def test_the_schema_refuses_what_is_wrong(written, instead):
    assert written in STACK_FILE
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(STACK_FILE.replace(written, instead, 1)), SCHEMA)


def test_the_schema_describes_every_setting():
    platform = SCHEMA["properties"]["config"]["properties"]["pathways:platform"]
    for name, described in {"platform": platform, **SCHEMA["$defs"]}.items():
        for key, value in described.get("properties", {}).items():
            assert {"description", "$ref", "const"} & set(value), (name, key)


@pytest.mark.parametrize("arguments", [["bogus"], ["check"], ["slice", "--bogus"], ["jobset", "a", "b"]])
def test_a_command_that_is_misspelt_is_told_so(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")


def test_the_pure_commands_need_no_pulumi():
    script = "import sys; sys.modules['pulumi'] = None; sys.argv[1:] = ['check', 'dev']; import pathways.__main__"
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
