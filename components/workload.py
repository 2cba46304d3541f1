"""A job, and what leads to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import Service

from pathways.runtime import QUEUE_LABEL

FORMS = (
    "kubernetes:pathways-job.pathways.domain/v1:PathwaysJob",
    "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
)
"""Types of the object that a job can be. Each knows the other's state, so that a stack which changes from one to the
other deletes a job before it makes it anew: both put a JobSet of the same name into the cluster."""

FORMER_TYPE = "pathways:kubernetes:PathwaysWorkload"
"""What states of stacks from before multislice jobs call it; without the alias their jobs would be deleted."""


@dataclass(frozen=True)
class WorkloadArgs:
    """What a Workload is made from.

    manifest: the whole PathwaysJob or JobSet. service: the Service that leads to its program, where there is one.
    secret: its spec holds secrets, which must not be read in the state. protect: it is not replaced or deleted unless
    the stack file names it. cluster: what it is deleted with. after: what must stand before it is sent.
    """

    manifest: Mapping[str, Any]
    service: Mapping[str, Any] | None
    secret: bool
    protect: bool
    cluster: pulumi.Resource | None
    after: Sequence[pulumi.Resource]


class Workload(pulumi.ComponentResource):
    """A PathwaysJob or JobSet that is sent and not waited for: training takes days, and a deployment does not.

    Nearly all of its spec is immutable, and the PathwaysJob controller never touches the JobSet of a job that it has
    started. So a changed spec is a new job: the old one is deleted, with its pods, before the new one is sent under the
    same name. So is a job in another queue: a started one does not leave its own, and stops where it had none.
    """

    def __init__(self, name: str, args: WorkloadArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        known_before = pulumi.ResourceOptions(aliases=[pulumi.Alias(type_=FORMER_TYPE)])
        super().__init__("pathways:kubernetes:Workload", name, None, pulumi.ResourceOptions.merge(opts, known_before))
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
                protect=args.protect,
                replace_on_changes=["spec", f'metadata.labels["{QUEUE_LABEL}"]'],
                aliases=[pulumi.Alias(type_=form) for form in FORMS],
                custom_timeouts=pulumi.CustomTimeouts(delete="30m"),
            ),
        )
        if args.service:
            Service(
                f"{name}-service",
                metadata={**args.service["metadata"], "annotations": {"pulumi.com/skipAwait": "true"}},
                spec=args.service["spec"],
                opts=pulumi.ResourceOptions(parent=self, depends_on=args.after, deleted_with=args.cluster),
            )
        self.register_outputs({"job": job.id})
