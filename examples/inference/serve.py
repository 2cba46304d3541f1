"""Multihost inference: one server, a model that is spread over the chips of all hosts.

POST /predict with {"inputs": [[...16 numbers...], ...]} answers {"outputs": [...]}; GET /healthz answers once the model
is compiled. Requests that arrive together are answered by one run of the model.
"""

import json
import os
import queue
import threading
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jax
import jax.numpy as jnp
import numpy as np
import pathwaysutils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

FEATURES, HIDDEN = 16, 1024
LARGEST_BATCH = 64
PORT = int(os.environ.get("PORT", "8000"))


class Model:
    """A layer whose hidden units are spread over all devices."""

    def __init__(self) -> None:
        mesh = Mesh(np.asarray(jax.devices()), axis_names=("model",))
        self.weights = np.random.default_rng(0).normal(size=(FEATURES, HIDDEN)).astype(np.float32)
        weights = jax.device_put(self.weights, NamedSharding(mesh, P(None, "model")))
        self._run = jax.jit(lambda x: jnp.maximum(x @ weights, 0).sum(axis=1))
        self.predict([[0.0] * FEATURES])  # compiles

    def predict(self, inputs: list[list[float]]) -> list[float]:
        """Returns an output for each input; one shape for all batches, so that nothing is compiled twice."""
        batch = np.zeros((LARGEST_BATCH, FEATURES), np.float32)
        batch[: len(inputs)] = inputs
        return np.asarray(self._run(batch))[: len(inputs)].tolist()


class Batcher:
    """Collects inputs that wait, and runs the model on all of them at once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._waiting: queue.Queue[tuple[list[float], Future[float]]] = queue.Queue()
        threading.Thread(target=self._serve, daemon=True).start()

    def ask(self, one: list[float]) -> "Future[float]":
        answer: Future[float] = Future()
        self._waiting.put((one, answer))
        return answer

    def _serve(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < LARGEST_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            try:
                outputs = self._model.predict([one for one, _ in batch])
            except Exception as error:
                for _, answer in batch:
                    answer.set_exception(error)
            else:
                for (_, answer), output in zip(batch, outputs, strict=True):
                    answer.set_result(output)


def handler_of(batcher: Batcher) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200 if self.path == "/healthz" else 404, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            inputs = body.get("inputs", [])
            if self.path != "/predict" or not all(len(one) == FEATURES for one in inputs):
                self._answer(400, {"error": f"POST /predict takes inputs of {FEATURES} numbers"})
                return
            answers = [batcher.ask(one) for one in inputs]
            self._answer(200, {"outputs": [answer.result() for answer in answers]})

        def _answer(self, code: int, content: dict[str, object]) -> None:
            body = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def main() -> None:
    server = ThreadingHTTPServer(("", PORT), handler_of(Batcher(Model())))
    print(f"serving on port {server.server_port} with {len(jax.devices())} devices", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    pathwaysutils.initialize()
    main()
