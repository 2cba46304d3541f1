"""How fast `check` and `plan` are: beside XPK's dry run of the same cluster, and from one size to another."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from tests.bench import xpk
from tests.bench.measure import Measure

SLICES = 64
ROUNDS = 5
SIZES = (50, 100, 200)
PROJECT = Path(__file__).resolve().parents[2]

_SHARE = """
import gc, sys, time
from pathlib import Path
from components.recorder import record_stack_file
from pathways.plan import make_plan
from pathways.rules import Use, check, context_of
from pathways.settings import load_stack_file
gc.disable()
def plan(path):
    settings, resources = load_stack_file(path), record_stack_file(path).resources
    make_plan(settings, resources, check(resources, context_of(settings), Use.PLAN))
plan(Path(sys.argv[1]))
started = time.process_time()
plan(Path(sys.argv[2]))
print(time.process_time() - started)
"""
"""Seconds of the second plan of a process: what Pulumi's packages take to load, whatever the size, is over by then."""


def measures() -> Iterator[Measure]:
    """Seconds of the commands, at best, and how the cost of a pool grows with their number."""
    with tempfile.TemporaryDirectory() as folder:
        stack = _stack(Path(folder), SLICES)
        commands = {name: [sys.executable, "-m", "pathways", name, str(stack)] for name in ("check", "plan")}
        yield from _beside_xpk(commands)
        yield from _growth(Path(folder))


def _beside_xpk(commands: Mapping[str, Sequence[str]]) -> Iterator[Measure]:
    try:
        with xpk.installed() as peer:
            dry_run, environment = peer.dry_run(SLICES)
            best = _best({"xpk": dry_run, **commands}, environment)
    except xpk.NoXpk as error:
        Console().print(f"skipped: the comparison with XPK. {error}", markup=False)
        best = _best(commands, None)
    theirs = best.pop("xpk", None)
    if theirs is not None:
        yield Measure(f"XPK's dry run of {SLICES} slices", theirs, "s")
    for name, factor in (("check", 1), ("plan", 3)):
        yield Measure(f"{name} of {SLICES} slices", best[name], "s", None if theirs is None else factor * theirs)


def _growth(folder: Path) -> Iterator[Measure]:
    """Yield the CPU time of a pool at each size; linear cost is the same at all."""
    small = _stack(folder, 2)
    shares = {}
    for size in SIZES:
        command = [sys.executable, "-c", _SHARE, str(small), str(_stack(folder, size))]
        seconds = min(float(_run(command, None).stdout) for _ in range(3))
        shares[size] = seconds / size * 1000
        yield Measure(f"plan, CPU time of a pool among {size}", shares[size], "ms")
    yield Measure(f"the same, {SIZES[-1]} pools over {SIZES[0]}", shares[SIZES[-1]] / shares[SIZES[0]], "x", 1.25)


def _best(commands: Mapping[str, Sequence[str]], environment: Mapping[str, str] | None) -> dict[str, float]:
    """Seconds of each command at its best; they take turns, so that a busy machine hinders all alike."""
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(ROUNDS):
        for name, command in commands.items():
            started = time.monotonic()
            _run(command, environment)
            best[name] = min(best[name], time.monotonic() - started)
    return best


def _run(command: Sequence[str], environment: Mapping[str, str] | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=PROJECT, env=environment, check=True, capture_output=True, text=True)


def _stack(folder: Path, slices: int) -> Path:
    """Write the stack file of a group of that many v5p-128 slices with a job on it."""
    platform = {
        "environment": "dev",
        "zone": "us-east5-a",
        "jax": "0.8.3",
        "slices": [{"name": "v5p", "tpu": "v5p-128", "count": slices, "capacity": {"onDemand": {}}}],
        "workloads": [
            {"name": "train", "kind": "pathways", "slices": {"group": "v5p", "count": slices}, "image": "python:3.13"}
        ],
    }
    path = folder / f"Pulumi.slices{slices}.yaml"
    path.write_text(json.dumps({"config": {"gcp:project": "project", "pathways:platform": platform}}))
    return path
