"""Reads stack files as the engine does, and makes settings of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from pathways.documents import Document, Reader, UnreadableDocument, read_documents
from pathways.documents import Path as KeyPath
from pathways.settings.cross_checks import cross_check
from pathways.settings.problems import Problem, SettingsError, problems_of, spell_path
from pathways.settings.schema import PLATFORM_KEY
from pathways.settings.stack import Origin, StackSettings
from pathways.wording import did_you_mean, nearest, quoted

PROJECT_KEY = "gcp:project"
STACK_FILE_KEYS = ("config", "environment", "secretsprovider", "encryptedkey", "encryptionsalt")
"""What the engine knows at the root of a stack file."""

FOLDERS = ("stacks", "examples/*")
"""Where stack files are looked for by their stack's name."""

STACK_NAME_LENGTH = 100
STACK_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{0,{STACK_NAME_LENGTH - 1}}}")
"""What the engine takes (pulumi, tokens.ParseStackName), and what is safe as the name of a folder."""

PLATFORM_PATH: KeyPath = ("config", PLATFORM_KEY)


class StackNotFound(Exception):
    """There is no such stack file, or it cannot be opened."""


def find_stack(stack: str) -> Path:
    """Return the stack file of a path, or of a name such as "dev". Raises StackNotFound."""
    if "/" in stack or stack.endswith((".yaml", ".yml")):
        return Path(stack)
    known = known_stacks()
    if stack not in known:
        places, names = " or ".join(FOLDERS), " ".join(known) or "none"
        raise StackNotFound(
            f"no stack {quoted(stack)} in {places}; there are: {names}{did_you_mean(nearest(stack, known))}"
        )
    return known[stack]


def load_stack_file(path: Path) -> StackSettings:
    """Return the settings of a stack file. Raises SettingsError with all that is wrong, StackNotFound."""
    document = _document(path)
    source = str(path)
    config = _config(document.value, source)
    project = config.get(PROJECT_KEY)
    if project is not None and not isinstance(project, str):
        raise SettingsError(source, [Problem(PROJECT_KEY, "is not the id of a project; write it as text")])
    return _settings(config[PLATFORM_KEY], project=project, stack=stack_name(path), source=source, document=document)


def parse_settings(raw: dict[str, Any], *, project: str | None, stack: str, source: str) -> StackSettings:
    """Return the settings of the mapping under pathways:platform. Raises SettingsError with all that is wrong.

    project: of the Google Cloud provider. source: what the report names, the stack file.
    """
    return _settings(raw, project=project, stack=stack, source=source, document=None)


def read_stack_file(path: Path) -> dict[str, Any]:
    """Return the whole of a stack file as the engine reads it, unchecked. Raises SettingsError, StackNotFound."""
    value = _document(path).value
    return value if isinstance(value, dict) else {}


def _settings(raw: Any, *, project: str | None, stack: str, source: str, document: Document | None) -> StackSettings:
    found: list[tuple[KeyPath, str]] = []
    settings = None
    try:
        settings = StackSettings.model_validate(raw, context=Origin(stack, project or "project"))
    except ValidationError as error:
        found += problems_of(error, raw, document, PLATFORM_PATH)
    if isinstance(raw, dict):
        found += cross_check(raw)
    order = {path: position for position, path in enumerate(_paths(raw, ()))}
    found.sort(key=lambda problem: _position(problem[0], order))
    problems = [Problem(spell_path(path) or PLATFORM_KEY, message) for path, message in found]
    if not project:
        problems.insert(0, Problem(PROJECT_KEY, "is missing in config: the Google Cloud project that owns all of it"))
    if problems or settings is None:
        raise SettingsError(source, problems)
    return settings


def _config(content: Any, source: str) -> dict[str, Any]:
    """Return the `config` of a stack file that has settings."""
    if not isinstance(content, dict):
        raise SettingsError(source, [Problem("(file)", "is not a mapping; a stack file begins with config:")])
    problems = [
        Problem(spell_path((key,)), f"is not a key of a stack file{did_you_mean(nearest(key, STACK_FILE_KEYS))}")
        for key in content
        if key not in STACK_FILE_KEYS
    ]
    config = content.get("config")
    if not isinstance(config, dict):
        problems.append(Problem("config", "is missing" if config is None else "is not a mapping"))
    elif PLATFORM_KEY not in config:
        problems.append(Problem("config", f"{PLATFORM_KEY} is missing{_misspelt(config)}"))
    elif isinstance(config[PLATFORM_KEY], dict) and set(config[PLATFORM_KEY]) == {"secure"}:
        problems.append(Problem(PLATFORM_KEY, "is encrypted as a whole; encrypt single values of it"))
    if problems:
        raise SettingsError(source, problems)
    assert isinstance(config, dict)
    return config


def _misspelt(config: dict[str, Any]) -> str:
    found = nearest(PLATFORM_KEY, config, cutoff=0.8)
    return f"; there is {quoted(found[0])}" if found else ""


def _document(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            text = file.read()
    except OSError as error:
        raise StackNotFound(f"{path}: {error.strerror}") from None
    try:
        documents = read_documents(text, Reader.ENGINE)
    except UnreadableDocument as error:
        raise SettingsError(str(path), [Problem(f"line {error.line}", error.problem)]) from None
    if len(documents) > 1:
        line = documents[1].line(())
        raise SettingsError(str(path), [Problem(f"line {line}", "a second document begins; a stack file has one")])
    return documents[0] if documents else Document(None, {})


def stack_name(path: Path) -> str:
    """Return the stack's name: NAME of Pulumi.NAME.yaml. Raises StackNotFound where the engine takes no such name."""
    name = path.stem.removeprefix("Pulumi.")
    if not STACK_NAME.fullmatch(name):
        raise StackNotFound(
            f"{path}: {quoted(name)} is no name of a stack; legal: letters, digits, dashes, dots and underscores,"
            f" a letter or digit first, {STACK_NAME_LENGTH} at most"
        )
    return name


def known_stacks() -> dict[str, Path]:
    """Return the stack files of the project in the working directory, else of the one that this package is part of."""
    project = Path() if Path("Pulumi.yaml").exists() else Path(__file__).parents[2]
    found = [path for folder in reversed(FOLDERS) for path in sorted(project.glob(f"{folder}/Pulumi.*.yaml"))]
    return {stack_name(path): path for path in found}


def _paths(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the path of every value, in the order of the file."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _paths(child, (*path, key))


def _position(path: KeyPath, order: dict[KeyPath, int]) -> int:
    """Return where a path is among those of the file; a path that is absent is where the mapping around it is."""
    while path and path not in order:
        path = path[:-1]
    return order[path]
