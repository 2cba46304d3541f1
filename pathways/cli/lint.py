"""lint FILE...: the rules over manifests that people already have."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pathways.cli.failure import CouldNotLook
from pathways.lint import Remark, Report, lint, sarif
from pathways.rules import Environment, Severity
from pathways.wording import counted

STANDARD_INPUT = "-"
COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow"}


def run(files: Sequence[str], environment: str, *, as_json: bool, as_sarif: bool) -> int:
    """Print what is found and return the exit code."""
    if as_json and as_sarif:
        raise CouldNotLook("--json and --sarif exclude each other")
    report = lint({_shown(file): _content(file) for file in files}, Environment(environment))
    if as_sarif:
        print(json.dumps(sarif(report), indent=2))
    elif as_json:
        print(json.dumps(_as_json(report), indent=2))
    else:
        _print(report)
    return 1 if report.errors else 0


def _shown(file: str) -> str:
    return "stdin" if file == STANDARD_INPUT else file


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CouldNotLook(f"{file}: {reason}") from None


def _as_json(report: Report) -> dict[str, object]:
    return {
        "files": report.files,
        "manifests": report.manifests,
        "errors": report.errors,
        "warnings": report.warnings,
        "findings": [asdict(remark) for remark in report.remarks],
    }


def _print(report: Report) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for remark in report.remarks:
        console.print(_line(remark))
        if remark.remedy:
            console.print(Text(f"    {remark.remedy}", style="dim"))
    looked_at = f"{counted(report.manifests, 'manifest')} in {counted(len(report.files), 'file')}"
    if report.remarks:
        found = f"{counted(report.errors, 'error')}, {counted(report.warnings, 'warning')}"
        console.print(Text(f"{found}; {looked_at}"))
    else:
        console.print(Text(f"Nothing found; {looked_at}"))


def _line(remark: Remark) -> Text:
    about = f"{remark.resource}: " if remark.resource else ""
    return Text.assemble(
        f"{remark.file}:{remark.line}: ",
        (remark.severity.value, COLOURS[remark.severity]),
        f": {about}{remark.message} ",
        (f"[{remark.rule}]", "dim"),
    )
