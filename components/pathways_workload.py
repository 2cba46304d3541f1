"""A PathwaysJob."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource


@dataclass(frozen=True)
class PathwaysWorkloadArgs:
    """What a PathwaysWorkload is made from.

    manifest: the whole PathwaysJob. secret: its spec holds secrets, which must not be read in the state.
    cluster: what it is deleted with. after: what must stand before it is sent.
    """

    manifest: Mapping[str, Any]
    secret: bool
    cluster: pulumi.Resource
    after: Sequence[pulumi.Resource]


class PathwaysWorkload(pulumi.ComponentResource):
    """A PathwaysJob that is sent and not waited for: training takes days, and a deployment does not.

    Nearly all of its spec is immutable, and the controller never touches the JobSet of a job that it has started. So a
    changed spec is a new job: the old one is deleted, with its pods, before the new one is sent under the same name.
    """

    def __init__(self, name: str, args: PathwaysWorkloadArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:PathwaysWorkload", name, None, opts)
        spec = args.manifest["spec"]
        job = CustomResource(
            f"{name}-job",
            api_version=args.manifest["apiVersion"],
            kind=args.manifest["kind"],
            metadata=args.manifest["metadata"],
            spec=pulumi.Output.secret(spec) if args.secret else spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=args.after,
                deleted_with=args.cluster,
                delete_before_replace=True,
                replace_on_changes=["spec"],
                custom_timeouts=pulumi.CustomTimeouts(delete="30m"),
            ),
        )
        self.register_outputs({"job": job.id})
