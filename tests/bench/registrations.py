"""What our program adds to a preview: beside a bare program that registers the same resources without thinking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Measure

STACK = "large"
PROJECT = Path(__file__).resolve().parents[2]


def measures() -> Iterator[Measure]:
    """Milliseconds of a resource in the first preview of a large stack, by our program and by the bare one."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATHWAYS_SANDBOX_ROOT": folder}
        command = [sys.executable, "-m", "tests.bench.two_previews", STACK]
        done = subprocess.run(command, cwd=PROJECT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        down = [sys.executable, "-m", "sandbox", "down", STACK, "--discard"]
        subprocess.run(down, cwd=PROJECT, env=environment, check=True, capture_output=True)
    for program in ("bare", "ours"):
        share = 1000 * found[program] / found["resources"]
        yield Measure(f"preview of {found['resources']} resources, {program}: each", share, "ms")
    yield Measure("the same, ours over bare", found["ours"] / found["bare"], "x", 1.2)
