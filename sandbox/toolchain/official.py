"""Official programs on this machine, which the rehearsal prefers to ones of its own making.

What users run against the real cloud is what a rehearsal should run, too; and the Kubernetes provider that can be
built from a module is older than the official one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain import versions
from sandbox.toolchain.cache import Cache
from sandbox.toolchain.programs import Program


@dataclass(frozen=True)
class Official:
    """path: the executable. version: what it says of itself, without a v, or "unknown"."""

    path: Path
    version: str


def find_official(program: Program, cache: Cache) -> Official | None:
    """The official program that serves in place of one of ours, or None where there is none or it is too old."""
    if not program.official_from:
        return None
    if program.name.startswith("pulumi-resource-"):
        return _plugin_on_path(program, cache) or _plugin_of_pulumi(program)
    path = _on_path(program.name, cache)
    version = _stated_version(path, cache) if path else None
    return Official(path, version) if path and version and _serves(version, program) else None


def _serves(version: str, program: Program) -> bool:
    return versions.numbers(version) >= versions.numbers(program.official_from)


def _on_path(name: str, cache: Cache) -> Path | None:
    """The executable on the PATH, unless it is one that we built: a rehearsal puts those on the PATH."""
    found = shutil.which(name)
    if found is None or Path(found).resolve().is_relative_to(cache.root.resolve()):
        return None
    return Path(found).absolute()


def _plugin_on_path(program: Program, cache: Cache) -> Official | None:
    """A plugin on the PATH of whatever version, since the engine takes it from there before all others."""
    path = _on_path(program.name, cache)
    return Official(path, "unknown") if path else None


def _plugin_of_pulumi(program: Program) -> Official | None:
    """The newest plugin that Pulumi itself has installed."""
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    kind = program.name.removeprefix("pulumi-")
    name = re.compile(rf"{re.escape(kind)}-v(\d+\.\d+\.\d+)")  # a release, not what is still being downloaded
    plugins = [
        Official(folder / program.name, match[1])
        for folder in (home / "plugins").glob(f"{kind}-v*")
        if (match := name.fullmatch(folder.name)) and (folder / program.name).is_file()
    ]
    fit = [plugin for plugin in plugins if _serves(plugin.version, program)]
    return max(fit, key=lambda plugin: versions.numbers(plugin.version), default=None)


def _stated_version(path: Path, cache: Cache) -> str | None:
    """The version that a program states, asked once for each state of its file: starting Pulumi takes a while."""
    memory = cache.root / "official.json"
    state = path.stat()
    stamp = [state.st_mtime_ns, state.st_size]
    known = _read(memory)
    if known.get(str(path), [])[:2] == stamp:
        return str(known[str(path)][2])
    version = _ask(path)
    if version:
        cache.root.mkdir(parents=True, exist_ok=True)
        fresh = memory.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(known | {str(path): [*stamp, version]}))
        fresh.replace(memory)
    return version


def _read(memory: Path) -> dict[str, list[int | str]]:
    try:
        known: dict[str, list[int | str]] = json.loads(memory.read_text())
    except (OSError, ValueError):
        return {}
    return known


def _ask(path: Path) -> str | None:
    try:
        answer = subprocess.run(
            [path, "version"],
            env=os.environ | {"PULUMI_SKIP_UPDATE_CHECK": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        versions.numbers(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None  # what does not state a version is not trusted with a rehearsal
    return answer.stdout.strip().removeprefix("v")
