"""Serves the pack to the engine: pulumi preview --policy-pack policies."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pulumi_policy import PolicyPack

from policies.pack import policies
from policies.settings import keep_stack_configuration

keep_stack_configuration()
PolicyPack("pathways", policies=policies())
