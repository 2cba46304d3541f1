"""The little of Pulumi's Python language host that policy packs need: the engine has packs started through it.

python -m sandbox.engine.language_host ENGINE-ADDRESS

It listens on a free loopback port, prints its number, and ends with the engine. A pack runs in this interpreter.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import IO

import grpc
import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

POLICY_PACK = "analyzer"
"""The engine's word for plugins that serve policies."""

SECONDS_BETWEEN_LOOKS = 0.5


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Answers the calls that the engine makes when it loads a policy pack; all others are not implemented."""

    def Handshake(
        self, _request: language_pb2.LanguageHandshakeRequest, _context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, _request: empty_pb2.Empty, _context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=pulumi._version._VERSION)

    def GetRequiredPackages(
        self, _request: language_pb2.GetRequiredPackagesRequest, _context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        return language_pb2.GetRequiredPackagesResponse()

    def RunPlugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        """Run a policy pack and pass on what it prints, until it ends or the engine has had enough."""
        if request.kind not in ("", POLICY_PACK):
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{request.kind} plugins in Python are not run here")
        program = request.info.program_directory or request.program
        process = subprocess.Popen(
            [sys.executable, "-m", "pulumi.policy", *request.args, program],
            cwd=request.pwd or program,
            env=_environment(request.env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        context.add_callback(process.kill)
        yield from _output(process)
        yield language_pb2.RunPluginResponse(exitcode=process.wait())


def _environment(settings: Iterable[str]) -> dict[str, str]:
    """Return this process' environment with the settings NAME=VALUE over it."""
    given = (setting.partition("=") for setting in settings)
    return {**os.environ, **{name: value for name, _, value in given}}


def _output(process: subprocess.Popen[bytes]) -> Iterator[language_pb2.RunPluginResponse]:
    """Yield what the process prints, line by line, until it closes both streams."""
    lines: queue.SimpleQueue[language_pb2.RunPluginResponse | None] = queue.SimpleQueue()

    def read(stream: IO[bytes] | None, response: Callable[[bytes], language_pb2.RunPluginResponse]) -> None:
        for line in stream or ():
            lines.put(response(line))
        lines.put(None)

    streams = (
        (process.stdout, lambda line: language_pb2.RunPluginResponse(stdout=line)),
        (process.stderr, lambda line: language_pb2.RunPluginResponse(stderr=line)),
    )
    for stream in streams:
        threading.Thread(target=read, args=stream, daemon=True).start()
    for _ in streams:
        yield from iter(lines.get, None)


def serve() -> None:
    """Serve until the process that started this one, the engine, is gone or interrupts."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageHost(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    engine, told_to_stop = os.getppid(), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told_to_stop.set())
    while os.getppid() == engine and not told_to_stop.wait(SECONDS_BETWEEN_LOOKS):
        pass
    server.stop(grace=None).wait()


if __name__ == "__main__":
    serve()
