"""A picture of the cluster: its pools, the hosts in them, and the jobs on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pathways.plan.effects import Effect
from pathways.plan.groups import GroupPlan
from pathways.plan.plan import Plan
from pathways.plan.report import words
from pathways.plan.report.markup import Markup, element
from pathways.wording import counted

WIDTH = 1080.0
COLOURS = 8
"""Colours that the style sheet has for jobs; where there are more jobs, some share one."""

_MARGIN, _GAP, _TITLE, _SIDE = 16.0, 10.0, 46.0, 176.0
_ROW = 38.0
"""Height of a node of the head pool, with the gap below it."""
_LETTER = 6.8
"""Width of a letter of the picture's smaller text, roughly."""

_CLASSES: Mapping[Effect | None, str] = {
    Effect.MADE: "made",
    Effect.EDITED: "edited",
    Effect.RESTARTED: "lost",
    Effect.REMADE: "lost",
    Effect.DESTROYED: "lost",
    Effect.FORGOTTEN: "lost",
}


_SHORT: Mapping[Effect | None, str] = {
    Effect.MADE: "new",
    Effect.RESTARTED: "nodes anew",
    Effect.REMADE: "remade",
    Effect.DESTROYED: "destroyed",
    Effect.FORGOTTEN: "left behind",
}


@dataclass(frozen=True)
class _Tile:
    """Size of what stands for a slice. marks: of hosts, that fit into it."""

    width: float
    height: float
    marks: int


_TILES = ((24, _Tile(140, 62, 32)), (100, _Tile(100, 58, 16)), (10_000, _Tile(78, 38, 0)))
"""By the largest number of slices of which such a picture is still taken in at a glance."""


def picture(plan: Plan) -> Markup:
    """Return the picture. Jobs are on the first slices that are free: one of many ways in which they may be placed."""
    return _Picture(plan).drawn()


def colours_of(plan: Plan) -> dict[str, str]:
    """Return the class of the style sheet that colours each job."""
    return {job.name: f"job-{number % COLOURS}" for number, job in enumerate(plan.jobs)}


