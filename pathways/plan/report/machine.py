"""The plan as JSON. Keys are in snake_case but for the properties of resources, which are as the engine has them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pathways.gcp import Change, format_path
from pathways.plan.costs import HOURS_A_DAY, HOURS_A_MONTH, Costs
from pathways.plan.effects import Outcome
from pathways.plan.groups import GroupPlan
from pathways.plan.jobs import JobPlan
from pathways.plan.operations import Schedule
from pathways.plan.plan import Plan, Update
from pathways.plan.secrets import printable, printable_value
from pathways.plan.steps import Step, Verb
from pathways.plan.tpu_vms import TpuVmPlan
from pathways.resources import Resource
from pathways.rules.model import Finding


def as_data(plan: Plan) -> dict[str, Any]:
    """Return the plan as what JSON can hold. Secrets are masked."""
    settings = plan.settings
    return {
        "stack": settings.stack,
        "project": settings.project,
        "environment": settings.environment,
        "zone": settings.zone,
        "region": settings.region,
        "jax": settings.jax,
        "fine": plan.fine,
        "slices": [_group(group) for group in plan.groups],
        "needs": [asdict(need) for need in plan.needs],
        "tpu_vms": [_tpu_vm(vm) for vm in plan.tpu_vms],
        "heads": asdict(plan.heads),
        "jobs": [_job(job) for job in plan.jobs],
        "occupancy": [asdict(occupancy) for occupancy in plan.occupancy],
        "queues": [asdict(queue) for queue in plan.queues],
        "operations": _operations(plan.operations),
        "costs": _costs(plan.costs),
        "findings": [_finding(finding) for finding in plan.findings],
        "update": _update(plan.update) if plan.update else None,
        "resources": [_resource(resource) for resource in plan.resources],
    }


def _group(group: GroupPlan) -> dict[str, Any]:
    slice_, source = group.slice, group.source
    return {
        "name": group.name,
        "generation": slice_.generation.name,
        "machine_type": slice_.machine_type,
        "topology": slice_.topology_text,
        "accelerator": slice_.accelerator,
        "placement": slice_.placement.value,
        "chips_per_slice": slice_.chips,
        "hosts_per_slice": slice_.hosts,
        "chips_per_host": slice_.chips_per_host,
        "count": group.count,
        "spares": group.spares,
        "pools": list(group.pools),
        "chips": group.chips,
        "hosts": group.hosts,
        "capacity": source.kind,
        "quota": asdict(source.quota) if source.quota else None,
        "reservation": source.reservation,
        "reservation_chips": source.held,
    }


def _tpu_vm(vm: TpuVmPlan) -> dict[str, Any]:
    return {
        "name": vm.name,
        "generation": vm.slice.generation.name,
        "accelerator_type": vm.accelerator_type,
        "runtime": vm.runtime,
        "topology": vm.slice.topology_text,
        "chips": vm.slice.chips,
        "hosts": vm.slice.hosts,
        "capacity": "onDemand",
    }


def _job(job: JobPlan) -> dict[str, Any]:
    return {**asdict(job), "runs": job.runs}


def _operations(schedule: Schedule) -> dict[str, Any]:
    return {
        "at_once": schedule.at_once,
        "minutes": schedule.ends,
        "pools": [asdict(operation) for operation in schedule.operations],
    }


def _costs(costs: Costs) -> dict[str, Any]:
    per_hour = costs.usd_per_hour
    return {
        "chip_hours_per_hour": costs.chips,
        "chip_hours_per_day": costs.chips * HOURS_A_DAY,
        "chip_hours_per_month": costs.chips * HOURS_A_MONTH,
        "usd_per_hour": per_hour,
        "usd_per_day": None if per_hour is None else per_hour * HOURS_A_DAY,
        "usd_per_month": None if per_hour is None else per_hour * HOURS_A_MONTH,
        "without_rate": list(costs.without_rate),
        "groups": [{**asdict(group), "usd_per_hour": group.usd_per_hour} for group in costs.groups],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.value,
        "resource": finding.resource.name,
        "urn": finding.resource.urn,
        "path": format_path(finding.path),
        "message": finding.message,
        "remedy": finding.remedy,
        "source": finding.rule.source,
    }


def _update(update: Update) -> dict[str, Any]:
    return {
        "counts": {verb.value: update.count(verb) for verb in Verb},
        "outcomes": [_outcome(outcome) for outcome in update.outcomes],
        "losses": [outcome.name for outcome in update.losses],
        "lifecycles": [asdict(rules) for rules in update.lifecycles],
        "leftovers": list(update.leftovers),
        "steps": [_step(step) for step in update.steps],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "kind": outcome.kind,
        "name": outcome.name,
        "resource": outcome.resource,
        "group": outcome.group,
        "chips_before": outcome.chips_before,
        "chips_after": outcome.chips_after,
        "effect": outcome.effect.value,
        "fatal": outcome.fatal,
        "protected": outcome.protected,
        "allowed": outcome.allowed,
        "why": list(outcome.why),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "verb": step.verb.value,
        "type": step.resource.type,
        "name": step.resource.name,
        "urn": step.resource.urn,
        "protected": step.protected,
        "reasons": list(step.reasons),
        "changes": [_change(change, step) for change in step.changes],
    }


def _change(change: Change, step: Step) -> dict[str, Any]:
    return {
        "path": format_path(change.path),
        "kind": change.kind.value,
        "action": change.action.value,
        "old": printable_value(change.old, change.path, step.before, step.resource),
        "new": printable_value(change.new, change.path, step.before, step.resource),
    }


def _resource(resource: Resource) -> dict[str, Any]:
    return {
        "type": resource.type,
        "name": resource.name,
        "urn": resource.urn,
        "parent": resource.parent,
        "provider": resource.provider,
        "custom": resource.custom,
        "properties": printable(resource),
        "options": asdict(resource.options),
    }
