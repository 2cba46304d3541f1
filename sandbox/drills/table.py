"""All drills, by name."""

from __future__ import annotations

from sandbox.drills import api_errors, controller_loss, deadlock, elastic, head_loss, hot_swap, slice_loss, suspend

DRILLS = {
    module.DRILL.name: module.DRILL
    for module in (slice_loss, hot_swap, deadlock, elastic, suspend, controller_loss, api_errors, head_loss)
}
