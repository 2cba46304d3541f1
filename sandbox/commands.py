"""The commands that run the engine; each returns its exit code: 0 fine, 1 found wanting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pulumi import automation
from pulumi.automation.errors import CommandError
from rich.console import Console

from pathways.settings import find_stack, load_stack_file
from sandbox import cluster_view, daemon, report
from sandbox.cloud.options import read_options, write_options
from sandbox.engine import given, protection, workspace
from sandbox.engine.progress import phases, shown
from sandbox.engine.recovery import failed_pools, read_checkpoint, recover, restore_checkpoint
from sandbox.engine.runs import Operation, Run, last_words, run
from sandbox.errors import Busy, EngineError
from sandbox.home import PROJECT, Home, home_of
from sandbox.toolchain import Toolchain, ensure

PODS_SECONDS = 180
SECONDS_OF_A_POD = 0.2
"""Two processors that have nothing else to do take a fifth of that."""

POLICIES = str(PROJECT / "policies")


@dataclass(frozen=True)
class Session:
    """A sandbox whose daemon runs, with its stack opened. kubectl: the command, with the administrator's kubeconfig."""

    home: Home
    stack: automation.Stack
    kubeconfig: Path
    kubectl: list[str]

    def run(self, console: Console, title: str, operation: Operation, **options: Any) -> Run:
        with shown(console, title, planned=operation == self.stack.preview) as events:
            return run(operation, events, self.home.root / "engine.log", **options)

    def recover(self, console: Console) -> None:
        """Goes on from where an interrupted run left off, and says so."""
        for line in recover(self.home, self.stack, self.kubectl):
            console.print(line, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def session(console: Console, stack: str, spent: dict[str, float], behaviour: str | None = None) -> Iterator[Session]:
    """Starts what is not running and opens the stack as its file describes it.

    spent: takes the seconds of each part. behaviour: new options of the simulated cloud, as text.
    Raises SettingsError before anything is touched, Busy, ToolchainError and DaemonError.
    """
    stack_file = find_stack(stack)
    settings = load_stack_file(stack_file)
    home = Home.of(settings.stack)
    workspace.import_ahead()
    with _timed(spent, "toolchain"):
        toolchain = ensure(daemon.PROGRAMS)
    home.create()
    with _exclusive(home):
        if behaviour is not None:
            write_options(home.cloud, behaviour)
        with _started(console, home, toolchain, spent) as opened:
            workspace.copy_stack_file(home, stack_file, settings, toolchain)
            given.provide(settings, home.read_daemon()["ports"]["cloud"])
            yield opened


@contextmanager
def session_as_left(console: Console, home: Home) -> Iterator[Session]:
    """The same with the sandbox's own copy of the stack file: the user's may be gone, or wrong, by now."""
    with _exclusive(home), _started(console, home, ensure(daemon.PROGRAMS), {}) as opened:
        yield opened


@contextmanager
def _started(console: Console, home: Home, toolchain: Toolchain, spent: dict[str, float]) -> Iterator[Session]:
    try:
        with _timed(spent, "sandbox"), console.status("starting the sandbox"):
            daemon.start(home)
            described = home.read_daemon()
            workspace.copy_project_file(home)
            restored = restore_checkpoint(home)
            stack = workspace.open_stack(home, workspace.environment(home, toolchain, described["ports"]))
        if restored:
            console.print("the engine was stopped while it wrote its state; the one before it is taken up")
        kubeconfig = Path(described["kubeconfig"])
        yield Session(home, stack, kubeconfig, [str(toolchain.path("kubectl")), f"--kubeconfig={kubeconfig}"])
    except CommandError as error:
        raise EngineError(last_words(str(error))) from error


def up(stack: str, options: Path | None = None) -> int:
    """Deploys the stack, unless a policy is against it, and waits for its jobs' pods.

    options: file that says how the simulated cloud shall behave; None leaves that as it is. Raises OptionsError.
    """
    console, spent = report.console(), dict[str, float]()
    started = time.monotonic()
    behaviour = None if options is None else read_options(options)
    with session(console, stack, spent, behaviour) as opened:
        opened.recover(console)
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
        report.deployed(console, seen, spent, done.events, opened.kubectl)
        failed = failed_pools(opened.home)
        report.pools_in_error(console, failed)
    return 0 if all(job.ready or job.ended == "Completed" for job in seen.jobs) and not failed else 1


def preview(stack: str) -> int:
    """Shows what an update would change."""
    console = report.console()
    with session(console, stack, {}) as opened:
        return _report_changes(console, opened.run(console, f"previewing {stack}", opened.stack.preview))


def refresh(stack: str) -> int:
    """Reads back cloud and cluster into the state."""
    console = report.console()
    with session(console, stack, {}) as opened:
        opened.recover(console)
        return _report_changes(console, opened.run(console, f"refreshing {stack}", opened.stack.refresh))


def down(stack: str, *, discard: bool) -> int:
    """Destroys the stack, then stops and removes the sandbox. discard: without the first of these."""
    console = report.console()
    home = home_of(stack)
    if not home.exists():
        console.print(f"no sandbox of {home.stack}")
        return 0
    if not discard and home.stack_file.exists():
        with session_as_left(console, home) as opened:
            done = _destroy(console, opened)
            if not done.ok:
                return report.failure(console, done)
        report.destroyed(console, done)
    daemon.stop(home)
    home.remove()
    console.print(f"the sandbox of {home.stack} is gone")
    return 0


def _destroy(console: Console, opened: Session) -> Run:
    opened.recover(console)
    if protection.is_on(opened.home):
        update = partial(opened.run, console, "lifting the protection", opened.stack.up)
        lifted = protection.lift(opened.home, opened.stack, update)
        if not lifted.ok:
            return lifted
    done = opened.run(console, f"destroying {opened.home.stack}", opened.stack.destroy)
    if done.ok and read_checkpoint(opened.home).get("resources"):
        return replace(done, errors=["the engine ended before everything was gone"])
    return done


def _report_changes(console: Console, done: Run) -> int:
    if not done.ok:
        return report.failure(console, done)
    report.changes(console, done.events)
    return 0


def _await_jobs(console: Console, kubeconfig: Path) -> cluster_view.ClusterView:
    """Waits until every job has all its pods ready, or the time is up; returns what was last seen."""
    client = cluster_view.connect(kubeconfig)
    began = time.monotonic()
    with console.status("waiting for pods") as shown_status:
        while True:
            jobs = cluster_view.jobs_by(client)
            pods = sum(job.wanted for job in jobs if job.kind == "JobSet")
            late = time.monotonic() - began > PODS_SECONDS + SECONDS_OF_A_POD * pods
            waiting = _waiting(jobs)
            if late or not waiting:
                seen = cluster_view.view_by(client)
                if late or not _waiting(seen.jobs):
                    return seen
            shown_status.update("waiting for pods: " + ", ".join(f"{j.name} {j.pods}/{j.wanted}" for j in waiting))
            time.sleep(0.25)


def _waiting(jobs: list[cluster_view.JobView]) -> list[cluster_view.JobView]:
    return [job for job in jobs if not job.ready and not job.ended]


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
