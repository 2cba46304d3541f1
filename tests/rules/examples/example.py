"""One thing that is wrong with a stack, and what its rule must say about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pathways.resources import Resource
from pathways.rules import Context, Environment

DEV = Context(Environment.DEV)
PROD = Context(Environment.PROD)


@dataclass(frozen=True)
class Example:
    """rule: that must complain. target: the resource that is changed. says: words of its message.

    severity: of the finding. without: names of resources that are taken away. more: resources that are added.
    passes: nothing may be found instead.
    """

    rule: str
    target: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""
    severity: str = "error"
    context: Context = PROD
    without: tuple[str, ...] = ()
    more: tuple[Resource, ...] = ()

    @property
    def passes(self) -> bool:
        return not self.says

    def __str__(self) -> str:
        return f"{self.rule}: {', '.join(self.changes) or ', '.join(self.without)}"
