"""`python -m sandbox toolchain`, and `python -m sandbox.toolchain`: builds the programs, or lists them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from sandbox.toolchain.cache import Cache
from sandbox.toolchain.errors import ToolchainError
from sandbox.toolchain.programs import PROGRAMS
from sandbox.toolchain.toolchain import ensure, find, kubectl

Programs = Annotated[
    list[str] | None, typer.Option("--program", metavar="NAME", help="Only this program; may be repeated.")
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Packages that Go compiles at once; one a core if not given.")]
ListOnly = Annotated[bool, typer.Option("--list", help="Only say what there is, how large and where.")]


def toolchain(program: Programs = None, jobs: Jobs = None, list_only: ListOnly = False) -> None:
    """Build the rehearsal's programs that are missing: half an hour at first, nothing from then on."""
    try:
        if not list_only:
            ensure(program or None, jobs=jobs)
        _list()
    except ToolchainError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        print("Interrupted. What is built so far is kept: the next call goes on from there.", file=sys.stderr)
        raise typer.Exit(2) from None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code: 0, or 2 where the programs cannot be had."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(toolchain)
    try:
        app(None if argv is None else list(argv), prog_name="python -m sandbox toolchain")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    return 0


def _list() -> None:
    """Prints a line for each program: name, version, megabytes, place."""
    cache = Cache.of()
    tools = [(program.name, program.version, find(program, cache)) for program in PROGRAMS]
    for name, version, tool in [*tools, ("kubectl", "", kubectl())]:
        size = f"{tool.path.stat().st_size / 1e6:.0f} MB" if tool else ""
        print(f"{name:28}{tool.version if tool else version:12}{size:>8}  {tool.path if tool else 'not built yet'}")


if __name__ == "__main__":
    sys.exit(main())
