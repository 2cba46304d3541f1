"""How figures of the plan are put into words; terminal and page say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pathways.plan.components import Branch
from pathways.plan.costs import HOURS_A_DAY, HOURS_A_MONTH, Costs
from pathways.plan.groups import GroupPlan, Need
from pathways.plan.jobs import HeadsPlan, JobPlan, Occupancy
from pathways.plan.operations import PoolOperation, Schedule
from pathways.plan.plan import Plan
from pathways.plan.queues import QueuePlan
from pathways.plan.tpu_vms import TpuVmPlan
from pathways.settings import StackSettings
from pathways.settings.addresses import uses
from pathways.wording import counted

LISTED = 6
"""How many names of a row are written out before some are left out."""


def title(plan: Plan) -> str:
    settings = plan.settings
    return (
        f"stack {settings.stack} ({settings.environment}) · {settings.project} · {settings.zone} · JAX {settings.jax}"
    )


def slices_of(group: GroupPlan) -> str:
    """Return "4 + 1 spare"."""
    return f"{group.count} + {counted(group.spares, 'spare')}" if group.spares else str(group.count)


def hosts_of(group: GroupPlan) -> str:
    """Return how the hosts of one slice follow: "64 chips / 4 = 16 hosts"."""
    slice_ = group.slice
    return f"{slice_.chips:,} chips / {slice_.chips_per_host} = {counted(slice_.hosts, 'host')}"


def total_of(group: GroupPlan) -> str:
    return f"{counted(group.chips, 'chip')}, {counted(group.hosts, 'host')}"


def need(needed: Need) -> str:
    """Return what is needed of a quota or a reservation."""
    of = ", ".join(needed.groups)
    if needed.is_quota:
        return f'{of}: {counted(needed.chips, "chip")} of the quota "{needed.name}" in {needed.region}'
    held = "" if needed.held is None else f"the {counted(needed.held, 'chip')} of "
    return f"{of}: {counted(needed.chips, 'chip')} ({counted(needed.hosts, 'VM')}) of {held}{needed.name}; no quota"


def tpu_vm(vm: TpuVmPlan) -> str:
    """Return what a TPU VM is and needs."""
    slice_ = vm.slice
    return (
        f"{vm.name}: {vm.accelerator_type}, {counted(slice_.chips, 'chip')} on {counted(slice_.hosts, 'host')} with"
        f" {vm.runtime}; on demand, of the Cloud TPU API's own quota in the zone"
    )


def heads(plan: HeadsPlan) -> str:
    fewest = f"{plan.min_nodes} to " if plan.min_nodes < plan.max_nodes else ""
    return (
        f"{fewest}{counted(plan.max_nodes, 'node')} of {plan.machine_type} ({plan.cpus:g} CPUs and"
        f" {plan.memory_gib:.0f} GiB for pods); a head fills one, so {counted(plan.max_nodes, 'job')} at once"
    )


def priority(job: JobPlan) -> str:
    return f"{job.priority_class} {job.priority}" if job.priority_class else "none (0)"


def needs_of_job(job: JobPlan) -> str:
    return f"{job.slices} of {job.group}: {counted(job.chips, 'chip')}"


def head_of_job(job: JobPlan) -> str:
    if job.head is None:
        return "none"
    return f"{counted(job.head.cpus, 'CPU')}, {job.head.memory_gib:g} GiB"


def verdict(job: JobPlan) -> str:
    """Return whether a job runs when all are wanted at once."""
    if job.waits_for:
        return f"waits for {job.waits_for}"
    extra = {"on spares": job.on_spares, "borrowed": job.borrowed}
    return ", ".join(["runs", *(f"{number} {what}" for what, number in extra.items() if number)])


def relations(job: JobPlan) -> str:
    """Return which jobs go and which come first when slices or heads run short."""
    parts = []
    if job.pushes_out:
        parts.append(f"pushes out {listed(job.pushes_out)}")
    if job.gives_way_to:
        parts.append(f"gives way to {listed(job.gives_way_to)}")
    return "; ".join(parts) or "-"


_RECOVERIES = {
    "inJob": "failed pods start again in their Job, after a minute or never",
    "slice": "a failed slice starts again alone (JobSet's RestartJob, which is alpha, is switched on)",
    "job": "a failed slice restarts the job",
}
"""Source: JobSet 0.11.1 and 0.12.0 on a real control plane; `python -m sandbox drill elastic` measures it."""


def resilience(job: JobPlan) -> str:
    """Return what becomes of a job when something fails or is taken away."""
    parts = [f"{job.name} ({job.form}): {_RECOVERIES[job.recovery]}; {counted(job.restarts, 'restart')} of the whole"]
    if job.not_resumable_for:
        parts.append(f"not resumable, as {job.not_resumable_for}")
    if job.overridden:
        parts.append(f"overrides {listed(job.overridden)}")
    return "; ".join(parts)


def left(occupancy: Occupancy, group: GroupPlan) -> str:
    """Return what is left of a group when all jobs that can run do."""
    if occupancy.free == 0:
        rest = "none left"
    elif occupancy.free <= group.spares:
        rest = f"{counted(occupancy.free, 'spare')} left"
    else:
        rest = f"{occupancy.free} left" + (f", {group.spares} of them as spares" if group.spares else "")
    return f"{group.name}: {occupancy.used} of {counted(len(group.pools), 'slice')} in use, {rest}"


QUEUE_COLUMNS = ("queue", "guaranteed", "may borrow", "weight", "jobs")


def queue(plan: QueuePlan) -> tuple[str, str, str, str, str]:
    """Return the QUEUE_COLUMNS of a queue, or of what is anyone's."""
    heads_of_queue = [counted(plan.heads, "head")] if plan.heads else []
    own = ", ".join([*_by_group(plan.guaranteed), *heads_of_queue]) or "nothing"
    if plan.name is None:
        return "anyone's", own, "-", "-", "-"
    others = ", ".join(_by_group(plan.may_borrow)) or "nothing"
    return plan.name, own, others, str(plan.weight), listed(plan.jobs) or "-"


