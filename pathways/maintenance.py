"""A maintenance window and its exclusions, as GKE writes them."""

from __future__ import annotations

import datetime

from pathways.settings import MaintenanceSettings

FIRST_DAY = datetime.date(2026, 1, 1)
"""Windows and exclusions begin from here on: fixed, so that nothing differs from one day to the next."""

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_SCOPES = {"controlPlanePatches": "NO_MINOR_OR_NODE_UPGRADES", "patches": "NO_MINOR_UPGRADES"}


def recurring_window(settings: MaintenanceSettings) -> dict[str, str]:
    """Return start and end of the first window, UTC in RFC 3339, and the rule by which it recurs (RFC 5545)."""
    days = [day for day in _DAYS if day in settings.days]
    first = next(date for date in map(_day_after_first, range(7)) if _DAYS[date.weekday()] in days)
    start = datetime.datetime.combine(first, datetime.time.fromisoformat(settings.start))
    return {
        "start_time": _spelled(start),
        "end_time": _spelled(start + datetime.timedelta(hours=settings.hours)),
        "recurrence": f"FREQ=WEEKLY;BYDAY={','.join(days)}",
    }


def standing_scope(settings: MaintenanceSettings) -> str | None:
    """Return the scope of the exclusion that has no end, in GKE's words; None where everything upgrades by itself."""
    return _SCOPES.get(settings.upgrades)


def span(first: str, last: str) -> tuple[str, str]:
    """Return start and end of a span of days, the last one included, UTC in RFC 3339."""
    start, end = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last) + datetime.timedelta(days=1)
    return _spelled(datetime.datetime.combine(start, datetime.time())), _spelled(
        datetime.datetime.combine(end, datetime.time())
    )


def _day_after_first(days: int) -> datetime.date:
    return FIRST_DAY + datetime.timedelta(days=days)


def _spelled(moment: datetime.datetime) -> str:
    return f"{moment.isoformat()}Z"
