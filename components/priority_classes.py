"""The PriorityClasses that jobs may name."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.scheduling.v1 import PriorityClass

from pathways.manifests import priority_class


@dataclass(frozen=True)
class PriorityClassesArgs:
    """priorities: value by name, a higher one goes first. cluster: what the objects are deleted with."""

    priorities: Mapping[str, int]
    cluster: pulumi.Resource | None


class PriorityClasses(pulumi.ComponentResource):
    """One PriorityClass for each name; none is the default of pods that name none.

    The API server lets neither value nor preemption policy change, and names are fixed: a class is deleted and
    made anew, while running pods keep the number that they were admitted with.
    """

    def __init__(self, name: str, args: PriorityClassesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:kubernetes:PriorityClasses", name, None, opts)
        for class_name, value in args.priorities.items():
            manifest = priority_class(class_name, value)
            PriorityClass(
                f"{name}-{class_name}",
                metadata=manifest["metadata"],
                value=manifest["value"],
                global_default=manifest["globalDefault"],
                preemption_policy=manifest["preemptionPolicy"],
                description=manifest["description"],
                opts=pulumi.ResourceOptions(
                    parent=self,
                    deleted_with=args.cluster,
                    delete_before_replace=True,
                    replace_on_changes=["value", "preemptionPolicy"],
                ),
            )
        self.register_outputs({"names": list(args.priorities)})
