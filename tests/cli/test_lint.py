"""python -m pathways lint: what is printed, and the exit code."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pathways.cli import main

PROJECT = Path(__file__).resolve().parents[2]
CASES = PROJECT / "tests" / "lint" / "cases"
QUEUE = "tests/lint/cases/kueue-tpu-only-quota.yaml"
FINE = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 2000}\n"


Run = Callable[..., "Ran"]


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs lint in the project's folder."""
    monkeypatch.chdir(PROJECT)

    def run_lint(*arguments: str, standard_input: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["pathways", "lint", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input.encode())))
        try:
            code = main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        return Ran(code, *capsys.readouterr())

    return run_lint


def test_each_finding_has_file_and_line_and_what_to_write_instead(run: Run) -> None:
    result = run(QUEUE)
    assert result.code == 1
    first, second, last = result.out.splitlines()
    assert first.startswith(f"{QUEUE}:7: error: ClusterQueue cluster-queue: ")
    assert first.endswith("[queue-covers-heads]")
    assert second.startswith("    Cover cpu and memory")
    assert last == "1 error, 0 warnings; 1 manifest in 1 file"
    assert result.err == ""


def test_nothing_found_is_said_with_exit_code_0(run: Run) -> None:
    result = run("-", standard_input=FINE)
    assert (result.code, result.out) == (0, "Nothing found; 1 manifest in 1 file\n")


def test_warnings_alone_are_fine_and_prod_is_stricter(run: Run) -> None:
    job = (PROJECT / "tests" / "manifests" / "golden" / "02-v5e-4t-headless.pathwaysjob.yaml").read_text()
    assert run("-", standard_input=job).code == 0
    strict = run("-", "--environment", "prod", standard_input=job)
    assert strict.code == 1
    assert "stdin:7: error: PathwaysJob pw-headless: No version" in strict.out


def test_json_is_for_machines(run: Run) -> None:
    result = run(QUEUE, "-", "--json", standard_input="a: 1\n")
    assert result.code == 1
    read = json.loads(result.out)
    assert (read["errors"], read["warnings"], read["manifests"]) == (2, 0, 1)
    assert read["files"] == [QUEUE, "stdin"]
    finding = read["findings"][0]
    assert finding["file"] == QUEUE
    assert finding["line"] == 7
    assert finding["severity"] == "error"
    assert finding["rule"] == "queue-covers-heads"
    assert finding["path"] == "spec.resourceGroups[0].coveredResources"
    assert finding["resource"] == "ClusterQueue cluster-queue"


def test_sarif_is_for_code_review_tools(run: Run) -> None:
    result = run(QUEUE, "--sarif")
    assert result.code == 1
    log = json.loads(result.out)
    assert log["version"] == "2.1.0"
    (tool_run,) = log["runs"]
    (found,) = tool_run["results"]
    rules = tool_run["tool"]["driver"]["rules"]
    assert rules[found["ruleIndex"]]["id"] == found["ruleId"] == "queue-covers-heads"
    assert found["level"] == "error"
    place = found["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": QUEUE}, "region": {"startLine": 7}}


def test_sarif_names_files_as_addresses(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a job.yaml"
    path.write_text("a: 1\n")
    log = json.loads(run(str(path), "--sarif").out)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.endswith("/a%20job.yaml")


def test_a_file_that_is_not_yaml_is_found_wanting(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("a: 1\nb: [\n")
    result = run(str(path))
    assert result.code == 1
    assert result.out.startswith(f"{path}:2: error: ")


@pytest.mark.parametrize(
    "arguments",
    [("no-such-file.yaml",), ("tests",), (QUEUE, "no-such-file.yaml"), (QUEUE, "--json", "--sarif"), ()],
)
def test_what_cannot_be_looked_at_is_exit_code_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert "Traceback" not in result.err
    assert result.err


def test_the_command_is_one_of_the_module_s() -> None:
    command = [sys.executable, "-m", "pathways", "lint", QUEUE]
    result = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, timeout=120, check=False)
    assert (result.returncode, result.stderr) == (1, "")
    assert "queue-covers-heads" in result.stdout
