"""`python -m sandbox`: rehearse a stack on this machine.

Commands import what they need, since the engine's SDK alone takes a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pathways.settings import SettingsError, StackNotFound
from pathways.wording import did_you_mean, nearest, quoted
from sandbox.errors import SandboxError, UnknownDrill
from sandbox.toolchain import ToolchainError
from sandbox.toolchain.__main__ import toolchain

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Rehearse a stack: the real engine and control plane against a simulated Google Cloud.",
)
app.command()(toolchain)

Stack = Annotated[str, typer.Argument(help="A name looked up in stacks/ and examples/*/, or a path.")]
Options = Annotated[
    Path | None,
    typer.Option(
        "--options",
        metavar="FILE",
        help="How the simulated Google Cloud shall behave from now on: see sandbox/cloud/options.py.",
    ),
]
Discard = Annotated[bool, typer.Option("--discard", help="Remove the sandbox as it is, without destroying the stack.")]
Json = Annotated[bool, typer.Option("--json", help="For machines: one JSON document on standard output.")]


@app.command()
def up(stack: Stack = "dev", options: Options = None) -> None:
    """Deploy the stack and wait until its jobs run; again: an ordinary update."""
    from sandbox import commands

    raise typer.Exit(commands.up(stack, options))


@app.command()
def preview(stack: Stack = "dev") -> None:
    """Show what `up` would change."""
    from sandbox import commands

    raise typer.Exit(commands.preview(stack))


@app.command()
def refresh(stack: Stack = "dev") -> None:
    """Take over into the state what changed in cloud and cluster."""
    from sandbox import commands

    raise typer.Exit(commands.refresh(stack))


@app.command()
def down(stack: Stack = "dev", discard: Discard = False) -> None:
    """Destroy the stack's resources in dependency order, then the sandbox itself."""
    from sandbox import commands

    raise typer.Exit(commands.down(stack, discard=discard))


@app.command()
def status(stack: Stack = "dev", json: Json = False) -> None:
    """Show nodes, jobs, pods, versions and ports."""
    from sandbox.status import status as show

    raise typer.Exit(show(stack, as_json=json))


@app.command()
def drill(
    name: Annotated[str | None, typer.Argument(help="Which one.")] = None,
    list: Annotated[bool, typer.Option("--list", help="What there is; as without a name.")] = False,
    json: Json = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="Schedules to try, where chance plays a part.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the sandbox standing, to look around.")] = False,
) -> None:
    """Break something in a sandbox of its own, tell what happens, and measure it."""
    from sandbox.drills import command
    from sandbox.drills.table import DRILLS

    if list or name is None:
        raise typer.Exit(command.list_drills())
    if name not in DRILLS:
        legal = f"legal: {', '.join(DRILLS)}{did_you_mean(nearest(name, DRILLS))}"
        raise UnknownDrill(f"{quoted(name)} is no drill; {legal}")
    raise typer.Exit(command.run_drill(name, as_json=json, seeds=seeds, keep=keep))


def main() -> None:
    """Exit codes: 0 fine, 1 found wanting, 2 could not look."""
    os.umask(0o077)  # the engine's state, its backups and all else that a sandbox holds is its owner's alone
    errors = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    try:
        app(prog_name="python -m sandbox")
    except SettingsError as error:
        errors.print(str(error))
        sys.exit(1)
    except (StackNotFound, ToolchainError, SandboxError, OSError) as error:
        errors.print(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
