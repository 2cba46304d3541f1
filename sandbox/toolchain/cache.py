"""The folder where built programs live, outside of any checkout and shared by all.

A program's folder is named after it, its version and a digest of its recipe, so that a change of one program
rebuilds that one, and checkouts of different commits use one cache side by side. The Go that built it is not part of
the name: a newer Go on the machine is no reason to build everything again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain.programs import BUILD_FLAGS, LINK_FLAGS, Program


@dataclass(frozen=True)
class Cache:
    """The cache below one folder. root: an absolute path; it need not exist yet."""

    root: Path

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Cache:
        """The cache at $PATHWAYS_SANDBOX_CACHE, else pathways-sandbox in the user's folder of caches."""
        if own := environment.get("PATHWAYS_SANDBOX_CACHE"):
            return cls(Path(own).expanduser().resolve())
        shared = Path(environment.get("XDG_CACHE_HOME", ""))
        base = shared if shared.is_absolute() else Path.home() / ".cache"  # a relative one counts as unset
        return cls(base / "pathways-sandbox")

    @property
    def go(self) -> Path:
        """Go's own caches: gigabytes that are dropped once the programs stand."""
        return self.root / "go"

    @property
    def modules(self) -> Path:
        """Go's module cache."""
        return self.go / "mod"

    def folder(self, program: Program) -> Path:
        """Where the program lives once it is built: its binary and the folders kept beside it."""
        return self.root / "programs" / f"{program.name}-{program.version}-{digest(program)}"

    def binary(self, program: Program) -> Path:
        return self.folder(program) / program.name

    def holds(self, program: Program) -> bool:
        """Whether the program is built: a folder appears whole or not at all, so a look is enough."""
        return self.binary(program).is_file()

    def log(self, program: Program) -> Path:
        """What Go wrote during the last build."""
        return self.root / "logs" / f"{program.name}.log"

    @contextmanager
    def staging(self, program: Program) -> Iterator[Path]:
        """A fresh folder to build the program in; without an error it becomes folder(program) in one step.

        Only under the lock. With an error nothing is published and the folder goes.
        """
        final = self.folder(program)
        staged = self.root / "staging" / final.name
        shutil.rmtree(staged, ignore_errors=True)  # of a build that was killed
        staged.mkdir(parents=True)
        try:
            yield staged
            final.parent.mkdir(exist_ok=True)
            shutil.rmtree(final, ignore_errors=True)  # one without its binary: somebody cleaned by hand
            staged.rename(final)
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    @contextmanager
    def lock(self, on_wait: Callable[[], None]) -> Iterator[None]:
        """Holds the cache for one builder at a time; calls on_wait where another process has it.

        The lock goes with the process that holds it, however that ends.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def drop_go_caches(self) -> None:
        """Frees what only builds need. Go is told to leave its module cache writable, so this needs no more."""
        shutil.rmtree(self.go, ignore_errors=True)

    def free_gigabytes(self) -> float:
        """Free space on the disk of the cache, for an ordinary user."""
        there = next(folder for folder in (self.root, *self.root.parents) if folder.exists())
        return shutil.disk_usage(there).free / 1e9


def digest(program: Program) -> str:
    """Twelve hex digits of all that a build depends on: the files of the module's folder and the recipe."""
    recipe = (program.package, program.link_flags, program.embeds, program.keeps, BUILD_FLAGS, LINK_FLAGS)
    sums = hashlib.sha256(repr(recipe).encode())
    for file in sorted(program.source.iterdir()):
        sums.update(f"\0{file.name}\0".encode())
        sums.update(hashlib.sha256(file.read_bytes()).digest())
    return sums.hexdigest()[:12]
