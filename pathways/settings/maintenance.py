"""When GKE may work on the cluster, and on what."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from pathways.settings.base import NAME, TIME_OF_DAY, Fault, Settings, must_hold, refused, repeated
from pathways.wording import quoted

MAX_FREEZE_DAYS = 30
"""Of an exclusion of all upgrades. Source: GKE documentation, "Maintenance windows and exclusions"."""


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise refused(f"{quoted(text)} is no date such as 2027-01-15") from None


Date = Annotated[str, AfterValidator(_date)]


class Freeze(Settings):
    """Days on which GKE upgrades nothing at all, UTC."""

    name: Annotated[str, Field(pattern=NAME, max_length=63)]
    """Name of the exclusion in GKE."""
    first: Date
    """First day, such as "2026-12-20", in quotes."""
    last: Date
    """Last day, included."""

    @must_hold
    def _is_a_span(self) -> Iterator[Fault]:
        days = (datetime.date.fromisoformat(self.last) - datetime.date.fromisoformat(self.first)).days + 1
        if days < 1:
            yield Fault(("last",), f"{self.last} is before {self.first}, the first day")
        elif days > MAX_FREEZE_DAYS:
            message = f"{days} days from {self.first} on; GKE stops all upgrades for {MAX_FREEZE_DAYS} at most"
            yield Fault(("last",), message)


Day = Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


class MaintenanceSettings(Settings):
    """The window in which GKE upgrades by itself, and what it leaves alone: an upgrade of nodes restarts slices."""

    days: Annotated[list[Day], Field(min_length=1)] = ["SA", "SU"]  # noqa: RUF012
    """Days of the week, UTC."""
    start: Annotated[str, StringConstraints(pattern=TIME_OF_DAY)] = "02:00"
    """Time of day at which the window opens, UTC, in quotes."""
    hours: Annotated[int, Field(ge=4, le=24)] = 8
    """How long it stays open. GKE wants 48 hours in any 92 days, in windows of 4 hours at least."""
    upgrades: Literal["controlPlanePatches", "patches", "all"] = "controlPlanePatches"
    """What upgrades by itself: patches of the control plane alone; of nodes too; minor versions too."""
    freezes: Annotated[list[Freeze], Field(max_length=3)] = []  # noqa: RUF012
    """Days without any upgrade, such as those of a launch."""

    @must_hold
    def _are_apart(self) -> Iterator[Fault]:
        yield from repeated("days", self.days)
        yield from repeated("freezes", [freeze.name for freeze in self.freezes], "name")
