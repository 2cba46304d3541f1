"""Failures that the options order."""

from __future__ import annotations

from sandbox.cloud.options import Fault, OptionsFile
from sandbox.cloud.refusal import Refusal, google
from sandbox.cloud.store import Record, Store

UNAVAILABLE = google(503, "The service is currently unavailable.", "backendError")

_REFUSALS = {
    "409": google(409, "The resource already exists", "alreadyExists"),
    "429": google(429, "Quota exceeded for quota metric 'Write requests'.", "rateLimitExceeded"),
    "500": google(500, "Internal error encountered.", "backendError"),
    "503": UNAVAILABLE,
}


class OperationFailed(Exception):
    """An operation that ends in ERROR; what it was to make exists."""


class Faults:
    """Plays each fault as often as it says; how often it has been played is kept with the cloud's state."""

    def __init__(self, store: Store, options: OptionsFile) -> None:
        self._store = store
        self._options = options

    def take(self, type: str, names: set[str], call: str) -> Fault | None:
        """The next fault that befalls the call, used up by that. Raises Refusal for one that refuses the call."""
        for fault in self._options.current().faults:
            if self._store.counters.get(fault.key, 0) < fault.times and fault.fits(type, names, call):
                self._store.count(fault.key)
                if fault.error in _REFUSALS:
                    refusal = _REFUSALS[fault.error]
                    raise Refusal(refusal.text, passing=refusal.passing)
                return fault
        return None


def play_during_operation(fault: Fault | None, record: Record) -> None:
    """Raises OperationFailed where the fault makes a creation end in ERROR."""
    if fault is not None and fault.error == "error-state":
        raise OperationFailed("Internal error.")
    if fault is not None and fault.error == "stockout":
        zones = record.properties.get("nodeLocations") or [record.properties.get("location")]
        zone = f"projects/{record.properties.get('project')}/zones/{zones[0]}"
        raise OperationFailed(
            "Google Compute Engine: Not all instances running in IGM after 35m. Current errors: [GCE_STOCKOUT]: "
            f"Instance creation failed: The zone '{zone}' does not have enough resources available to fulfill the "
            "request. Try a different zone, or try again later."
        )
