"""How a change of a resource's inputs acts: in place, by replacement, or not at all.

The provider compares what the program asks for with what Google Cloud reported last. A value that Google Cloud
fills in (optional and computed) makes no difference when the program is silent about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pathways.gcp.checks import DEFAULTS_KEY
from pathways.gcp.exceptions import SILENTLY_IGNORED, is_equivalent, is_replaced
from pathways.gcp.schema import Property, ResourceType
from pathways.gcp.values import UNKNOWN, Path, is_absent, lies_under, parse_path


class Kind(StrEnum):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


class Action(StrEnum):
    """What the provider does about a change."""

    IN_PLACE = "in place"
    REPLACE = "replace"
    IGNORED = "silently ignored"


@dataclass(frozen=True)
class Change:
    """One property that differs. old: as last reported; new: as asked for, UNKNOWN where only the deployment tells."""

    path: Path
    kind: Kind
    action: Action
    old: Any
    new: Any


def changes_between(
    resource: ResourceType, old: Mapping[str, Any], new: Mapping[str, Any], ignore: Sequence[str] = ()
) -> list[Change]:
    """The changes from the properties that a resource has to the (checked, defaulted) inputs that it shall have.

    ignore: property paths, as in the option ignoreChanges, whose changes do not count.
    """
    ignored = [parse_path(path) for path in ignore]
    found = _Comparison(resource.token).objects(resource.properties, old, new, ())
    return [change for change in found if not any(lies_under(change.path, prefix) for prefix in ignored)]


class _Comparison:
    """Walks old and new values side by side, led by the declarations of one resource type."""

    def __init__(self, token: str) -> None:
        self.token = token

    def objects(
        self, declared: Mapping[str, Property], old: Mapping[str, Any], new: Mapping[str, Any], at: Path
    ) -> Iterator[Change]:
        for name, what in declared.items():
            if what.is_input:
                yield from self.property(what, old.get(name), new.get(name), (*at, name))

    def property(self, what: Property, old: Any, new: Any, at: Path) -> Iterator[Change]:
        if new is None and what.computed:
            return
        if new is UNKNOWN:
            yield self._change(what, old, new, at)
        elif what.type == "map":
            yield from self._maps(what, old or {}, new or {}, at)
        elif what.type == "object":
            yield from self._blocks(what, old, new, at)
        elif what.type == "list":
            yield from self._lists(what, old or [], new or [], at)
        elif what.type == "set":
            yield from self._sets(what, old or [], new or [], at)
        elif not (is_absent(old) and is_absent(new)):
            yield from self._difference(what, old, new, at)

    def _blocks(self, what: Property, old: Any, new: Any, at: Path) -> Iterator[Change]:
        if old is not None and new is not None:
            yield from self.objects(what.properties or {}, old, new, at)
        elif old is not None or new is not None:
            yield self._change(what, old, new, at)

    def _maps(self, what: Property, old: Mapping[str, Any], new: Mapping[str, Any], at: Path) -> Iterator[Change]:
        for key in [*old, *(key for key in new if key not in old)]:
            if key != DEFAULTS_KEY:
                yield from self._difference(what, old.get(key), new.get(key), (*at, key))

    def _lists(self, what: Property, old: Sequence[Any], new: Sequence[Any], at: Path) -> Iterator[Change]:
        for index in range(max(len(old), len(new))):
            before = old[index] if index < len(old) else None
            after = new[index] if index < len(new) else None
            if what.properties and isinstance(before, dict) and isinstance(after, dict):
                yield from self.objects(what.properties, before, after, (*at, index))
            else:
                yield from self._difference(what, before, after, (*at, index))

    def _sets(self, what: Property, old: Sequence[Any], new: Sequence[Any], at: Path) -> Iterator[Change]:
        gone = list(range(len(old)))
        come = []
        for index, after in enumerate(new):
            same = next((i for i in gone if self._same_element(what, old[i], after)), None)
            if same is None:
                come.append(index)
            else:
                gone.remove(same)
        for index in come:
            yield self._change(what, old[gone.pop(0)] if gone else None, new[index], (*at, index))
        for index in gone:
            yield self._change(what, old[index], None, (*at, index))

    def _same_element(self, what: Property, old: Any, new: Any) -> bool:
        if what.properties and isinstance(old, dict) and isinstance(new, dict):
            return not any(self.objects(what.properties, old, new, ()))
        return bool(_plain(old) == _plain(new))

    def _difference(self, what: Property, old: Any, new: Any, at: Path) -> Iterator[Change]:
        if _plain(old) != _plain(new) and not is_equivalent(self.token, _without_positions(at), old, new):
            yield self._change(what, old, new, at)

    def _change(self, what: Property, old: Any, new: Any, at: Path) -> Change:
        kind = Kind.ADD if old is None else Kind.DELETE if new is None else Kind.UPDATE
        return Change(at, kind, self._action(what, old, new, at), old, new)

    def _action(self, what: Property, old: Any, new: Any, at: Path) -> Action:
        plain = _without_positions(at)
        if plain in SILENTLY_IGNORED.get(self.token, ()):
            return Action.IGNORED
        if what.force_new or is_replaced(self.token, plain, old, new) or _forces_new_below(what, old, new):
            return Action.REPLACE
        return Action.IN_PLACE


def _forces_new_below(what: Property, old: Any, new: Any) -> bool:
    """Whether a block that comes or goes as a whole carries a value that is ForceNew."""
    block = old if new is None else new
    if not what.properties or not isinstance(block, dict):
        return False
    return any(
        inner.force_new or _forces_new_below(inner, *((block[name], None) if new is None else (None, block[name])))
        for name, inner in what.properties.items()
        if not is_absent(block.get(name)) and not (new is None and inner.computed)
    )


def _without_positions(path: Path) -> tuple[str, ...]:
    return tuple(step for step in path if isinstance(step, str))


def _plain(value: Any) -> Any:
    """A value in the form in which values compare: without nulls and "__defaults"."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != DEFAULTS_KEY and item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
