"""`python -m sandbox.toolchain`: builds the programs, or lists them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sandbox.toolchain.cache import Cache
from sandbox.toolchain.errors import ToolchainError
from sandbox.toolchain.programs import PROGRAMS
from sandbox.toolchain.toolchain import ensure, find, kubectl


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code: 0, or 2 where the programs cannot be had."""
    options = _parser().parse_args(argv)
    try:
        if not options.list:
            ensure(options.program, jobs=options.jobs)
        _list()
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted. What is built so far is kept: the next call goes on from there.", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox toolchain",
        description="Builds the programs of the rehearsal, or those that are missing.",
    )
    names = [program.name for program in PROGRAMS]
    parser.add_argument("--program", action="append", choices=names, help="build only this one; may be repeated")
    parser.add_argument("--jobs", type=int, help="packages that Go compiles at once (default: one a core)")
    parser.add_argument("--list", action="store_true", help="only say what there is and where")
    return parser


def _list() -> None:
    """Prints each program with its version, size and place."""
    from rich.console import Console
    from rich.table import Table

    cache = Cache.of()
    table = Table("program", "version", "MB", "where", box=None, header_style="bold")
    for program in PROGRAMS:
        if tool := find(program, cache):
            size = f"{tool.path.stat().st_size / 1e6:.0f}"
            table.add_row(program.name, tool.version, size, str(tool.path))
        else:
            table.add_row(program.name, program.version, "", "not built yet", style="dim")
    brought = kubectl()
    table.add_row("kubectl", brought.version, f"{brought.path.stat().st_size / 1e6:.0f}", str(brought.path))
    Console(soft_wrap=True).print(table)


if __name__ == "__main__":
    sys.exit(main())