def _by_group(slices: Mapping[str, int]) -> list[str]:
    return [f"{number} of {group}" for group, number in slices.items() if number]


def schedule(plan: Schedule, width_of_all: bool) -> str:
    """Return how long it takes. width_of_all: whether all of the stack is made."""
    if not plan.operations:
        return "no node pool is touched"
    begin = f", from minute {plan.pools_start:g} on" if plan.pools_start else ""
    return (
        f"{counted(len(plan.operations), 'operation')}, {plan.at_once} at once{begin}; about {plan.ends:g} minutes"
        f" {'for the whole stack' if width_of_all else 'in all'} when capacity is at hand"
    )


def lane(operations: Sequence[PoolOperation]) -> str:
    """Return the operations of a lane, one after the other; what is not said of a pool is that it is made."""
    made: dict[str, list[str]] = {}
    for operation in operations:
        made.setdefault(operation.pool, []).append(operation.operation)
    words = {("create",): "", ("delete", "create"): "replace "}
    return " → ".join(_shortened([words.get(tuple(done), f"{done[0]} ") + pool for pool, done in made.items()]))


def listed(names: Sequence[str]) -> str:
    """Return names with commas; some are left out of a long row."""
    return ", ".join(_shortened(names))


def _shortened(names: Sequence[str]) -> list[str]:
    if len(names) <= LISTED:
        return list(names)
    return [*names[: LISTED - 2], f"… {len(names) - LISTED + 1} more …", names[-1]]


def ranges(names: Iterable[str]) -> str:
    """Return names in order, with those that count on made one: "eval-2, v5p-0 to v5p-63"."""
    spans: list[list[str]] = []
    for name in sorted(names, key=_stem_and_number):
        if spans and _counts_on(spans[-1][-1], name):
            spans[-1].append(name)
        else:
            spans.append([name])
    return ", ".join(f"{span[0]} to {span[-1]}" if len(span) > 2 else ", ".join(span) for span in spans)


def _stem_and_number(name: str) -> tuple[str, int]:
    """Return "v5p-" and 12 of "v5p-12"; -1 of a name without a number at its end."""
    found = re.fullmatch(r"(.*?)(\d{1,9})", name)
    return (found[1], int(found[2])) if found else (name, -1)


def _counts_on(name: str, following: str) -> bool:
    (stem, number), (next_stem, next_number) = _stem_and_number(name), _stem_and_number(following)
    return stem == next_stem and number + 1 == next_number and number >= 0


def chip_hours(costs: Costs) -> str:
    day, month = costs.chips * HOURS_A_DAY, costs.chips * HOURS_A_MONTH
    while_there = (
        "" if costs.standing_chips == costs.chips else f"; {costs.standing_chips:,} of them stand all the time"
    )
    return f"{counted(costs.chips, 'chip')}{while_there}: {day:,} chip-hours a day, {month:,} a month"


def price(costs: Costs) -> str | None:
    """Return what it costs, or None where no rate is given."""
    hour = costs.usd_per_hour
    if hour is None:
        return None
    missing = f"; without {listed(costs.without_rate)}, which has no rate" if costs.without_rate else ""
    return f"${hour:,.2f} an hour, ${hour * HOURS_A_DAY:,.0f} a day, ${hour * HOURS_A_MONTH:,.0f} a month{missing}"


def kinds(branch: Branch) -> str:
    """Return what a component has itself: "4 NodePool, 1 ResourcePolicy"."""
    return ", ".join(kind if number == 1 else f"{number} {kind}" for kind, number in branch.kinds.items())


def outcome_of_plan(plan: Plan) -> str:
    """Return the last line of all."""
    counts = [(plan.errors, "error"), (plan.warnings, "warning")]
    parts = [counted(number, noun) for number, noun in counts if number]
    if plan.refused:
        assert plan.update is not None
        kinds_lost = Counter(loss.kind for loss in plan.update.losses)
        lost = ", ".join(counted(number, kind) for kind, number in kinds_lost.items())
        parts.insert(0, f"refused: {lost} of prod would be lost or interrupted, and no --allow names them")
    elif not plan.errors:
        parts.insert(0, "fine")
    return "; ".join(parts)


def addresses(settings: StackSettings) -> Iterator[str]:
    """Yield what nodes and pods take of the network's ranges, where the network is the stack's own."""
    if settings.network.existing or settings.cluster.existing:
        return
    for use in uses(settings.network, settings.slices, settings.head, settings.system):
        if use.wanted:
            yield f"{use.range} {use.block}: {use.wanted:,} of {use.has:,} addresses at most"
