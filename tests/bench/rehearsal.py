"""How long the sandbox takes and how much memory it needs, with the toolchain built."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.bench.measure import Measure

MIB = 1024**2
SAMPLE_SECONDS = 2.0


def measures() -> Iterator[Measure]:
    """The dev stack: up from nothing, preview of what is unchanged, memory of the sandbox, down."""
    with _timed("dev") as dev:
        yield Measure("up of dev from nothing", dev.seconds("up"), "s", 60)
        yield Measure("preview of an unchanged stack", min(dev.seconds("preview") for _ in range(3)), "s", 5)
        yield Measure("memory of the sandbox", dev.memory() / MIB, "MiB", 1.5 * 1024)
        yield Measure("down", dev.seconds("down"), "s")


def large() -> Iterator[Measure]:
    """A stack of 1,024 TPU hosts, all of them busy; operations of the simulated cloud take no time."""
    with _timed("large") as stack, tempfile.NamedTemporaryFile("w", suffix=".json") as options:
        json.dump({"timeScale": 0}, options)
        options.flush()
        yield Measure("up of large from nothing, all pods", stack.seconds("up", f"--options={options.name}"), "s", 180)
        yield Measure("preview of an unchanged stack", min(stack.seconds("preview") for _ in range(3)), "s", 15)
        yield Measure("memory of everything together, at most", stack.peak / MIB, "MiB", 4 * 1024)


@dataclass
class _Timed:
    """A sandbox whose commands are timed. peak: bytes that all processes together had at most, commands included."""

    stack: str
    folder: Path
    peak: float = field(default=0.0)

    def seconds(self, *command: str) -> float:
        """Runs a command of the sandbox; returns how long it took."""
        verb, *options = command
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "sandbox", verb, self.stack, *options],
            env={**os.environ, "PATHWAYS_SANDBOX_ROOT": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(process.pid, ended))
        watcher.start()
        printed, _ = process.communicate()
        taken = time.monotonic() - started
        ended.set()
        watcher.join()
        if process.returncode:
            raise SystemExit(printed)
        return taken

    def memory(self, *others: int) -> float:
        """Bytes that the daemon, its processes and others hold, pages that they share counted once (PSS)."""
        described = self.folder / self.stack / "daemon.json"
        roots = [*others, json.loads(described.read_text())["pid"]] if described.exists() else others
        found: dict[int, psutil.Process] = {}
        for pid in roots:
            with contextlib.suppress(psutil.NoSuchProcess):
                root = psutil.Process(pid)
                found |= {process.pid: process for process in (root, *root.children(recursive=True))}
        return sum(map(_pss, found.values()))

    def _watch(self, pid: int, ended: threading.Event) -> None:
        while not ended.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, self.memory(pid))


def _pss(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        return float(process.memory_full_info().pss)
    return 0.0


@contextmanager
def _timed(stack: str) -> Iterator[_Timed]:
    with tempfile.TemporaryDirectory() as folder:
        timed = _Timed(stack, Path(folder))
        try:
            yield timed
        finally:
            timed.seconds("down", "--discard")
