"""Two jobs that each need most of a group are submitted together."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import Any

from pathways.manifests import manifest_of
from pathways.manifests.labels import GROUP_LABEL, GROUP_SIZE_LABEL
from pathways.settings import parse_settings, read_stack_file
from sandbox.cluster_view import JOB, JobSet
from sandbox.drills.drill import Drill
from sandbox.drills.stage import NAMESPACE, Stage

JOBS = ("blue", "green")
SLICES_EACH = 5
"""Of the six that the group has."""
SETTLED_SECONDS = 2.0
"""How long nothing must change until a schedule counts as settled."""
MOST_TRIES = 4
"""How many times the seeds are tried to show what chance brings about."""
LONGEST_PAUSE_SECONDS = 0.005
"""Between the submission of the two, which the seed decides."""

Manifest = dict[str, Any]


def _play(stage: Stage) -> None:
    stage.deploy()
    ours = [_ours(name, "shared", SLICES_EACH) for name in JOBS]
    stuck = _submit_bare_until_stuck(stage, ours)
    stage.story.figure("schedules in which bare JobSets wait for each other", sum(stuck), unit=f"of {len(stuck)}")
    whole = sum(_submit_ours(stage, ours, seed) for seed in range(stage.seeds))
    stage.story.figure("schedules in which one of ours runs whole", whole, unit=f"of {stage.seeds}")
    spread = sum(_submit_recipe(stage, seed) for seed in range(stage.seeds))
    stage.story.figure(
        "schedules in which the documents' affinity spreads a job over groups", spread, unit=f"of {stage.seeds}"
    )


def _submit_bare_until_stuck(stage: Stage, ours: Sequence[Manifest]) -> list[bool]:
    """Returns for each schedule whether it leaves both jobs waiting. Others are tried until one does, up to a limit."""
    stuck: list[bool] = []
    while len(stuck) < stage.seeds or (not any(stuck) and len(stuck) < MOST_TRIES * stage.seeds):
        stuck.append(_submit_bare(stage, ours, seed=len(stuck)))
    return stuck


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
    """Returns whether a job of two slices is spread over two groups, though it is to wait for one that is free."""
    busy = [_without_affinity(_ours(f"busy-{group}", group, 1)) for group in ("g0", "g1")]
    job = _by_the_documents(_ours("spread", "g0", 2))
    with _submitted(stage, busy, seed, "one of two slices is busy in g0 and in g1"):
        for name in ("busy-g0", "busy-g1"):
            stage.await_whole(name)
        with _submitted(stage, [job], seed, "a job of two slices by the documents' recipe"):
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
    """Binds a job to a group as Google's document on Multislice in GKE does: by affinity, and by the group's size.

    The affinity does not hold beside JobSet's own, and the anti-affinity looks for namespaces with a label of pods.
    """
    recipe = deepcopy(jobset)
    pod, name = _pod(recipe), jobset["metadata"]["name"]
    own = {"key": JOB, "operator": "In", "values": [name]}
    term = {"topologyKey": GROUP_LABEL, "labelSelector": {"matchExpressions": [own]}}
    others = {
        "topologyKey": GROUP_LABEL,
        "labelSelector": {"matchExpressions": [{**own, "operator": "NotIn"}]},
        "namespaceSelector": {"matchExpressions": [{"key": JOB, "operator": "Exists"}]},
    }
    pod["affinity"] = {
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [others]},
    }
    del pod["nodeSelector"][GROUP_LABEL]
    pod["nodeSelector"][GROUP_SIZE_LABEL] = "2"
    return recipe


@contextmanager
def _submitted(stage: Stage, jobs: Sequence[Manifest], seed: int, what: str) -> Iterator[None]:
    """Submits jobs at once, but for an order and a pause that the seed decides; takes them away at the end."""
    chance = random.Random(seed)
    order = chance.sample(list(jobs), len(jobs))
    names = [job["metadata"]["name"] for job in order]
    stage.story.mark(f"{what}, seed {seed}: {' then '.join(names)}")
    pauses = [0.0, *(chance.uniform(0, LONGEST_PAUSE_SECONDS) for _ in order[1:])]
    with ThreadPoolExecutor(len(order)) as at_once:
        list(at_once.map(partial(_submit, stage), order, pauses))
    try:
        yield
    finally:
        for name in names:
            stage.delete_job(name)
        stage.await_that(lambda: not any(stage.pods(name) for name in names), "the jobs are gone")


def _submit(stage: Stage, job: Manifest, pause: float) -> None:
    time.sleep(pause)
    stage.client.create(JobSet(**job))


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
