"""Which zones have which generations, in words."""

from __future__ import annotations

from pathways.tpu.generations import Generation
from pathways.wording import did_you_mean, listed, nearest, quoted


def why_not_in_zone(generation: Generation, zone: str) -> str | None:
    """Return why slices of the generation cannot, or may not, be had in a zone, which zones are legal and which of
    them is nearest by name; None where the zone has them.
    """
    offered = generation.is_offered_in(zone)
    if offered:
        return None
    fault = "is not known to have" if offered is None else "does not have"
    meant = did_you_mean(nearest(zone, generation.zones, cutoff=0.0))
    return f"{quoted(zone)} {fault} {generation.name}; legal: {listed(generation.zones)}{meant}"
