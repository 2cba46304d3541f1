"""The drill command: brings up a sandbox, plays a drill in it, and takes it away."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from sandbox import daemon, report
from sandbox.commands import session
from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage
from sandbox.drills.story import Story, StoryFailed
from sandbox.drills.table import DRILLS
from sandbox.home import Home


def list_drills() -> int:
    table = Table("drill", "what it shows")
    for drill in DRILLS.values():
        table.add_row(drill.name, drill.summary)
    report.console().print(table)
    return 0


def run_drill(name: str, *, as_json: bool, seeds: int | None, keep: bool) -> int:
    """Plays a drill. Returns 0 where the story ends well, 1 where it does not. keep: the sandbox stays."""
    drill = DRILLS[name]
    console = None if as_json else report.console()
    story = Story(console)
    failure = ""
    with _sandbox(drill, keep) as home, open(os.devnull, "w", encoding="utf-8") as nowhere:
        quiet = console if console and console.is_terminal else Console(file=nowhere)
        try:
            with session(quiet, str(drill.stack_file), {}) as opened:
                stage = Stage(opened, story, quiet, drill.seeds if seeds is None else seeds)
                stage.options(timeScale=0)
                drill.play(stage)
        except StoryFailed as error:
            failure = str(error)
    if as_json:
        print(json.dumps({"drill": name, "fine": not failure, "failure": failure, "figures": story.as_data()}))
    if console:
        story.show_figures()
        console.print(f"{name}: {failure or 'ends well'}", style="bold", highlight=False, markup=False)
        if keep:
            console.print(f"the sandbox stays in {home.root}: `python -m sandbox down --discard {drill.stack_file}`")
    return 1 if failure else 0


@contextmanager
def _sandbox(drill: Drill, keep: bool) -> Iterator[Home]:
    """A new sandbox of a drill's stack; what an earlier run has left is taken away first."""
    home = Home.of(drill.stack)
    _remove(home)
    try:
        yield home
    finally:
        if not keep:
            _remove(home)


def _remove(home: Home) -> None:
    daemon.stop(home)
    home.remove()
