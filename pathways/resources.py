"""Resources as plain data, whoever told of them: the recorded program, the engine, or a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

KUBERNETES = "kubernetes:"


@dataclass(frozen=True)
class ResourceOptions:
    """How the engine is told to treat a resource. URNs name other resources, paths are camelCase property paths.

    dependencies: every resource that it waits for, whether named in depends_on or through a property.
    property_dependencies: the latter alone, by property.
    custom_timeouts: of create, update and delete, as durations such as "90m"; "" leaves the provider's.
    What the teller does not know is as if it had not been asked for.
    """

    protect: bool = False
    delete_before_replace: bool = False
    retain_on_delete: bool = False
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    deleted_with: str = ""
    custom_timeouts: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resource:
    """A resource, as the engine sees it.

    type: token, such as "gcp:container/nodePool:NodePool" or "kubernetes:scheduling.k8s.io/v1:PriorityClass".
    properties: camelCase inputs, secrets in the clear; UNKNOWN (pathways.gcp) where only the deployment will tell.
    urn, parent: URNs; "" where there is none, as for manifests and below the stack itself.
    provider: URN of its explicit provider, "" where it has none.
    custom: whether a provider makes it; False for components.
    secrets: paths of the properties whose values are secret.
    """

    type: str
    name: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    urn: str = ""
    parent: str = ""
    provider: str = ""
    custom: bool = True
    options: ResourceOptions = field(default_factory=ResourceOptions)
    secrets: tuple[str, ...] = ()

    @cached_property
    def kind(self) -> str:
        """The type without the version of a Kubernetes API: "scheduling.k8s.io/PriorityClass", "core/Namespace"."""
        if not self.type.startswith(KUBERNETES):
            return self.type
        group_version, _, kind = self.type.removeprefix(KUBERNETES).rpartition(":")
        return f"{group_version.partition('/')[0]}/{kind}"

    @property
    def component_types(self) -> list[str]:
        """Types of the components that it is in, the outermost first, as its parent's URN tells."""
        parts = self.parent.split("::")
        return parts[2].split("$") if len(parts) > 2 else []


def kubernetes_type(api_version: str, kind: str) -> str:
    """Return the type token of a Kubernetes object; the group without a name is "core"."""
    return f"{KUBERNETES}{api_version if '/' in api_version else f'core/{api_version}'}:{kind}"
