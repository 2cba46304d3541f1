"""schema: the JSON Schema of stack files."""

from __future__ import annotations

import json
from pathlib import Path

from pathways.cli.failure import CouldNotLook
from pathways.settings import stack_file_schema


def run(output: Path | None) -> None:
    """Print the schema, or write it to a file."""
    text = json.dumps(stack_file_schema(), indent=2) + "\n"
    if output is None:
        print(text, end="")
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CouldNotLook(f"{output}: {error.strerror}") from None
