"""Processes are kept running, end when asked, and leave nothing behind when their parent is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sandbox.control_plane.processes import KeptProcess, Program, stop_leftovers

PROJECT = Path(__file__).parents[3]


def until(met: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def sleeper(name: str = "sleeper") -> Program:
    return Program(name, (sys.executable, "-c", "import time; time.sleep(600)"))


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_killed_process_is_started_again_and_counted(tmp_path: Path) -> None:
    kept = KeptProcess(sleeper(), tmp_path)
    try:
        until(lambda: kept.state().alive)
        first = kept.state().pid
        os.kill(first, signal.SIGKILL)
        until(lambda: kept.state().alive and kept.state().pid != first)
        assert kept.state().restarts == 1
    finally:
        kept.stop()
    assert not kept.state().alive


def test_a_process_that_ends_at_once_is_started_ever_later(tmp_path: Path) -> None:
    marks = tmp_path / "starts"
    kept = KeptProcess(Program("brief", (sys.executable, "-c", f"open({str(marks)!r}, 'a').write('x')")), tmp_path)
    try:
        time.sleep(1.5)
    finally:
        kept.stop()
    assert 2 <= len(marks.read_text()) <= 4  # after 0.4 s, 0.8 s, 1.6 s


def test_output_goes_to_the_log_and_environment_and_folder_are_as_told(tmp_path: Path) -> None:
    code = "import os; print(os.environ['WHO'], os.getcwd(), flush=True); import time; time.sleep(600)"
    kept = KeptProcess(Program("talker", (sys.executable, "-c", code), {"WHO": "me"}), tmp_path)
    try:
        until(lambda: kept.log_end() != "")
        assert kept.log_end() == f"me {tmp_path.resolve()}"
    finally:
        kept.stop()


def test_a_process_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    kept = KeptProcess(Program("deaf", (sys.executable, "-c", code), patience=0.2), tmp_path)
    until(lambda: kept.log_end() == "deaf")
    pid = kept.state().pid
    kept.stop()
    assert gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process's life to its parent's")
def test_nothing_is_left_of_a_parent_that_was_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path\n"
            "from sandbox.control_plane.processes import KeptProcess, Program\n"
            f"kept = KeptProcess(Program('child', ({sys.executable!r}, '-c', 'import time; time.sleep(600)')), "
            f"Path({str(tmp_path)!r}))\n"
            "time.sleep(600)",
        ],
        cwd=PROJECT,
    )
    pid_file = tmp_path / "pids" / "child"
    until(pid_file.exists)
    child = int(pid_file.read_text().split()[0])
    assert not gone(child)
    parent.kill()
    parent.wait()
    until(lambda: gone(child))


def test_leftovers_are_found_by_their_pid_files_and_ended(tmp_path: Path) -> None:
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    began = psutil.Process(left.pid).create_time()
    (tmp_path / "pids").mkdir()
    (tmp_path / "pids" / "left").write_text(f"{left.pid} {began!r}\n")
    assert stop_leftovers(tmp_path) == ["left"]
    assert gone(left.pid)
    assert stop_leftovers(tmp_path) == []


def test_a_pid_that_another_process_has_now_is_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        (tmp_path / "pids").mkdir()
        (tmp_path / "pids" / "old").write_text(f"{other.pid} {time.time() - 3600!r}\n")
        assert stop_leftovers(tmp_path) == []
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
