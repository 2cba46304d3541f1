"""What the autoscaler tells at the pods for which it acts, in the words of GKE's.

Source: kubernetes/autoscaler, its scale-up status processor; GKE's own for failures.
"""

from __future__ import annotations

import logging

from sandbox.cloud.autoscaler.sizing import Growth
from sandbox.cloud.kinds import Site
from sandbox.cloud.references import NODE_POOL

_REASONS = {
    "GCE_STOCKOUT": "GCE out of resources",
    "Insufficient regional quota": "GCE quota exceeded",
    "IP_SPACE_EXHAUSTED": "IP space exhausted",
    "Reservation does not have enough resources": "Reservation capacity exceeded",
}

_log = logging.getLogger(__name__)


def triggered_scale_up(site: Site, growth: Growth) -> None:
    record = site.store.get(NODE_POOL, growth.pool.id)
    urls = record.properties["instanceGroupUrls"] if record else []
    most = growth.pool.zone_bounds[1]
    groups = [
        f"{{{url} {len(nodes)}->{len(nodes) + growth.nodes[zone]} (max: {most})}}"
        for url, (zone, nodes) in zip(urls, growth.pool.nodes.items(), strict=False)
        if growth.nodes[zone]
    ]
    _tell(site, growth, "Normal", "TriggeredScaleUp", f"pod triggered scale-up: [{' '.join(groups)}]")


def scale_up_failed(site: Site, growth: Growth, error: str) -> None:
    """error: what Google Cloud said."""
    reason = next((reason for sign, reason in _REASONS.items() if sign in error), "Internal error")
    zones = ", ".join(zone for zone, count in growth.nodes.items() if count)
    message = f"Node scale up in zones {zones} associated with this pod failed: {reason}."
    _tell(site, growth, "Warning", "FailedScaleUp", f"{message} Pod is at risk of not being scheduled.")


def _tell(site: Site, growth: Growth, type: str, reason: str, message: str) -> None:
    """An event that cannot be written, as when the cluster goes, is lost as on a real cluster."""
    for pod in growth.pods:
        try:
            site.host.record_event(pod.reference, type, reason, message)
        except Exception as error:
            _log.info("event %s of pod %s/%s is lost: %s", reason, pod.namespace, pod.name, error)
