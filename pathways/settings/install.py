"""What is installed in the cluster besides the jobs, in which version and from where."""

from __future__ import annotations

from typing import Literal

from pathways.settings.base import Settings, Text, defaults

JOBSET_CHART = "oci://registry.k8s.io/jobset/charts/jobset"
PATHWAYS_JOB_MANIFEST = "https://github.com/google/pathways-job/releases/download/v{version}/install.yaml"


class JobSetInstall(Settings):
    """The JobSet controller. The PathwaysJob controller 0.1.4 fails on a condition that JobSet 0.12 added."""

    version: Literal["0.11.1"] = "0.11.1"
    """Version, without a leading v."""
    source: Text | None = None
    """Chart: an OCI reference or a local folder; absent: the published one."""

    @property
    def location(self) -> str:
        return self.source or JOBSET_CHART


class PathwaysJobInstall(Settings):
    """The PathwaysJob custom resource and its controller."""

    version: Literal["0.1.4"] = "0.1.4"
    """Version, without a leading v."""
    source: Text | None = None
    """Manifest: a URL or a local file; absent: the published one."""

    @property
    def location(self) -> str:
        return self.source or PATHWAYS_JOB_MANIFEST.format(version=self.version)


class InstallSettings(Settings):
    """Versions that are known to work together."""

    jobset: JobSetInstall = defaults(JobSetInstall)
    pathways_job: PathwaysJobInstall = defaults(PathwaysJobInstall)
