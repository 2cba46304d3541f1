"""The documentation page of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from pathways.rules.model import Rule, Use
from pathways.rules.table import SUBJECTS

INTRODUCTION = """\
# Rules

<!-- Written by `python -m pathways.rules`; do not edit. -->

The same rules are asked in three places: in the offline plan, over the program as it is recorded; in the policy pack
(`policies/`), by Pulumi's engine; and by `python -m pathways lint`, over manifests. An error ends the plan and lint
with exit code 1, and is mandatory in the policy pack; a warning is advice. Where dev and prod differ, the stack's
`environment` decides, for lint its option `--environment`.

`pulumi preview --policy-pack policies` asks the pack; a rule that finds errors and warnings is two policies, `RULE` and
`RULE-warning`. Levels are set as Pulumi sets them: `--policy-pack-config FILE` with, for example,
`{"spot-in-dev": "mandatory", "network-mtu": "disabled"}`. A stack does without rules for good by the key
`pathways:policies` of its stack file: `{disabled: [network-mtu]}`; a stack of another program says there, too, which
`environment` it is. Rules over the stack are asked at the end of a preview, and of an update only when it is over: an
update is held up by them only after a preview.
"""
CLOSING = """\
## Checks of others that are not asked

- `node_pool_multi_zone` and `node_pool_autoscaling` (google/gke-policy-automation): a slice is in one zone, and has all
  of its nodes or none.
- `autopilot_cluster` (google/gke-policy-automation): slices are node pools of a Standard cluster.
- CKV_GCP_24 and GCP-0048 (Checkov, Trivy): Kubernetes has no PodSecurityPolicy any more, and the metadata server of GKE
  hides the legacy metadata.
- CKV_GCP_78 and GCP-0078 (versions of objects) for scratch buckets: versions of programs cost, and serve no one.
"""
NAMES_OF_USES = {Use.PLAN: "plan", Use.POLICY: "policies", Use.LINT: "lint"}


def rules_page() -> str:
    """Return the page, in Markdown."""
    return "\n".join([INTRODUCTION, *(_subject(subject, rules) for subject, rules in SUBJECTS.items()), CLOSING])


def _subject(subject: str, rules: tuple[Rule, ...]) -> str:
    return "\n".join([f"## {subject}\n", *(line for rule in rules for line in _rule(rule))])


def _rule(rule: Rule) -> Iterator[str]:
    uses = ", ".join(name for use, name in NAMES_OF_USES.items() if use in rule.uses)
    scope = "the stack" if rule.stack_check else "each resource"
    mild = f"; warning when {rule.mild_when}" if rule.mild_when else ""
    yield f"### {rule.id}\n"
    yield f"{rule.what}\n"
    yield f"- {rule.severity.value.capitalize()}{mild}"
    yield f"- Asked in: {uses}; of {scope}"
    yield f"- Remedy: {rule.remedy}"
    yield f"- Source: {rule.source}\n"
