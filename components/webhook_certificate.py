"""The Secret with a webhook's certificate, which a chart declares empty and its controller fills."""

import pulumi


def left_to_controller(secret: str) -> pulumi.ResourceTransform:
    """Return the transform that ignores the data of the Secret of that name."""

    def leave(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != "kubernetes:core/v1:Secret" or not args.name.endswith(secret):
            return None
        ignore = pulumi.ResourceOptions(ignore_changes=["data"])
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, ignore))

    return leave
