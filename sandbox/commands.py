"""The commands that run the engine; each returns its exit code: 0 fine, 1 found wanting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi import automation
from rich.console import Console

from pathways.settings import StackSettings, find_stack, load_stack_file
from sandbox import cluster_view, daemon, report
from sandbox.engine import protection, workspace
from sandbox.engine.progress import phases, shown
from sandbox.engine.recovery import recover
from sandbox.engine.runs import Operation, Run, run
from sandbox.home import PROJECT, Busy, Home, home_of
from sandbox.toolchain import Toolchain, ensure

PODS_SECONDS = 180
POLICIES = str(PROJECT / "policies")


@dataclass(frozen=True)
class Session:
    """A sandbox whose daemon runs, with its stack opened."""

    home: Home
    settings: StackSettings
    toolchain: Toolchain
    stack: automation.Stack
    kubeconfig: Path

    def run(self, console: Console, title: str, operation: Operation, **options: Any) -> Run:
        with shown(console, title) as events:
            return run(operation, events, self.home.root / "engine.log", **options)


@contextmanager
def session(console: Console, stack: str, spent: dict[str, float]) -> Iterator[Session]:
    """Starts what is not running and opens the stack. spent: takes the seconds of each part.

    Raises SettingsError before anything is touched, Busy, ToolchainError and DaemonError.
    """
    stack_file = find_stack(stack)
    settings = load_stack_file(stack_file)
    workspace.import_ahead()
    home = Home.of(settings.stack)
    with _timed(spent, "toolchain"):
        toolchain = ensure(daemon.PROGRAMS)
    home.create()
    with _exclusive(home):
        with _timed(spent, "sandbox"), console.status("starting the sandbox"):
            daemon.start(home)
            described = home.read_daemon()
            workspace.copy_project(home, stack_file, settings, toolchain)
            env = workspace.environment(home, toolchain, described["ports"])
            opened = workspace.open_stack(home, env)
        yield Session(home, settings, toolchain, opened, Path(described["kubeconfig"]))


def up(stack: str) -> int:
    """Deploys the stack, unless a policy is against it, and waits for its jobs' pods."""
    console, spent = report.console(), dict[str, float]()
    started = time.monotonic()
    with session(console, stack, spent) as opened:
        for creation in recover(opened.home, opened.stack, opened.kubeconfig):
            console.print(report.recovered(creation.urn, creation.id))
        with _timed(spent, "policies"):
            held = opened.run(
                console, f"holding {stack} to the policies", opened.stack.preview, policy_packs=[POLICIES]
            )
        if not held.ok:
            return report.failure(console, held)
        report.warnings(console, held.events)
        done = opened.run(console, f"deploying {stack}", opened.stack.up)
        spent.update({f"deploy: {part}": seconds for part, seconds, _ in phases(done.events)})
        spent["deploy, in all"] = done.seconds
        if not done.ok:
            return report.failure(console, done)
        with _timed(spent, "pods"):
            seen = _await_jobs(console, opened.kubeconfig)
        spent["in all"] = time.monotonic() - started
        report.deployed(console, seen, spent, done.events, opened.kubeconfig)
    return 0 if all(job.ready for job in seen.jobs) else 1


def preview(stack: str) -> int:
    """Shows what an update would change."""
    console = report.console()
    with session(console, stack, {}) as opened:
        return _report_changes(console, opened.run(console, f"previewing {stack}", opened.stack.preview))


def refresh(stack: str) -> int:
    """Reads back cloud and cluster into the state."""
    console = report.console()
    with session(console, stack, {}) as opened:
        recover(opened.home, opened.stack, opened.kubeconfig)
        return _report_changes(console, opened.run(console, f"refreshing {stack}", opened.stack.refresh))


def down(stack: str) -> int:
    """Destroys the stack, then stops and removes the sandbox."""
    console = report.console()
    home = home_of(stack)
    if not home.exists():
        console.print(f"no sandbox of {home.stack}")
        return 0
    with session(console, stack, {}) as opened:
        recover(opened.home, opened.stack, opened.kubeconfig)
        if protection.is_on(home):
            lifted = protection.lift(home, opened.stack, lambda: opened.run(console, "unprotecting", opened.stack.up))
            if not lifted.ok:
                return report.failure(console, lifted)
        done = opened.run(console, f"destroying {stack}", opened.stack.destroy)
        if not done.ok:
            return report.failure(console, done)
        daemon.stop(home)
    home.remove()
    report.destroyed(console, done)
    return 0


def _report_changes(console: Console, done: Run) -> int:
    if not done.ok:
        return report.failure(console, done)
    report.changes(console, done.events)
    return 0


def _await_jobs(console: Console, kubeconfig: Path) -> cluster_view.ClusterView:
    """Waits until every job has all its pods ready, or the time is up; returns what was last seen."""
    deadline = time.monotonic() + PODS_SECONDS
    with console.status("waiting for pods") as shown_status:
        while True:
            seen = cluster_view.view(kubeconfig)
            waiting = [job for job in seen.jobs if not job.ready]
            if not waiting or time.monotonic() > deadline:
                return seen
            shown_status.update("waiting for pods: " + ", ".join(f"{j.name} {j.pods}/{j.wanted}" for j in waiting))
            time.sleep(0.25)


@contextmanager
def _exclusive(home: Home) -> Iterator[None]:
    with home.lock("command", wait=False) as mine:
        if not mine:
            raise Busy(f"another command works on the sandbox of {home.stack}; wait for it or stop it")
        yield


@contextmanager
def _timed(spent: dict[str, float], part: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    spent[part] = time.monotonic() - started
