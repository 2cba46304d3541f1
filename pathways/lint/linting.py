"""Asks the rules about manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pathways.gcp import format_path
from pathways.lint.manifests import Manifest, Remark, read_manifests
from pathways.rules import Context, Environment, Finding, Severity, Use, check
from pathways.wording import on_one_line, plain


@dataclass(frozen=True)
class Report:
    """files: that were read. manifests: how many of them are of a kind that rules know. remarks: by file and line."""

    files: tuple[str, ...]
    manifests: int
    remarks: tuple[Remark, ...]

    @property
    def errors(self) -> int:
        return sum(remark.severity is Severity.ERROR for remark in self.remarks)

    @property
    def warnings(self) -> int:
        return len(self.remarks) - self.errors


def lint(contents: Mapping[str, bytes], environment: Environment) -> Report:
    """Return what there is to say about files. contents: of each file, by the name that the report shall give it.

    All manifests are looked at together: a job is held against queues and priorities of any of the files.
    """
    manifests: list[Manifest] = []
    remarks: list[Remark] = []
    for file, content in contents.items():
        for read in read_manifests(file, content):
            manifests.append(read) if isinstance(read, Manifest) else remarks.append(read)
    origins = {id(manifest.resource): manifest for manifest in manifests}
    context = Context(environment=environment, whole=False)
    findings = check([manifest.resource for manifest in manifests], context, Use.LINT)
    remarks += (_remark(finding, origins[id(finding.resource)]) for finding in findings)
    order = {file: index for index, file in enumerate(contents)}
    remarks.sort(key=lambda remark: (order[remark.file], remark.line))
    return Report(tuple(contents), len(manifests), tuple(remarks))


def _remark(finding: Finding, manifest: Manifest) -> Remark:
    kind = finding.resource.kind.rpartition("/")[2]
    return Remark(
        file=manifest.file,
        line=manifest.line(finding.path),
        severity=finding.severity,
        rule=finding.rule.id,
        resource=f"{kind} {plain(finding.resource.name)}",
        path=on_one_line(format_path(finding.path)),
        message=finding.message,
        remedy=finding.remedy,
    )
