"""The example programs, run on CPU devices with the real JAX, pathwaysutils, Orbax and Grain."""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
ON_CPU = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
SECONDS = 120
BY_NUMPY = """
import json, sys, numpy as np
weights = np.random.default_rng(0).normal(size=(16, 1024)).astype(np.float32)
print(json.dumps(np.maximum(np.array(json.loads(sys.argv[1])) @ weights, 0).sum(axis=1).tolist()))
"""
"""The model of the inference example, in another library."""

pytestmark = pytest.mark.rehearsal


def environment(**values: str) -> dict[str, str]:
    return {**os.environ, **ON_CPU, **values}


def run(python: Path, *words: str | Path, **values: str) -> str:
    done = subprocess.run(
        [python, *words], env=environment(**values), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def steps(python: Path, *, lost_at: int, back_at: int, minimum: int) -> tuple[list[dict], list[float]]:
    """Returns what the elastic example told of each step, and its final weights, as sums."""
    printed = run(
        python,
        HERE / "elastic_on_cpu.py",
        EXAMPLES / "elastic",
        str(lost_at),
        str(back_at),
        FINAL_STEP="24",
        SNAPSHOT_INTERVAL="5",
        POLL_SECONDS="0.2",
        MINIMUM_SLICE_COUNT=str(minimum),
    )
    told = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return told[:-1], told[-1]["final"]


@pytest.fixture(scope="module")
def undisturbed(examples_python: Path) -> tuple[list[dict], list[float]]:
    return steps(examples_python, lost_at=0, back_at=0, minimum=1)


def test_undisturbed_training_learns(undisturbed):
    told, _ = undisturbed
    assert [each["step"] for each in told] == list(range(24))
    assert {each["slices"] for each in told} == {2}
    losses = [each["loss"] for each in told]
    assert statistics.mean(losses[-6:]) < statistics.mean(losses[:4]) / 2


def test_a_lost_slice_costs_the_steps_since_the_snapshot_and_returns(examples_python, undisturbed):
    told, final = steps(examples_python, lost_at=8, back_at=12, minimum=1)
    # Snapshots are taken at 0, 5, 10, ...: lost in step 8, it goes on with step 6, alone until step 12.
    assert [each["step"] for each in told] == [*range(8), *range(6, 24)]
    assert [each["slices"] for each in told] == [2] * 8 + [1] * 7 + [2] * 11
    expected = {each["step"]: each for each in undisturbed[0]}
    for each in told:
        assert each["first"] == expected[each["step"]]["first"]  # no batch is left out, none moved
        assert each["loss"] == pytest.approx(expected[each["step"]]["loss"], rel=1e-4)
    assert final == pytest.approx(undisturbed[1], rel=1e-4)


def test_it_waits_for_all_slices_where_that_is_wanted(examples_python, undisturbed):
    told, final = steps(examples_python, lost_at=8, back_at=0, minimum=2)
    assert [each["step"] for each in told] == [*range(8), *range(6, 24)]
    assert {each["slices"] for each in told} == {2}
    assert final == pytest.approx(undisturbed[1], rel=1e-6)


def test_a_checkpoint_is_saved_when_the_end_is_announced(examples_python, tmp_path):
    command = [examples_python, HERE / "distributed_on_cpu.py", EXAMPLES / "autocheckpoint" / "train.py"]
    values = environment(CHECKPOINT_LOCATION=str(tmp_path / "checkpoints"), SAVE_INTERVAL="1000000")
    output = tmp_path / "output"
    with output.open("w") as written:
        first = subprocess.Popen(command, env=values, stdout=written, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + SECONDS
        while "starting at step 0" not in output.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        time.sleep(3)  # some steps
        first.send_signal(signal.SIGTERM)
        assert first.wait(SECONDS) == 1
    saved = re.search(r"saved step (\d+) before the end", output.read_text())
    assert saved, output.read_text()
    assert int(saved[1]) > 0
    assert int(saved[1]) % 1_000_000  # not one of the regular ones
    final = str(int(saved[1]) + 3)
    again = subprocess.run(
        command, env={**values, "FINAL_STEP": final}, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert f"starting at step {int(saved[1]) + 1}" in again.stdout, again.stderr[-2000:]
    assert "done: loss" in again.stdout
    assert again.returncode == 0


def test_the_batch_job_learns_and_ends(examples_python):
    printed = run(examples_python, EXAMPLES / "batch" / "train.py")
    assert "on 8 devices" in printed
    assert float(re.search(r"done: loss ([\d.e-]+)", printed)[1]) < 0.01


def test_the_notebook_computes(examples_python):
    printed = run(examples_python, EXAMPLES / "headless" / "notebook.py")
    assert "8 devices" in printed
    assert f"sum of the product: {64 * 64 * 128}" in printed


def test_the_server_answers_what_the_model_says(examples_python):
    server = subprocess.Popen(
        [examples_python, EXAMPLES / "inference" / "serve.py"],
        env=environment(PORT="0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(re.search(r"port (\d+) with 8 devices", server.stdout.readline())[1])
        inputs = [[0.1 * (row + column) - 0.8 for column in range(16)] for row in range(5)]
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/predict", data=json.dumps({"inputs": inputs}).encode(), method="POST"
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            outputs = json.load(answer)["outputs"]
        assert outputs == pytest.approx(json.loads(run(examples_python, "-c", BY_NUMPY, json.dumps(inputs))), rel=1e-4)
    finally:
        server.kill()
        server.wait()
