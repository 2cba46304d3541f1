"""Child processes that are kept running, leave nothing behind, and are found again after a crash of their parent."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from sandbox.control_plane.private_files import private_folder, write_private

FIRST_DELAY_SECONDS = 0.2
LONGEST_DELAY_SECONDS = 10.0
STEADY_SECONDS = 30.0
LEFTOVER_SECONDS = 10.0
LARGEST_LOG_BYTES = 20_000_000
_CLOCK_DRIFT_SECONDS = 2.0  # between two readings of when a process began

_LAUNCHER = Path(__file__).with_name("launcher.py")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Program:
    """How a child process is started.

    name: of its log and its pid file. command: program and arguments. environment: added to the parent's.
    patience: seconds between the request to end and being killed.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    patience: float = 10.0


@dataclass(frozen=True)
class ProcessState:
    """pid: of the last start, 0 before the first. restarts: times that it died and was started again."""

    name: str
    pid: int
    alive: bool
    restarts: int


class KeptProcess:
    """One child process, started again with a growing delay whenever it dies, until it is told to stop.

    A thread of its own starts it and waits for it: the kernel ties a child's life to the thread that made it.
    folder: working folder of the process; its log lies in folder/logs, its pid file in folder/pids.
    """

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self._folder = folder
        self._pid_file = private_folder(folder / "pids") / program.name
        self._log_file = private_folder(folder / "logs") / f"{program.name}.log"
        self._log_file.touch(mode=0o600)
        self._changing = threading.Lock()
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._restarts = 0
        self._keeper = threading.Thread(target=self._keep, name=f"keep-{program.name}", daemon=True)
        self._keeper.start()

    def state(self) -> ProcessState:
        process = self._process
        alive = process is not None and process.poll() is None
        return ProcessState(self.program.name, process.pid if process else 0, alive, self._restarts)

    def log_end(self, lines: int = 15) -> str:
        """The last lines of the process's log."""
        return "\n".join(self._log_file.read_text(errors="replace").splitlines()[-lines:])

    def stop(self) -> None:
        """Asks the process to end, kills it when its patience has run out; returns when it is gone."""
        with self._changing:
            self._stopping.set()
            process = self._process
            if process is not None:
                process.terminate()
        self._keeper.join(self.program.patience)
        if self._keeper.is_alive() and process is not None:
            _log.info("%s did not end within %.0f s and is killed", self.program.name, self.program.patience)
            process.kill()
            self._keeper.join()

    def _keep(self) -> None:
        delay = FIRST_DELAY_SECONDS
        while process := self._start():
            started = time.monotonic()
            code = process.wait()
            self._pid_file.unlink(missing_ok=True)
            if self._stopping.is_set():
                return
            self._restarts += 1
            steady = time.monotonic() - started > STEADY_SECONDS
            delay = FIRST_DELAY_SECONDS if steady else min(delay * 2, LONGEST_DELAY_SECONDS)
            _log.warning(
                "%s ended with code %s and is started again in %.1f s; its log: %s",
                self.program.name, code, delay, self._log_file,
            )  # fmt: skip
            self._stopping.wait(delay)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._changing:
            if self._stopping.is_set():
                return None
            _limit_log(self._log_file)
            with self._log_file.open("ab") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid()), *self.program.command],
                    cwd=self._folder,
                    env={**os.environ, **self.program.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            _remember(self._pid_file, self._process.pid)
            return self._process


def stop_all(processes: Iterable[KeptProcess]) -> None:
    """Stops several processes at the same time."""
    stoppers = [threading.Thread(target=process.stop) for process in processes]
    for stopper in stoppers:
        stopper.start()
    for stopper in stoppers:
        stopper.join()


def stop_leftovers(folder: Path) -> list[str]:
    """Ends processes whose pid files an earlier parent left in folder/pids. Returns the names of those that still ran.

    A pid that now belongs to another process is left alone: the file also holds when the process began.
    """
    found: list[tuple[str, psutil.Process]] = []
    for file in sorted((folder / "pids").glob("*")):
        process = _remembered(file)
        if process is not None:
            found.append((file.name, process))
        file.unlink()
    for _, process in found:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs([process for _, process in found], timeout=LEFTOVER_SECONDS)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    return [name for name, _ in found]


def _remember(file: Path, pid: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        write_private(file, f"{pid} {psutil.Process(pid).create_time()!r}\n")


def _remembered(file: Path) -> psutil.Process | None:
    pid, began = file.read_text().split()
    try:
        process = psutil.Process(int(pid))
        return process if abs(process.create_time() - float(began)) < _CLOCK_DRIFT_SECONDS else None
    except psutil.NoSuchProcess:
        return None


def _limit_log(file: Path) -> None:
    if file.exists() and file.stat().st_size > LARGEST_LOG_BYTES:
        file.replace(file.with_suffix(".log.1"))
