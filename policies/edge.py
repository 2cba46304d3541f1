"""From what the engine shows a policy to plain data: rules never see the SDK's proxies, which raise when read."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_policy import PolicyResource, PolicyResourceOptions, ResourceValidationArgs
from pulumi_policy.proxy import UnknownValueError

from pathways.gcp import UNKNOWN
from pathways.resources import Resource, ResourceOptions

INTERNAL = "__"
"""How keys begin that providers keep for themselves among the properties, such as __defaults."""


def resource_of(args: ResourceValidationArgs) -> Resource:
    """Return the resource that a resource policy is asked about. Its dependencies are not shown."""
    return Resource(
        type=args.resource_type,
        name=args.name,
        properties=plain(args.props),
        urn=args.urn,
        parent=args.opts.parent or "",
        options=_options(args.opts, (), {}),
    )


def resource_in_stack(resource: PolicyResource) -> Resource:
    """Return one of the resources that a stack policy is asked about."""
    return Resource(
        type=resource.resource_type,
        name=resource.name,
        properties=plain(resource.props),
        urn=resource.urn,
        parent=resource.parent.urn if resource.parent else "",
        provider=resource.provider.urn if resource.provider else "",
        options=_options(
            resource.opts,
            tuple(each.urn for each in resource.dependencies),
            {name: tuple(each.urn for each in several) for name, several in resource.property_dependencies.items()},
        ),
    )


def plain(value: Any) -> Any:
    """Return a value of the engine's as dicts, lists and scalars, with UNKNOWN for what only the deployment will tell.

    Numbers, all of which the engine sends as floats, are whole ones where they can be.
    """
    if isinstance(value, Mapping):
        return {key: _item(value, key) for key in value if not str(key).startswith(INTERNAL)}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_item(value, index) for index in range(len(value))]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _item(container: Any, step: Any) -> Any:
    try:
        return plain(container[step])
    except UnknownValueError:
        return UNKNOWN


def _options(
    options: PolicyResourceOptions,
    dependencies: tuple[str, ...],
    property_dependencies: Mapping[str, tuple[str, ...]],
) -> ResourceOptions:
    timeouts = options.custom_timeouts
    seconds = {"create": timeouts.create_seconds, "update": timeouts.update_seconds, "delete": timeouts.delete_seconds}
    return ResourceOptions(
        protect=bool(options.protect),
        delete_before_replace=bool(options.delete_before_replace),
        dependencies=dependencies,
        property_dependencies=property_dependencies,
        ignore_changes=tuple(options.ignore_changes),
        custom_timeouts={key: f"{number:g}s" if number else "" for key, number in seconds.items()},
        aliases=tuple(options.aliases),
    )
