"""The examples that run to an end or serve, on eight CPU devices with the real JAX and pathwaysutils."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.examples.programs import EXAMPLES, SECONDS, environment, run

pytestmark = pytest.mark.examples

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Whatever proxy the machine has for the world."""

BY_NUMPY = """
import json, sys, numpy as np
weights = np.random.default_rng(0).normal(size=(16, 1024)).astype(np.float32)
print(json.dumps(np.maximum(np.array(json.loads(sys.argv[1])) @ weights, 0).sum(axis=1).tolist()))
"""
"""The model of the inference example, in another library."""


def test_the_batch_job_learns_and_ends(examples_python):
    printed = run(examples_python, EXAMPLES / "batch" / "train.py")
    losses = [float(loss) for loss in re.findall(r"step \d+: loss ([\d.]+) on 8 devices", printed)]
    assert losses[-1] < losses[0] / 1000
    weights = json.loads(re.search(r"done: .* weights (\[.*\])", printed)[1])
    assert weights == pytest.approx([0, 1, 2, 3, 4, 5, 6, 7], abs=0.01)


def test_the_notebook_computes(examples_python):
    printed = run(examples_python, EXAMPLES / "headless" / "notebook.py")
    assert "8 devices of cpu" in printed
    assert "sum of the first 8000 numbers: 31996000" in printed


def test_the_notebook_asks_the_proxy_by_itself():
    """The variables are those of the stack's output for headless jobs."""
    cell = (EXAMPLES / "headless" / "notebook.py").read_text()
    variables = dict(re.findall(r'environ.setdefault\("(\w+)", "([^"]+)"\)', cell.split("import jax\n")[0]))
    assert variables == {
        "JAX_PLATFORMS": "proxy",
        "JAX_BACKEND_TARGET": "grpc://127.0.0.1:29000",
        "XCLOUD_ENVIRONMENT": "GCP",
    }


class Server:
    """The inference example while it serves."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        told = re.fullmatch(r"serving on port (\d+) with 8 devices\n", process.stdout.readline())
        assert told
        self._address = f"http://127.0.0.1:{told[1]}"

    def ask(self, path: str, body: bytes | None = None) -> dict[str, object]:
        with DIRECT.open(self._address + path, data=body, timeout=SECONDS) as answer:
            return json.load(answer)

    def predict(self, inputs: object) -> list[float]:
        return self.ask("/predict", json.dumps({"inputs": inputs}).encode())["outputs"]


@pytest.fixture(scope="module")
def server(examples_python: Path) -> Iterator[Server]:
    process = subprocess.Popen(
        [examples_python, EXAMPLES / "inference" / "serve.py"],
        env=environment(PORT=0),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Server(process)
        process.terminate()
        assert process.wait(SECONDS) == 1  # not 0, which would end the job
    finally:
        process.kill()
        process.wait()


def some_inputs(count: int) -> list[list[float]]:
    return [[0.1 * (row % 7 + column) - 0.8 for column in range(16)] for row in range(count)]


def by_numpy(python: Path, inputs: list[list[float]]) -> list[float]:
    return json.loads(run(python, "-c", BY_NUMPY, json.dumps(inputs)))


def test_the_server_is_ready_once_it_listens(server):
    assert server.ask("/healthz") == {}


def test_the_server_answers_what_the_model_says(server, examples_python):
    inputs = some_inputs(150)  # more than two batches
    assert server.predict(inputs) == pytest.approx(by_numpy(examples_python, inputs), rel=1e-4)


def test_each_of_many_askers_gets_its_own_answer(server, examples_python):
    inputs = some_inputs(48)
    with ThreadPoolExecutor(16) as askers:
        answers = list(askers.map(lambda one: server.predict([one])[0], inputs))
    assert answers == pytest.approx(by_numpy(examples_python, inputs), rel=1e-4)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"inputs": 1}', b'{"inputs": [[1, 2]]}', b'{"inputs": [["one"]]}', b'{"inputs": null}']
)
def test_the_server_says_what_it_takes_and_goes_on(body, server):
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.ask("/predict", body)
    assert refused.value.code == 400
    assert "16 numbers" in json.load(refused.value)["error"]
    assert len(server.predict(some_inputs(1))) == 1


def test_the_server_knows_two_paths(server):
    for path, body in (("/", None), ("/other", b"{}")):
        with pytest.raises(urllib.error.HTTPError) as refused:
            server.ask(path, body)
        assert refused.value.code == 404
