"""Multihost inference: one server, and a model that is spread over the chips of all hosts.

POST /predict with {"inputs": [[16 numbers], ...]} answers {"outputs": [a number for each]}. Inputs that wait at the
same time share a run of the model, whoever asked. GET /healthz answers once the model is compiled.
"""

import json
import os
import signal
import sys
import threading
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue

import jax
import jax.numpy as jnp
import numpy as np
import pathwaysutils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

FEATURES, HIDDEN = 16, 1024
LARGEST_BATCH = 64
PORT = int(os.environ.get("PORT", "8000"))

Waiting = SimpleQueue[tuple[list[float], Future[float]]]


@jax.jit
def layer(weights: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.maximum(x @ weights, 0).sum(axis=1)


class Model:
    """A layer whose hidden units are spread over all devices."""

    def __init__(self) -> None:
        self.devices = jax.devices()
        weights = np.random.default_rng(0).normal(size=(FEATURES, HIDDEN)).astype(np.float32)
        mesh = Mesh(np.asarray(self.devices), axis_names=("model",))
        self._weights = jax.device_put(weights, NamedSharding(mesh, P(None, "model")))
        self.predict([[0.0] * FEATURES])  # compiles

    def predict(self, inputs: list[list[float]]) -> list[float]:
        """Returns an output for each of at most LARGEST_BATCH inputs."""
        batch = np.zeros((LARGEST_BATCH, FEATURES), np.float32)  # one shape for all, so that it compiles once
        batch[: len(inputs)] = inputs
        return np.asarray(layer(self._weights, batch))[: len(inputs)].tolist()


def answer_for_ever(model: Model, waiting: Waiting) -> None:
    """Runs the model on what waits. An error, such as that of a lost slice, is raised: the program ends and the job
    starts again, which answers from a dead model would not bring about."""
    while True:
        batch = [waiting.get()]
        while len(batch) < LARGEST_BATCH and not waiting.empty():
            batch.append(waiting.get())
        outputs = model.predict([one for one, _ in batch])
        for (_, answer), output in zip(batch, outputs, strict=True):
            answer.set_result(output)


def inputs_of(body: bytes) -> list[list[float]]:
    """Returns the inputs of a request. Raises ValueError, KeyError or TypeError where it has none."""
    inputs = [[float(number) for number in one] for one in json.loads(body)["inputs"]]
    if any(len(one) != FEATURES for one in inputs):
        raise ValueError
    return inputs


class Handler(BaseHTTPRequestHandler):
    """Puts inputs among those that wait, and waits for the outputs; each request has a thread of its own."""

    waiting: Waiting

    def do_GET(self) -> None:
        self._answer(200 if self.path == "/healthz" else 404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/predict":
            return self._answer(404, {})
        try:
            inputs = inputs_of(body)
        except (ValueError, KeyError, TypeError):
            return self._answer(400, {"error": f'write {{"inputs": [[{FEATURES} numbers], ...]}}'})
        answers: list[Future[float]] = [Future() for _ in inputs]
        for asked in zip(inputs, answers, strict=True):
            self.waiting.put(asked)
        return self._answer(200, {"outputs": [answer.result() for answer in answers]})

    def _answer(self, code: int, content: dict[str, object]) -> None:
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    # Python, as the first process of a container, would ignore the signal and be killed when its grace is over. The
    # exit code says failure: with success Kubernetes would take the job for done.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    model = Model()
    Handler.waiting = SimpleQueue()
    server = ThreadingHTTPServer(("", PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"serving on port {server.server_port} with {len(model.devices)} devices", flush=True)
    answer_for_ever(model, Handler.waiting)


if __name__ == "__main__":
    pathwaysutils.initialize()  # before anything asks for devices; does nothing where there is no Pathways
    main()
