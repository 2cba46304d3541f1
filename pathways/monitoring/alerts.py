"""When somebody is told, and what they can do then."""

from __future__ import annotations

from dataclasses import dataclass

from pathways.monitoring.queries import Queries
from pathways.settings import StackSettings

SHORT_OF_MEMORY = 0.9
IDLE_PERCENT = 5
RESTARTS_AN_HOUR = 3


@dataclass(frozen=True)
class Alert:
    """An alert on a PromQL query.

    name: short and stable. title: what is wrong. query: true of what is wrong. minutes: for how long it must be so.
    severity: ERROR or WARNING. advice: what to look at, in Markdown.
    """

    name: str
    title: str
    query: str
    minutes: int
    severity: str
    advice: str


def alerts(settings: StackSettings) -> tuple[Alert, ...]:
    """Return the alerts on jobs and node pools."""
    queries = Queries.of(settings)
    return (
        Alert(
            "job-not-whole",
            "A job does not run whole",
            f"{queries.missing_replicas} > 0",
            15,
            "ERROR",
            "Slices or the head are missing, or it has failed. `kubectl get pods` tells whether they wait for nodes.",
        ),
        Alert(
            "job-restarts",
            f"A job restarts more than {RESTARTS_AN_HOUR} times an hour",
            f"{queries.restarts('1h')} > {RESTARTS_AN_HOUR}",
            0,
            "ERROR",
            "`python -m pathways logs JOB --head` finds what the program said last.",
        ),
        Alert(
            "tpus-idle",
            f"Chips of a job compute less than {IDLE_PERCENT}% of the time",
            f"{queries.duty_cycle} < {IDLE_PERCENT}",
            30,
            "WARNING",
            "The job holds chips and does not use them: it waits for data, compiles, or hangs.",
        ),
        Alert(
            "head-memory",
            f"A container of a head uses more than {SHORT_OF_MEMORY:.0%} of its memory",
            f"{queries.head_memory} > {SHORT_OF_MEMORY}",
            5,
            "WARNING",
            "Resource manager, proxy or the job's own container is about to be killed, and the job with it: raise"
            " `resources` of the job.",
        ),
        Alert(
            "node-pools",
            "GKE could not carry out an operation on a node pool",
            f"{queries.failed_operations} > 0",
            0,
            "ERROR",
            "A stockout, a quota or a refusal: the node pool's audit log says which. The next `pulumi up` goes on.",
        ),
        Alert(
            "node-pool-error",
            "A node pool is in ERROR",
            f"{queries.pools_in_error} > 0",
            5,
            "ERROR",
            "Its slice is not there. `gcloud container node-pools describe` tells why; the next `pulumi up` makes it"
            " anew.",
        ),
    )
