"""How the simulated cloud shall behave: options.json in its folder, read again whenever it has changed.

    {
      "timeScale": 0.5,              seconds that a simulated minute takes; 0: nothing takes time
      "concurrentOperations": 5,     node pool operations that one cluster carries out at once
      "quota": {"v6e": 64},          chips of a TPU generation per region; a generation not named has no limit
      "reservations": [              all that exist; without this key every reservation that is named exists
        {"name": "r", "project": "p", "zone": "us-east5-a", "machineType": "ct5p-hightpu-4t", "count": 16}
      ],
      "faults": [                    each befalls the next `times` calls that it fits, restarts counted
        {"type": "gcp:container/nodePool:NodePool", "name": "v6e-*", "call": "create", "error": "stockout", "times": 1}
      ]
    }

Calls of faults: create, read, update, delete, and autoscale (the cluster autoscaler resizes a node pool).
Errors of faults: "409", "429", "500" and "503" refuse the call; "stockout" and "error-state" leave a node pool in
ERROR, in the engine's state (one that is autoscaled is left as it was); "lost" does the work but tells the caller that
it failed, so that the state does not know.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from sandbox.errors import SandboxError

FILE = "options.json"
ERRORS = ("409", "429", "500", "503", "stockout", "error-state", "lost")
CALLS = ("create", "read", "update", "delete", "autoscale")

LARGEST = 10**9
"""Of all numbers: no wait is to be longer than the clock can tell."""

_log = logging.getLogger(__name__)


class OptionsError(SandboxError):
    """options.json is not what this page says; the message names the place."""


@dataclass(frozen=True)
class Fault:
    """A failure to play. type, name: globs; the name is the resource's own or Pulumi's. times: how often."""

    type: str = "*"
    name: str = "*"
    call: str = "create"
    error: str = "500"
    times: int = 1

    def fits(self, type: str, names: set[str], call: str) -> bool:
        return call == self.call and fnmatchcase(type, self.type) and any(fnmatchcase(it, self.name) for it in names)

    @property
    def key(self) -> str:
        return f"fault:{self.type}:{self.name}:{self.call}:{self.error}:{self.times}"


@dataclass(frozen=True)
class Reservation:
    """A reservation of virtual machines. count: of machines, not of chips. project: None stands for the caller's."""

    name: str
    zone: str
    machine_type: str
    count: int
    project: str | None = None


@dataclass(frozen=True)
class Options:
    time_scale: float = 0.5
    concurrent_operations: int = 5
    quota: dict[str, int] = field(default_factory=dict)
    reservations: tuple[Reservation, ...] | None = None
    faults: tuple[Fault, ...] = ()

    def seconds(self, minutes: float) -> float:
        """Real seconds that simulated minutes take."""
        return minutes * self.time_scale


class OptionsFile:
    """The options as the file has them now."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._read: tuple[float, Options] = (-1.0, Options())
        self._told = ""

    def current(self) -> Options:
        """Raises OptionsError."""
        modified = self._file.stat().st_mtime if self._file.exists() else 0.0
        if self._read[0] != modified:
            self._read = (modified, self._parsed() if modified else Options())
        return self._read[1]

    def in_force(self) -> Options:
        """The current options, or the last good ones: what has begun is carried out even when the file is wrong."""
        try:
            return self.current()
        except OptionsError as error:
            if str(error) != self._told:
                self._told = str(error)
                _log.warning("%s; what is under way goes on by the options before", error)
            return self._read[1]

    def _parsed(self) -> Options:
        try:
            return parse_options(self._file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise _wrong("", f"cannot be read: {error}") from error


def read_options(file: Path) -> str:
    """The text of a file with options. Raises OptionsError, and OSError where it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _wrong("", f"cannot be read: {error}") from error
    parse_options(text)
    return text


def write_options(folder: Path, text: str) -> None:
    """Makes options those of the simulated cloud in a folder, which may be at work."""
    written = folder / "options.new"
    written.write_text(text, encoding="utf-8")
    written.rename(folder / FILE)


def parse_options(text: str) -> Options:
    """Raises OptionsError."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong("", f"no JSON: {error}") from error
    given = _mapping(raw, "", ("timeScale", "concurrentOperations", "quota", "reservations", "faults"))
    reservations = given.get("reservations")
    return Options(
        time_scale=_number(given.get("timeScale", Options.time_scale), "timeScale"),
        concurrent_operations=_integer(
            given.get("concurrentOperations", Options.concurrent_operations), "concurrentOperations", least=1
        ),
        quota={
            key: _integer(chips, f"quota.{key}") for key, chips in _mapping(given.get("quota", {}), "quota").items()
        },
        reservations=None
        if reservations is None
        else tuple(map(_reservation, *_numbered(reservations, "reservations"))),
        faults=tuple(map(_fault, *_numbered(given.get("faults", []), "faults"))),
    )


def _fault(raw: Any, path: str) -> Fault:
    given = _mapping(raw, path, ("type", "name", "call", "error", "times"))
    return Fault(
        type=_text(given.get("type", Fault.type), f"{path}.type"),
        name=_text(given.get("name", Fault.name), f"{path}.name"),
        call=_one_of(CALLS, given.get("call", Fault.call), f"{path}.call"),
        error=_one_of(ERRORS, str(given.get("error", Fault.error)), f"{path}.error"),
        times=_integer(given.get("times", Fault.times), f"{path}.times"),
    )


def _reservation(raw: Any, path: str) -> Reservation:
    given = _mapping(raw, path, ("name", "project", "zone", "machineType", "count"))
    return Reservation(
        name=_text(given.get("name"), f"{path}.name"),
        zone=_text(given.get("zone"), f"{path}.zone"),
        machine_type=_text(given.get("machineType"), f"{path}.machineType"),
        count=_integer(given.get("count"), f"{path}.count"),
        project=None if given.get("project") is None else _text(given["project"], f"{path}.project"),
    )


def _mapping(value: Any, path: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
    """keys: those that there may be; None for any."""
    if not isinstance(value, dict):
        raise _wrong(path, f"{json.dumps(value)} is no mapping")
    for key in value:
        if keys is not None and key not in keys:
            raise _wrong(path, f"{json.dumps(key)} is no key; the keys are {', '.join(keys)}")
    return value


def _numbered(value: Any, path: str) -> tuple[list[Any], list[str]]:
    """The items of a list, and the place of each."""
    if not isinstance(value, list):
        raise _wrong(path, f"{json.dumps(value)} is no list")
    return value, [f"{path}[{index}]" for index in range(len(value))]


def _number(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise _wrong(path, f"{json.dumps(value)} is no number from 0 on")
    return float(value)


def _integer(value: Any, path: str, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise _wrong(path, f"{json.dumps(value)} is no whole number from {least} on")
    return value


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise _wrong(path, f"{json.dumps(value)} is no text")
    return value


def _one_of(legal: Sequence[str], value: Any, path: str) -> str:
    if value not in legal:
        raise _wrong(path, f"{json.dumps(value)} is none of {', '.join(legal)}")
    return str(value)


def _wrong(path: str, message: str) -> OptionsError:
    return OptionsError(f"options.json of the simulated cloud: {path}{': ' if path else ''}{message}")
