"""The rules as policies. One that finds errors and warnings is two, since a policy has one enforcement level."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from pathways.gcp import format_path
from pathways.resources import Resource
from pathways.rules import (
    RULES,
    Context,
    Environment,
    Finding,
    Rule,
    Severity,
    Stack,
    Use,
    findings_of,
    findings_of_resource,
)
from policies.edge import resource_in_stack, resource_of
from policies.settings import PackError, PackSettings, stack_settings

LEVELS = {Severity.ERROR: EnforcementLevel.MANDATORY, Severity.WARNING: EnforcementLevel.ADVISORY}
CONFIG = PolicyConfigSchema({"environment": {"type": "string", "enum": [each.value for each in Environment]}})

ReadSettings = Callable[[], PackSettings]


def policies(read_settings: ReadSettings = stack_settings) -> list[Policy]:
    """Return a policy for each severity of each rule that the engine can be asked about.

    read_settings: of the stack that is looked at; asked for each resource and each stack.
    """
    asked = [rule for rule in RULES if Use.POLICY in rule.uses]
    return [
        _settings_policy(read_settings),
        *(_policy(rule, severity, read_settings) for rule in asked for severity in rule.severities),
    ]


def _settings_policy(read_settings: ReadSettings) -> Policy:
    def validate(_: StackValidationArgs, report: ReportViolation) -> None:
        try:
            read_settings()
        except PackError as error:
            report(str(error), None)

    what = "What the stack says to the policy pack, in pathways:policies, is understood."
    return StackValidationPolicy("pack-settings", what, validate, EnforcementLevel.MANDATORY)


def _policy(rule: Rule, severity: Severity, read_settings: ReadSettings) -> Policy:
    common: dict[str, Any] = {
        "name": rule.id if severity is rule.severity else f"{rule.id}-{severity}",
        "description": rule.what,
        "enforcement_level": LEVELS[severity],
        "config_schema": CONFIG,
        "remediation_steps": rule.remedy,
    }

    def validate_resource(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if Resource(args.resource_type, args.name).kind in rule.kinds:
            context = _context(rule, read_settings, args.get_config())
            if context:
                _report(findings_of_resource(rule, resource_of(args), context), severity, report)

    def validate_stack(args: StackValidationArgs, report: ReportViolation) -> None:
        context = _context(rule, read_settings, args.get_config())
        if context:
            stack = Stack(map(resource_in_stack, args.resources))
            _report(findings_of(rule, stack, context), severity, report)

    if rule.stack_check:
        return StackValidationPolicy(validate=validate_stack, **common)
    return ResourceValidationPolicy(validate=validate_resource, **common)


def _context(rule: Rule, read_settings: ReadSettings, config: Any) -> Context | None:
    """Return what the rule is to know, or None where it is disabled. A policy's own configuration has the last word."""
    try:
        settings = read_settings()
    except PackError:
        settings = PackSettings()
    if rule.id in settings.disabled:
        return None
    environment = config.get("environment")
    return replace(settings.context, environment=Environment(environment)) if environment else settings.context


def _report(findings: Iterable[Finding], severity: Severity, report: ReportViolation) -> None:
    for finding in findings:
        if finding.severity is severity:
            place = f"{format_path(finding.path)}: " if finding.path else ""
            report(f"{place}{finding.message} {finding.remedy}", finding.resource.urn)
