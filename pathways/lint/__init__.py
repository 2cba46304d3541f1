"""The rules over manifests in YAML files, with the line of everything that is found."""

from pathways.lint.linting import Report, lint
from pathways.lint.manifests import Remark
from pathways.lint.sarif import sarif

__all__ = ["Remark", "Report", "lint", "sarif"]
