"""The Pulumi program: one Platform, as the stack file describes it."""

import pulumi

from components.platform import Platform, PlatformArgs
from pathways.settings import SettingsError, parse_settings

stack = pulumi.get_stack()
try:
    settings = parse_settings(
        pulumi.Config("pathways").get_object("platform") or {},
        project=pulumi.Config("gcp").get("project"),
        stack=stack,
        source=f"stacks/Pulumi.{stack}.yaml",
    )
except SettingsError as error:
    raise pulumi.RunError(str(error)) from None

args = PlatformArgs(settings, has_secrets=pulumi.runtime.is_config_secret("pathways:platform"))
for name, value in Platform("pathways", args).outputs.items():
    pulumi.export(name, value)
