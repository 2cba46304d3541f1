"""What the parts of a stack file say about each other: names that must exist, counts that must suffice.

Read from the mapping as it is written, so that all of it is checked though other values are wrong. What is not of the
kind that it must be is passed over: its own validator complains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pathways.documents import Path
from pathways.wording import did_you_mean, nearest, quoted

Found = Iterator[tuple[Path, str]]


def broken_references(written: dict[str, Any]) -> Found:
    """Yield path and message of everything that does not fit together."""
    yield from _equal_names(written, "slices")
    yield from _equal_names(written, "workloads")
    yield from _equal_priorities(written)
    groups = {group["name"]: group for _, group in _mappings(written, "slices") if isinstance(group.get("name"), str)}
    for index, workload in _mappings(written, "workloads"):
        path: Path = ("workloads", index)
        request = workload.get("slices")
        if isinstance(request, dict):
            yield from _request((*path, "slices"), request, groups)
        yield from _priority((*path, "priority"), workload.get("priority"), written.get("priorities", {}))


def _request(path: Path, request: dict[str, Any], groups: dict[str, dict[str, Any]]) -> Found:
    name, wanted = request.get("group"), request.get("count")
    if not isinstance(name, str):
        return
    if name not in groups:
        meant = did_you_mean(nearest(name, groups))
        yield (*path, "group"), f"{quoted(name)} is no group of slices; legal: {_list(groups)}{meant}"
        return
    count, spares = groups[name].get("count"), groups[name].get("spares", 0)
    if type(wanted) is int and type(count) is int and wanted > count:
        has = f"{count} (and {spares} spare)" if type(spares) is int and spares else str(count)
        yield (*path, "count"), f"{wanted} slices wanted, group {quoted(name)} has {has}; lower it or add slices"


def _priority(path: Path, name: Any, priorities: Any) -> Found:
    if isinstance(name, str) and isinstance(priorities, dict) and name not in priorities:
        meant = did_you_mean(nearest(name, priorities))
        yield path, f"{quoted(name)} is not declared in priorities; legal: {_list(priorities)}{meant}"


def _equal_names(written: dict[str, Any], key: str) -> Found:
    first: dict[str, int] = {}
    for index, item in _mappings(written, key):
        name = item.get("name")
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield (key, index, "name"), f"{quoted(name)} is the name of {key}[{first[name]}] as well"


def _equal_priorities(written: dict[str, Any]) -> Found:
    priorities = written.get("priorities")
    first: dict[int, str] = {}
    for name, value in priorities.items() if isinstance(priorities, dict) else ():
        if type(value) is int and first.setdefault(value, name) != name:
            yield (
                ("priorities", name),
                f"{value} is the value of {first[value]} as well: neither would give way to the other",
            )


def _mappings(written: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    items = written.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def _list(names: dict[str, Any]) -> str:
    return " ".join(names) or "none is declared"
