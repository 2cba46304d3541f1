"""The process behind one sandbox: it holds the simulated cloud and the control plane until it is told to stop.

Run as `python -m sandbox.daemon FOLDER`; `start` and `stop` are how the commands use it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from pathways.settings.install import JOBSET_VERSIONS
from sandbox.errors import DaemonError
from sandbox.home import PROJECT, Home, write_json
from sandbox.ports import PortTaken

PROGRAMS = (
    *("etcd", "kubernetes", "kwok", "pulumi", "pulumi-resource-kubernetes", "kueue"),
    *(f"jobset-{version}" for version in JOBSET_VERSIONS),
)
"""What a rehearsal needs of the toolchain."""

START_SECONDS = 120
STOP_SECONDS = 30


def running(home: Home) -> bool:
    """Whether the daemon of this sandbox lives; its lock tells, so that a stale pid file cannot lie."""
    if not home.exists():
        return False
    with home.lock("daemon", wait=False) as free:
        return not free


def start(home: Home) -> None:
    """Brings the daemon up, or finds it up; returns once cloud and control plane answer.

    Raises DaemonError with the end of the log.
    """
    if running(home):
        _await_ready(home, None)
        return
    (home.root / "daemon.json").unlink(missing_ok=True)
    with home.daemon_log.open("ab") as log:
        logged_before = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-m", "sandbox.daemon", str(home.root)],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _await_ready(home, process, logged_before)


def stop(home: Home) -> None:
    """Stops the daemon and all its processes; nothing happens where none runs."""
    if not running(home):
        return
    daemon = _process(home)
    daemon.terminate()
    try:
        daemon.wait(STOP_SECONDS)
    except psutil.TimeoutExpired:
        daemon.kill()
        raise DaemonError(
            f"the daemon (process {daemon.pid}) did not stop within {STOP_SECONDS} s and was killed"
        ) from None


def _process(home: Home) -> psutil.Process:
    """The daemon's process, found by its command line: its own description may be missing or damaged."""
    command = ["-m", "sandbox.daemon", str(home.root)]
    for process in psutil.process_iter(["cmdline"]):
        if (process.info["cmdline"] or [])[1:] == command:
            return process
    raise DaemonError(f"a process holds {home.root}/daemon.lock that is no daemon of this sandbox; end it first")


def _await_ready(home: Home, process: subprocess.Popen[bytes] | None, logged_before: int = 0) -> None:
    """logged_before: bytes of the log that earlier starts wrote."""
    deadline = time.monotonic() + START_SECONDS
    while not (home.root / "daemon.json").exists():
        if process is not None and process.poll() is not None:
            raise DaemonError(f"the sandbox did not start:\n{_tail(home.daemon_log, logged_before)}")
        if time.monotonic() > deadline:
            raise DaemonError(
                f"the sandbox did not start within {START_SECONDS} s:\n{_tail(home.daemon_log, logged_before)}"
            )
        time.sleep(0.05)


def _tail(file: Path, start: int, lines: int = 15) -> str:
    return "\n".join(file.read_bytes()[start:].decode(errors="replace").splitlines()[-lines:])


def serve(home: Home) -> int:
    """Runs the sandbox until SIGTERM or SIGINT. Returns the exit code. Raises PortTaken."""
    from sandbox.cloud import CloudServer
    from sandbox.control_plane import ControlPlane
    from sandbox.toolchain import ensure

    # Handlers, not a blocked signal mask: children would inherit the mask and never hear SIGTERM.
    told_to_stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told_to_stop.set())
    with _own(home):
        toolchain = ensure(PROGRAMS)
        ports = home.ports((*ControlPlane.PORTS, "cloud"))
        control_plane = ControlPlane(home.control_plane, toolchain, ports)
        cloud = CloudServer(home.cloud, control_plane, ports["cloud"])
        control_plane.resume()
        cloud.start()
        _describe(home, control_plane.kubeconfig, ports, toolchain.versions)
        try:
            told_to_stop.wait()
        finally:
            (home.root / "daemon.json").unlink(missing_ok=True)
            cloud.stop()
            control_plane.stop()
    return 0


@contextmanager
def _own(home: Home) -> Iterator[None]:
    """Holds the daemon's lock. A moment's patience, since `running` takes it in order to look."""
    deadline = time.monotonic() + 1
    while True:
        with home.lock("daemon", wait=False) as mine:
            if mine:
                yield
                return
        if time.monotonic() > deadline:
            raise DaemonError("another daemon serves this sandbox")
        time.sleep(0.05)


def _describe(home: Home, kubeconfig: Path, ports: dict[str, int], versions: dict[str, str]) -> None:
    described = {"pid": os.getpid(), "kubeconfig": str(kubeconfig), "ports": ports, "versions": versions}
    write_json(home.root / "daemon.json", described)


def main(home: Home) -> int:
    """Serves; a port that is taken is told in one line. Returns the exit code."""
    try:
        return serve(home)
    except PortTaken as error:
        print(f"{error}; the sandbox's ports stand in {home.root / 'ports.json'}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.exit(main(Home(folder, folder.name)))
