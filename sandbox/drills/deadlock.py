"""Two jobs that each need most of a group are submitted together."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from pathways.manifests import manifest_of
from pathways.manifests.labels import GROUP_LABEL, GROUP_SIZE_LABEL
from pathways.settings import parse_settings, read_stack_file
from sandbox.cluster_view import JOB, JobSet
from sandbox.drills.drill import Drill
from sandbox.drills.stage import NAMESPACE, Stage

JOBS = ("blue", "green")
SLICES_EACH = 3
"""Of the four that the group has."""
SETTLED_SECONDS = 2.0
"""How long nothing must change until a schedule counts as settled."""
LONGEST_PAUSE_SECONDS = 0.04
"""Between the submission of the two, which the seed decides."""

Manifest = dict[str, Any]


def _play(stage: Stage) -> None:
    stage.deploy()
    ours = [_ours(name, "shared", SLICES_EACH) for name in JOBS]
    stuck = sum(_submit_bare(stage, ours, seed) for seed in range(stage.seeds))
    stage.story.figure("schedules in which bare JobSets wait for each other", stuck, unit=f"of {stage.seeds}")
    whole = sum(_submit_ours(stage, ours, seed) for seed in range(stage.seeds))
    stage.story.figure("schedules in which one of ours runs whole", whole, unit=f"of {stage.seeds}")
    spread = sum(_submit_recipe(stage, seed) for seed in range(stage.seeds))
    stage.story.figure(
        "schedules in which the documents' affinity spreads a job over groups", spread, unit=f"of {stage.seeds}"
    )


def _submit_bare(stage: Stage, ours: Sequence[Manifest], seed: int) -> bool:
    """Returns whether both jobs are left with a part of their slices."""
    with _submitted(stage, [_without_affinity(job) for job in ours], seed, "bare JobSets"):
        placed = _settled(stage)
        stage.story.picture(stage.look())
        return all(0 < count < SLICES_EACH for count in placed.values())


def _submit_ours(stage: Stage, ours: Sequence[Manifest], seed: int) -> bool:
    """Returns True; the story fails where not one of the jobs is whole and the other has nothing."""
    with _submitted(stage, ours, seed, "our JobSets"):
        placed = _settled(stage)
        stage.story.picture(stage.look())
        stage.story.expect(
            sorted(placed.values()) == [0, SLICES_EACH], "one job runs whole, the other waits without a slice", placed
        )
        first = max(placed, key=lambda name: placed[name])
        stage.await_whole(first)
        stage.client.delete(JobSet, first, namespace=NAMESPACE)
        (second,) = set(JOBS) - {first}
        stage.await_whole(second)
        return True


def _submit_recipe(stage: Stage, seed: int) -> bool:
    """Returns whether a job of two slices, which two groups could each hold, is placed in both."""
    job = _by_the_documents(_ours("spread", "g0", 2))
    with _submitted(stage, [job], seed, "the documents' recipe, two groups free"):
        stage.await_whole("spread")
        stage.story.picture(stage.look())
        return len({pool.rsplit("-", 1)[0] for pool in stage.pools_of("spread").values()}) > 1


def _ours(name: str, group: str, slices: int) -> Manifest:
    """Returns the JobSet of a multislice workload, as the product writes it."""
    platform = read_stack_file(DRILL.stack_file)["config"]["pathways:platform"]
    workload = {"name": name, "kind": "multislice", "slices": {"group": group, "count": slices}, "image": "python:3.13"}
    settings = parse_settings(
        {**platform, "workloads": [workload]}, project="drills", stack=DRILL.stack, source=str(DRILL.stack_file)
    )
    return manifest_of(settings, settings.workloads[0])


def _pod(jobset: Manifest) -> Manifest:
    pod: Manifest = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return pod


def _without_affinity(jobset: Manifest) -> Manifest:
    bare = deepcopy(jobset)
    _pod(bare).pop("affinity")
    return bare


def _by_the_documents(jobset: Manifest) -> Manifest:
    """Binds a job by affinity to its own pods and by the group's size, and not by the group's name."""
    recipe = deepcopy(jobset)
    pod, name = _pod(recipe), jobset["metadata"]["name"]
    own = {"key": JOB, "operator": "In", "values": [name]}
    term = {"topologyKey": GROUP_LABEL, "labelSelector": {"matchExpressions": [own]}}
    pod["affinity"]["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    del pod["nodeSelector"][GROUP_LABEL]
    pod["nodeSelector"][GROUP_SIZE_LABEL] = "2"
    return recipe


@contextmanager
def _submitted(stage: Stage, jobs: Sequence[Manifest], seed: int, what: str) -> Iterator[None]:
    """Submits jobs in an order and with a pause that the seed decides; takes them away at the end."""
    chance = random.Random(seed)
    order = chance.sample(list(jobs), len(jobs))
    names = [job["metadata"]["name"] for job in order]
    stage.story.mark(f"{what}, seed {seed}: {' then '.join(names)}")
    for number, job in enumerate(order):
        time.sleep(chance.uniform(0, LONGEST_PAUSE_SECONDS) if number else 0)
        stage.client.create(JobSet(**job))
    try:
        yield
    finally:
        for name in names:
            stage.delete_job(name)
        stage.await_that(lambda: not any(stage.pods(name) for name in names), "the jobs are gone")


def _settled(stage: Stage) -> dict[str, int]:
    """Returns how many slices each job has once nothing has changed for a while."""
    seen, since = _slices(stage), time.monotonic()
    while time.monotonic() - since < SETTLED_SECONDS or not any(seen.values()):
        time.sleep(0.1)
        if (now := _slices(stage)) != seen:
            seen, since = now, time.monotonic()
    stage.story.tell(", ".join(f"{name} has {count} of {SLICES_EACH} slices" for name, count in seen.items()))
    return seen


def _slices(stage: Stage) -> dict[str, int]:
    return {name: len(stage.pools_of(name)) for name in JOBS}


DRILL = Drill(
    "deadlock", "two jobs that each need most of a group: bare JobSets may both starve, ours never do", _play, seeds=5
)
