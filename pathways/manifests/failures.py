"""What a JobSet does when one of its jobs fails."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from pathways.manifests.objects import Manifest
from pathways.settings import Job

BY_POD_FAILURE_POLICY = "PodFailurePolicy"
"""Why a Job failed at once, and not by its back-off limit. Source: Kubernetes, Job API."""
EXIT_CODE_IN_MESSAGE = "failed with exit code [0-9]+ matching"
"""How Kubernetes words it when a pod failure policy matched an exit code, and not that the pod was taken away."""
DISRUPTED = {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
"""A pod was evicted, preempted, or lost with its node. Source: Kubernetes documentation, Pod disruption conditions."""


def pod_failure_policy(job: Job, container: str | None) -> Manifest | None:
    """Return how the pods of a Job fail it, None where any failure is like another. container: the job's own."""
    rules: list[Manifest] = []
    if container and job.no_restart_on_exit_codes:
        codes = {"containerName": container, "operator": "In", "values": sorted(set(job.no_restart_on_exit_codes))}
        rules.append({"action": "FailJob", "onExitCodes": codes})
    if not job.maintenance_counts:
        rules.append(deepcopy(DISRUPTED))
    return {"rules": rules} if rules else None


def failure_policy(job: Job, restarting_alone: Sequence[str] = ()) -> Manifest:
    """Return the failure policy of a JobSet. restarting_alone: replicated jobs whose Jobs start again by themselves.

    The first rule that matches acts; where none does, the whole JobSet restarts, and that counts.
    Source: JobSet 0.11.1 and 0.12.0, failure policy.
    """
    rules: list[Manifest] = []
    if job.no_restart_on_exit_codes:
        rules.append(
            {
                "name": "exitCode",
                "action": "FailJobSet",
                "onJobFailureReasons": [BY_POD_FAILURE_POLICY],
                "onJobFailureMessagePatterns": [EXIT_CODE_IN_MESSAGE],
            }
        )
    if restarting_alone:
        rules.append(
            {
                "name": "slice",
                "action": "RestartJobAndIgnoreMaxRestarts",
                "targetReplicatedJobs": list(restarting_alone),
            }
        )
    if not job.maintenance_counts:
        rules.append(
            {
                "name": "maintenance",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": [BY_POD_FAILURE_POLICY],
            }
        )
    policy: Manifest = {"maxRestarts": job.job_restarts} if job.job_restarts else {}
    return {**policy, "rules": rules} if rules else policy
