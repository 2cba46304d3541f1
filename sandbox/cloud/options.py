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
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ERRORS = ("409", "429", "500", "503", "stockout", "error-state", "lost")
CALLS = ("create", "read", "update", "delete", "autoscale")


class OptionsError(Exception):
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
        self._file = folder / "options.json"
        self._read: tuple[float, Options] = (-1.0, Options())

    def current(self) -> Options:
        """Raises OptionsError."""
        modified = self._file.stat().st_mtime if self._file.exists() else 0.0
        if self._read[0] != modified:
            self._read = (modified, parse_options(self._file.read_text()) if modified else Options())
        return self._read[1]


def parse_options(text: str) -> Options:
    """Raises OptionsError."""
    try:
        raw = json.loads(text)
        options = Options(**_renamed(raw, {"timeScale": "time_scale", "concurrentOperations": "concurrent_operations"}))
        return replace(
            options,
            time_scale=float(options.time_scale),
            concurrent_operations=int(options.concurrent_operations),
            faults=tuple(_fault(item) for item in raw.get("faults", ())),
            reservations=_reservations(raw.get("reservations")),
        )
    except (json.JSONDecodeError, TypeError, ValueError, AttributeError) as error:
        raise OptionsError(f"options.json of the simulated cloud: {error}") from error


def _fault(raw: dict[str, Any]) -> Fault:
    fault = Fault(**{**raw, "error": str(raw.get("error", Fault.error))})
    if fault.error not in ERRORS or fault.call not in CALLS:
        raise OptionsError(
            f"options.json of the simulated cloud: {raw} is no fault: error is one of {', '.join(ERRORS)}, "
            f"call one of {', '.join(CALLS)}"
        )
    return fault


def _reservations(raw: list[dict[str, Any]] | None) -> tuple[Reservation, ...] | None:
    if raw is None:
        return None
    return tuple(Reservation(**_renamed(item, {"machineType": "machine_type"})) for item in raw)


def _renamed(raw: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(key, key): value for key, value in raw.items()}
