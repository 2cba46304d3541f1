"""What is watched, and who is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import StringConstraints

from pathways.settings.base import CHANNEL, EMAIL, Fault, Settings, must_hold, repeated


class MonitoringSettings(Settings):
    """A dashboard of slices and jobs, and alerts."""

    enabled: bool = True
    """Absent: yes in prod, no in dev."""
    emails: list[Annotated[str, StringConstraints(pattern=EMAIL)]] = []  # noqa: RUF012
    """Addresses that are told of alerts."""
    channels: list[Annotated[str, StringConstraints(pattern=CHANNEL)]] = []  # noqa: RUF012
    """Notification channels that exist, as projects/P/notificationChannels/N."""

    @must_hold
    def _tells_each_once(self) -> Iterator[Fault]:
        yield from repeated("emails", self.emails)
        yield from repeated("channels", self.channels)
