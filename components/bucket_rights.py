"""Rights on one bucket: a role of the project with just the permissions, and its grants."""

from collections.abc import Mapping, Sequence

import pulumi
from pulumi_gcp import projects, storage

from components.site import Site


def declare_rights(
    name: str,
    *,
    site: Site,
    bucket: storage.Bucket,
    purpose: str,
    title: str,
    description: str,
    permissions: Sequence[str],
    members: Mapping[str, pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> None:
    """Declare role and grants as children of a component that is called `name`.

    purpose: last part of the role's id, in one lower-case word. members: IAM members, by a stable short name.
    opts: of every child. A deleted role's id stays taken for weeks; the provider revives it when it comes back in that
    time.
    """
    role = projects.IAMCustomRole(
        f"{name}-role",
        role_id=f"pathways.{site.cluster_name.replace('-', '_')}.{purpose}",
        project=site.project,
        title=title,
        description=description,
        permissions=list(permissions),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
    for member_name, member in members.items():
        storage.BucketIAMMember(f"{name}-{member_name}", bucket=bucket.name, role=role.name, member=member, opts=opts)
