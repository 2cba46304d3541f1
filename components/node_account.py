"""The service account that the nodes of a pool run as."""

from dataclasses import dataclass

import pulumi
from pulumi_gcp import projects, serviceaccount

from components.names import ACCOUNT_ID_LENGTH, bounded
from components.site import Site
from pathways.gke import NODE_ROLE


@dataclass(frozen=True)
class NodeAccountArgs:
    """purpose: what its nodes are for, in one lower-case word."""

    site: Site
    purpose: str


class NodeAccount(pulumi.ComponentResource):
    """A service account with the one role that GKE asks of node accounts.

    Pathways pods use the host network, so they reach Google Cloud as their node's account and not by Workload Identity:
    what they may do beyond that role is granted to `member` on the single resource concerned (see ScratchBucket).

    Pools must depend on this component and not on the email alone: nodes that start before the role is bound register
    late or never. An account with a deleted one's id is a new account; grants to the old one do not come back.
    """

    def __init__(self, name: str, args: NodeAccountArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:NodeAccount", name, None, opts)
        account = serviceaccount.Account(
            f"{name}-account",
            account_id=bounded(f"{args.site.cluster_name}-{args.purpose}", ACCOUNT_ID_LENGTH),
            display_name=f"Nodes of {args.site.cluster_name}: {args.purpose}",
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        projects.IAMMember(
            f"{name}-role",
            project=args.site.project,
            role=NODE_ROLE,
            member=account.member,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.email = account.email
        self.member = account.member
        self.register_outputs({"email": self.email, "member": self.member})
