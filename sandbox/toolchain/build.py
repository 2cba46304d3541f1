"""Building programs with Go: download, compile, publish, one program after the other.

While one compiles, the next one's modules are downloaded already. Each is published as soon as it stands, so that a
call after a failure builds only what is missing, and Go's caches are kept until all that was asked for stands.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain.cache import Cache
from sandbox.toolchain.errors import BuildFailed, ToolchainError
from sandbox.toolchain.go import Go, find_go, oldest_go
from sandbox.toolchain.programs import BUILD_FLAGS, Program
from sandbox.toolchain.progress import Phase, Progress


def build_missing(programs: Sequence[Program], cache: Cache, progress: Progress, jobs: int | None = None) -> None:
    """Builds those of the programs that the cache lacks, then drops Go's caches.

    jobs: packages that Go compiles at once; None: as many as there are cores.
    Raises ToolchainError: too little disk, no Go, or BuildFailed; what was finished before that stays.
    """
    with progress, cache.lock(on_wait=lambda: progress.note(f"Another build uses {cache.root}: waiting for it")):
        progress.expect(program.name for program in programs)
        missing = [program for program in programs if not cache.holds(program)]  # another build may have made some
        for program in programs:
            if program not in missing:
                progress.enter_phase(program.name, Phase.CACHED)
        if missing:
            check_disk(missing, cache)
            progress.note(f"Building {len(missing)} programs in {cache.root}, once for all checkouts")
            go = find_go(cache, oldest_go(missing), progress.note)
            _build_all([Build(program, cache, go, progress) for program in missing], go, jobs or os.cpu_count() or 1)
        cache.drop_go_caches()


def check_disk(missing: Sequence[Program], cache: Cache) -> None:
    """Raises ToolchainError where the disk cannot take the builds: they would fail half an hour later, full."""
    needed = sum(program.gigabytes for program in missing)
    free = cache.free_gigabytes()
    if free < needed:
        names = ", ".join(program.name for program in missing)
        raise ToolchainError(
            f"Building {names} takes about {needed:.0f} GB in {cache.root} for a while, and {free:.1f} GB are free. "
            "Free some, or set PATHWAYS_SANDBOX_CACHE to a folder on a larger disk."
        )


@dataclass(frozen=True)
class Build:
    """The build of one program: fetch, then compile, which publishes it."""

    program: Program
    cache: Cache
    go: Go
    progress: Progress

    def fetch(self) -> int:
        """Downloads what the program needs; returns the number of packages that it is made of."""
        log = self.cache.log(self.program)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        self.progress.enter_phase(self.program.name, Phase.DOWNLOADING)
        work = self._fresh_work()
        self._run(["mod", "download", self.program.module], work, "download")
        for file in self.program.embeds:
            shutil.copyfile(self._from_module(file), work / Path(file).name)
        packages = self._run(["list", "-deps", self.program.package], work, "download")
        self.progress.enter_phase(self.program.name, Phase.WAITING, "downloaded")
        return packages

    def compile(self, packages: int, jobs: int) -> None:
        """Builds the program and publishes it together with the folders that it keeps."""
        started = time.monotonic()
        name = self.program.name
        self.progress.enter_phase(name, Phase.COMPILING, f"{packages} packages")
        with self.cache.staging(self.program) as staged:
            flags = [*BUILD_FLAGS, f"-p={jobs}", "-v", f"-ldflags={self.program.link_flags}", f"-o={staged / name}"]
            self._run(["build", *flags, self.program.package], self._work, "compile", packages)
            for folder in self.program.keeps:
                shutil.copytree(self._from_module(folder), staged / folder, copy_function=shutil.copyfile)
        size = self.cache.binary(self.program).stat().st_size / 1e6
        self.progress.enter_phase(name, Phase.DONE, f"{size:.0f} MB after {time.monotonic() - started:.0f} s")

    @property
    def _work(self) -> Path:
        """A copy of the module's folder: the checkout is only read."""
        return self.cache.go / "work" / self.program.name

    def _fresh_work(self) -> Path:
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self.program.source, self._work)
        return self._work

    def _from_module(self, path: str) -> Path:
        """A file or folder of the program's Go module, as downloaded."""
        return self.cache.modules / f"{self.program.module}@{self.program.module_version}" / path

    def _run(self, args: list[str], work: Path, doing: str, packages: int = 0) -> int:
        """Runs go; returns how many packages it named. packages: how many it names at most, to show how far it is."""
        named = 0

        def count() -> None:
            nonlocal named
            named += 1
            if packages:
                self.progress.advance(self.program.name, f"{named} of {packages} packages")

        log = self.cache.log(self.program)
        ended = self.go.run(args, work, log, count)
        if ended.code:
            self.progress.enter_phase(self.program.name, Phase.WAITING if self.go.stopped else Phase.FAILED)
            raise BuildFailed(self.program.name, doing, log, ended.tail)
        return named


def _build_all(builds: Sequence[Build], go: Go, jobs: int) -> None:
    """Compiles in order; one thread downloads ahead. The first failure ends the rest."""
    with ThreadPoolExecutor(1) as ahead:
        fetched = [(build, ahead.submit(build.fetch)) for build in builds]
        try:
            for build, packages in fetched:
                build.compile(packages.result(), jobs)
        except BaseException:  # Ctrl-C as well: no go may outlive us
            ahead.shutdown(wait=False, cancel_futures=True)
            go.stop()
            raise
