"""What can go wrong on the way to the rehearsal's programs, in words for the person who asked for them."""

from __future__ import annotations

from pathlib import Path


class ToolchainError(Exception):
    """The programs cannot be had; the text says why and what to do."""


class BuildFailed(ToolchainError):
    """Go did not build a program.

    program: its name. doing: what was under way, "download" or "compile". log: file with all that Go wrote.
    tail: the last lines of that, without the names of packages that compiled well.
    """

    def __init__(self, program: str, doing: str, log: Path, tail: list[str]) -> None:
        self.program = program
        self.doing = doing
        self.log = log
        self.tail = tail
        said = "".join(f"\n  {line}" for line in tail)
        super().__init__(
            f"Go could not {doing} {program}:{said}\n"
            f"All of it: {log}\n"
            f"What is built so far is kept: the next call goes on from there."
        )
