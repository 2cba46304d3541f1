"""The teams' queues: Kueue's objects."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from pathways.manifests import (
    Manifest,
    cluster_queues,
    cohort,
    local_queues,
    resource_flavors,
    workload_priority_classes,
)
from pathways.settings import StackSettings


@dataclass(frozen=True)
class QueuesArgs:
    """settings: of the stack. cluster: what the objects are deleted with. after: what must stand before, with Kueue."""

    settings: StackSettings
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


class Queues(pulumi.ComponentResource):
    """Flavors, a cohort, a queue for each team, and the priorities of jobs that wait.

    Quotas and weights change in place, and Kueue acts on them at once. A queue that is taken away stays until its jobs
    have ended, and a flavor until no queue has it: so they are made in this order, and deleted in the other.
    """

    def __init__(self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:Queues", name, None, opts)
        settings = args.settings
        flavors = [self._declare(f"{name}-flavor", each, args, args.after) for each in resource_flavors(settings)]
        lending = self._declare(f"{name}-cohort", cohort(settings), args, flavors)
        of_teams = [self._declare(f"{name}-of", each, args, [lending]) for each in cluster_queues(settings)]
        for team, local in zip(of_teams, local_queues(settings), strict=True):
            self._declare(f"{name}-in", local, args, [team])
        for priority in workload_priority_classes(settings):
            self._declare(f"{name}-priority", priority, args, args.after)
        self.register_outputs({"names": [queue.name for queue in settings.queues]})

    def _declare(
        self, name: str, manifest: Manifest, args: QueuesArgs, after: Sequence[pulumi.Resource]
    ) -> pulumi.CustomResource:
        """Not by the SDK's own CustomResource: that knows no fields but metadata and spec."""
        return pulumi.CustomResource(
            f"kubernetes:{manifest['apiVersion']}:{manifest['kind']}",
            f"{name}-{manifest['metadata']['name']}",
            manifest,
            pulumi.ResourceOptions(parent=self, depends_on=after, deleted_with=args.cluster),
        )