class _Picture:
    """Draws one plan, from top to bottom: heads and waiting jobs on the left, groups of slices on the right."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.colours = colours_of(plan)
        pools = sum(len(group.pools) for group in plan.groups)
        self.tile = next(tile for most, tile in _TILES if pools <= most)

    def drawn(self) -> Markup:
        cluster, top = self.plan.settings.cluster.name, _MARGIN + _TITLE
        parts, right_end = [], top
        for group in self.plan.groups:
            panel, height = self._group(group, right_end)
            parts.append(panel)
            right_end += height + _MARGIN
        heads, heads_height = self._side(top, "heads", self.plan.heads.machine_type, self._nodes())
        below = top + heads_height + _MARGIN
        waiting, waiting_height = self._side(below, "waiting", "for slices or a node", self._waiting())
        height = max(right_end, below + waiting_height + _MARGIN * bool(waiting_height))
        return element(
            "svg",
            element("title", f"Cluster {cluster} with its node pools and jobs"),
            _box(0.5, 0.5, WIDTH - 1, height - 1, "cluster"),
            _text(_MARGIN, _MARGIN + 14, f"cluster {cluster}", "name"),
            _text(_MARGIN, _MARGIN + 32, f"all nodes in {self.plan.settings.zone}", "small"),
            heads,
            waiting,
            *parts,
            viewbox=f"0 0 {WIDTH:g} {height:g}",
            role="img",
            class_="picture",
        )

    def _side(self, top: float, title: str, about: str, rows: Sequence[tuple[str, str]]) -> tuple[Markup, float]:
        """Return a panel on the left with a row for each text, and its height; nothing where there is no row."""
        if not rows:
            return Markup(), 0.0
        height = _TITLE + len(rows) * _ROW + 6
        drawn = []
        for number, (text, kind) in enumerate(rows):
            at = top + _TITLE + number * _ROW
            drawn.append(_box(_MARGIN + 10, at, _SIDE - 20, _ROW - 8, f"slice {kind}"))
            drawn.append(_text(_MARGIN + 18, at + 20, _cut(text, _SIDE - 36), "small"))
        return (
            element(
                "g",
                _box(_MARGIN, top, _SIDE, height, "group"),
                _text(_MARGIN + 10, top + 20, title, "name"),
                _text(_MARGIN + 10, top + 36, _cut(about, _SIDE - 20), "small"),
                *drawn,
            ),
            height,
        )

    def _nodes(self) -> list[tuple[str, str]]:
        """Return text and colour of each head node that there is; those that may come are one."""
        running = [job for job in sorted(self.plan.jobs, key=lambda job: -job.priority) if job.runs]
        nodes = [(f"head of {job.name}", self.colours[job.name]) for job in running]
        nodes += [("free node", "idle")] * max(0, self.plan.heads.min_nodes - len(nodes))
        more = self.plan.heads.max_nodes - len(nodes)
        return [*nodes, (f"{more} more when needed", "spare")] if more > 0 else nodes

    def _waiting(self) -> list[tuple[str, str]]:
        return [(job.name, f"spare {self.colours[job.name]}") for job in self.plan.jobs if not job.runs]

    def _group(self, group: GroupPlan, top: float) -> tuple[Markup, float]:
        """Return a group's panel and its height."""
        left = 2 * _MARGIN + _SIDE
        width = WIDTH - _MARGIN - left
        names = [*group.pools, *self._going(group)]
        columns = max(1, int((width - 2 * _MARGIN + _GAP) // (self.tile.width + _GAP)))
        full = (width - 2 * _MARGIN + _GAP) / columns - _GAP
        tile = _Tile(full if len(names) > columns else self.tile.width, self.tile.height, self.tile.marks)
        height = _TITLE + -(-len(names) // columns) * (tile.height + _GAP) - _GAP + _MARGIN
        drawn = []
        for number, name in enumerate(names):
            row, column = divmod(number, columns)
            at = (left + _MARGIN + column * (tile.width + _GAP), top + _TITLE + row * (tile.height + _GAP))
            drawn.append(self._slice(group, name, tile, at))
        return (
            element(
                "g",
                _box(left, top, width, height, "group"),
                _text(left + _MARGIN, top + 20, f"group {group.name}", "name"),
                _text(left + _MARGIN, top + 36, _about(group), "small"),
                *drawn,
            ),
            height,
        )

    def _slice(self, group: GroupPlan, name: str, tile: _Tile, at: tuple[float, float]) -> Markup:
        left, top = at
        job, effect = self._placed.get(name), self._effects.get(name)
        rest = "spare" if name in group.pools[group.count :] else "idle"
        told = _SHORT.get(effect, job or rest)
        kind = f"slice {self.colours[job] if job else rest} {_CLASSES.get(effect, '')}"
        return element(
            "g",
            element("title", f"{name}, {counted(group.slice.hosts, 'host')}: {job or rest}, {effect or 'planned'}"),
            _box(left, top, tile.width, tile.height, kind),
            _text(left + 8, top + 16, _cut(name, tile.width - 16), "pool"),
            _text(left + 8, top + 31, _cut(told, tile.width - 16), "small"),
            *_hosts(group.slice.hosts, tile, left + 8, top + tile.height - 7),
        )

    def _going(self, group: GroupPlan) -> list[str]:
        """Return pools of a group that exist and are not declared any more."""
        outcomes = self.plan.update.outcomes if self.plan.update else ()
        return [each.name for each in outcomes if each.group == group.name and each.effect is Effect.DESTROYED]

    @cached_property
    def _effects(self) -> dict[str, Effect]:
        outcomes = self.plan.update.outcomes if self.plan.update else ()
        return {each.name: each.effect for each in outcomes if each.kind == "slice"}

    @cached_property
    def _placed(self) -> dict[str, str]:
        """The job on each pool that has one. Jobs of a higher priority choose first."""
        free = {group.name: list(group.pools) for group in self.plan.groups}
        placed = {}
        for job in sorted(self.plan.jobs, key=lambda job: -job.priority):
            if job.runs:
                taken, free[job.group] = free[job.group][: job.slices], free[job.group][job.slices :]
                placed.update(dict.fromkeys(taken, job.name))
        return placed


def _about(group: GroupPlan) -> str:
    return f"{group.slice}: {words.hosts_of(group)} a slice; slices: {words.slices_of(group)}; {group.source.words}"


def _hosts(hosts: int, tile: _Tile, left: float, bottom: float) -> Iterator[Markup]:
    """Yield a mark for each host, in one or two rows; their number where they are too many."""
    if tile.marks and hosts > tile.marks:
        yield _text(left, bottom, counted(hosts, "host"), "small")
    elif tile.marks:
        rows = 1 + (hosts > tile.marks // 2)
        for number in range(hosts):
            row, column = divmod(number, -(-hosts // rows))
            yield element(
                "rect", x=left + 7 * column, y=bottom - 6 * (rows - row), width=5, height=4, rx=1, class_="host"
            )


def _box(left: float, top: float, width: float, height: float, kind: str) -> Markup:
    return element("rect", x=left, y=top, width=width, height=height, rx=6, class_=kind.strip())


def _text(left: float, baseline: float, content: str, kind: str) -> Markup:
    return element("text", content, x=left, y=baseline, class_=kind)


def _cut(text: str, width: float) -> str:
    letters = int(width / _LETTER)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
