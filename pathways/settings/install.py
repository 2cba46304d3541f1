"""What is installed in the cluster besides the jobs, in which version and from where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import model_validator

from pathways.settings.base import Fault, Settings, Text, defaults, must_hold

JOBSET_CHART = "oci://registry.k8s.io/jobset/charts/jobset"
KUEUE_CHART = "oci://registry.k8s.io/kueue/charts/kueue"
PATHWAYS_JOB_MANIFEST = "https://github.com/google/pathways-job/releases/download/v{version}/install.yaml"

JOBSET_OF_CONTROLLER: Final = "0.11.1"
"""The PathwaysJob controller 0.1.4 panics on a condition that JobSet 0.12 added."""
JOBSET_ALONE: Final = "0.12.0"
"""It restarts a slice alone, behind the alpha gate RestartJob."""

KUEUE_VERSION: Final = "0.17.0"

JOBSET_VERSIONS = (JOBSET_OF_CONTROLLER, JOBSET_ALONE)


class JobSetInstall(Settings):
    """The JobSet controller."""

    enabled: bool = True
    """Whether the stack installs it; without, whoever made the cluster has done so, in this version."""

    version: Literal["0.11.1", "0.12.0"] = JOBSET_OF_CONTROLLER
    """Version, without a leading v; absent: 0.11.1 with the PathwaysJob controller, else 0.12.0."""
    source: Text | None = None
    """Chart: an OCI reference or a local folder; absent: the published one."""

    @property
    def location(self) -> str:
        return self.source or JOBSET_CHART


class PathwaysJobInstall(Settings):
    """The PathwaysJob custom resource and its controller."""

    enabled: bool = True
    """Without it, Pathways jobs are JobSets that the stack writes itself, which can do more and recover faster."""
    version: Literal["0.1.4"] = "0.1.4"
    """Version, without a leading v."""
    source: Text | None = None
    """Manifest: a URL or a local file; absent: the published one."""

    @property
    def location(self) -> str:
        return self.source or PATHWAYS_JOB_MANIFEST.format(version=self.version)


class KueueInstall(Settings):
    """The Kueue controller, which is installed where there are queues."""

    version: Literal["0.17.0"] = KUEUE_VERSION
    """Version, without a leading v."""
    source: Text | None = None
    """Chart: an OCI reference or a local folder; absent: the published one."""

    @property
    def location(self) -> str:
        return self.source or KUEUE_CHART


class InstallSettings(Settings):
    """Versions that are known to work together."""

    jobset: JobSetInstall = defaults(JobSetInstall)
    pathways_job: PathwaysJobInstall = defaults(PathwaysJobInstall)
    kueue: KueueInstall = defaults(KueueInstall)

    @model_validator(mode="before")
    @classmethod
    def _derive(cls, written: Any) -> Any:
        """Fill in the version of JobSet that goes with the PathwaysJob controller, or without it."""
        if not isinstance(written, dict) or not isinstance(written.get("jobset", {}), dict):
            return written
        version = JOBSET_OF_CONTROLLER if has_controller(written) else JOBSET_ALONE
        return {**written, "jobset": {"version": version, **written.get("jobset", {})}}

    @must_hold
    def _is_a_pair_that_works(self) -> Iterator[Fault]:
        if self.pathways_job.enabled and self.jobset.version != JOBSET_OF_CONTROLLER:
            yield Fault(
                ("jobset", "version"),
                f"{self.jobset.version} makes the PathwaysJob controller {self.pathways_job.version} fail; legal with"
                f" it: {JOBSET_OF_CONTROLLER}; or write pathwaysJob: {{enabled: false}}",
            )


def has_controller(written: Any) -> bool:
    """Return whether the mapping `install`, as it is written, has the PathwaysJob controller."""
    pathways_job = written.get("pathwaysJob") if isinstance(written, dict) else None
    return not isinstance(pathways_job, dict) or pathways_job.get("enabled") is not False


def can_restart_slices(written: Any) -> bool:
    """Return whether the mapping `install`, as it is written, has a JobSet that can restart a slice alone."""
    jobset = written.get("jobset") if isinstance(written, dict) else None
    version = jobset.get("version", JOBSET_ALONE) if isinstance(jobset, dict) else JOBSET_ALONE
    return not has_controller(written) and version == JOBSET_ALONE
