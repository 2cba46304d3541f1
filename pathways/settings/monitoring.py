"""What is watched, and who is told."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from pathways.settings.base import CHANNEL, EMAIL, Settings


class MonitoringSettings(Settings):
    """A dashboard of slices and jobs, and alerts."""

    enabled: bool = True
    """Absent: yes in prod, no in dev."""
    emails: list[Annotated[str, StringConstraints(pattern=EMAIL)]] = []  # noqa: RUF012
    """Addresses that are told of alerts."""
    channels: list[Annotated[str, StringConstraints(pattern=CHANNEL)]] = []  # noqa: RUF012
    """Notification channels that exist, as projects/P/notificationChannels/N."""
