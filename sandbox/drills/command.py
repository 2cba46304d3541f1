"""The drill command: brings up a sandbox, plays a drill in it, and takes it away."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx2
import psutil
from rich.console import Console
from rich.table import Table

from sandbox import daemon, report
from sandbox.commands import session
from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage
from sandbox.drills.story import Story, StoryFailed
from sandbox.drills.table import DRILLS
from sandbox.errors import Busy, CouldNotLook, NoSchedules
from sandbox.home import PROJECT, Home

CHILDREN_SECONDS = 10.0
"""How long programs that a drill has started, such as the engine, have to end with it."""


def list_drills() -> int:
    table = Table("drill", "what it shows")
    for drill in DRILLS.values():
        table.add_row(drill.name, drill.summary)
    report.console().print(table)
    return 0


def run_drill(name: str, *, as_json: bool, seeds: int | None, keep: bool) -> int:
    """Plays a drill. Returns 0 where the story ends well, 1 where it does not. keep: the sandbox stays.

    Raises SandboxError where it cannot be played to its end.
    """
    drill = DRILLS[name]
    if seeds is not None and not drill.seeds:
        seeded = ", ".join(each.name for each in DRILLS.values() if each.seeds)
        raise NoSchedules(f"--seeds: {name} leaves nothing to chance; legal with: {seeded}")
    console = None if as_json else report.console()
    story = Story(console)
    failure = ""
    with _ended_by_signals(), _sandbox(drill, keep) as home:
        try:
            _play(drill, story, console, drill.seeds if seeds is None else seeds)
        except StoryFailed as error:
            failure = str(error)
        except httpx2.HTTPError as error:
            raise CouldNotLook(f"{name}: the sandbox's API server: {error}") from error
    if as_json:
        print(json.dumps({"drill": name, "fine": not failure, "failure": failure, "figures": story.as_data()}))
    if console:
        story.show_figures()
        console.print(f"{name}: {failure or 'ends well'}", style="bold", highlight=False, markup=False)
        if keep:
            way_out = f"python -m sandbox down --discard {drill.stack_file.relative_to(PROJECT)}"
            console.print(f"the sandbox stays in {home.root}: `{way_out}`", highlight=False, soft_wrap=True)
    return 1 if failure else 0


def _play(drill: Drill, story: Story, console: Console | None, seeds: int) -> None:
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        quiet = console if console and console.is_terminal else Console(file=nowhere)
        with session(quiet, str(drill.stack_file), {}) as opened, closing(Stage(opened, story, quiet, seeds)) as stage:
            stage.options(timeScale=0)
            drill.play(stage)


@contextmanager
def _sandbox(drill: Drill, keep: bool) -> Iterator[Home]:
    """A new sandbox of a drill's stack; what an earlier run has left is taken away first. Raises Busy."""
    home = Home.of(drill.stack)
    if home.exists():
        with home.lock("command", wait=False) as free:
            if not free:
                raise Busy(f"this drill is being played already, in {home.root}; wait for it or stop it")
            _remove(home)
    try:
        yield home
    finally:
        if not keep:
            _end_children()
            _remove(home)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Lets a drill that is told to end take its sandbox away, as Ctrl-C does."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_children() -> None:
    """Ends an engine that was interrupted: it would wait for a cloud that is no longer there."""
    children = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    engines = [child for child in children if child.name().startswith("pulumi")]
    for engine in engines:
        engine.kill()
    psutil.wait_procs(engines, CHILDREN_SECONDS)


def _remove(home: Home) -> None:
    daemon.stop(home)
    home.remove()
