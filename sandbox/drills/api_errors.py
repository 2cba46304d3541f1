"""The cloud refuses, runs dry and fails while a stack comes up."""

from __future__ import annotations

import json

from sandbox.cloud import NODE_POOL
from sandbox.drills.drill import Drill
from sandbox.drills.stage import Stage
from sandbox.drills.story import StoryFailed
from sandbox.engine.recovery import failed_pools

JOB = "train"
MOST_RUNS = 6
FAULTS = {
    "v6e-0": "429",
    "v6e-1": "500",
    "v6e-2": "stockout",
    "v6e-3": "409",
    "v6e-4": "error-state",
}
"""What befalls the creation of each slice's node pool, once. Source: sandbox/cloud/options.py."""


def _play(stage: Stage) -> None:
    faults = [{"type": NODE_POOL, "name": name, "error": error} for name, error in FAULTS.items()]
    stage.options(timeScale=0, faults=faults)
    stage.story.mark("deploying while " + ", ".join(f"{name} meets {error}" for name, error in FAULTS.items()))
    errors: list[str] = []
    in_error: set[str] = set()
    runs = 0
    while True:
        stage.session.recover(stage.quiet)
        done = stage.up()
        runs += 1
        in_error |= {record.id.rsplit("/", 1)[-1] for record in failed_pools(stage.session.home)}
        if done.ok:
            stage.story.tell(f"run {runs} comes up")
            break
        errors += done.errors
        for error in done.errors:
            stage.story.tell(f"run {runs}: {error}")
        if runs == MOST_RUNS:
            raise StoryFailed(f"{runs} runs, and the stack does not stand")
    stage.await_whole(JOB)
    stage.story.picture(stage.look())
    _each_ended_as_on_gke(stage, errors, in_error)
    stage.story.figure("runs until all stands", runs, unit="", limit=MOST_RUNS)
    stage.story.figure("first run to all pods Running", stage.story.seconds)


def _each_ended_as_on_gke(stage: Stage, errors: list[str], in_error: set[str]) -> None:
    """429 is waited out; 409 and 500 end the run, and the next goes on; a pool in ERROR is there, and is made anew."""
    told = " ".join(errors)
    retries = _retries(stage, "v6e-0")
    stage.story.expect("429" not in told and retries == [1], "429 is waited out, and nobody hears of it", retries)
    stage.story.expect("500" in told or "Internal error" in told, "500 ends a run with its words", told)
    stage.story.expect("409" in told, "409 ends a run with its words", told)
    stage.story.expect("GCE_STOCKOUT" in told, "the stockout is named", told)
    stage.story.expect(in_error == {"v6e-2", "v6e-4"}, "pools in ERROR are found and made anew", sorted(in_error))


def _retries(stage: Stage, slice_: str) -> list[int]:
    """Return how often the creation of a slice's node pool was tried again, for each refusal that it met."""
    journal = (stage.session.home.cloud / "journal.jsonl").read_text().splitlines()
    return [
        retry["count"]
        for entry in map(json.loads, journal)
        if entry["type"] == NODE_POOL and entry["call"] == "create" and entry["name"].endswith(slice_)
        for retry in entry["retries"]
    ]


DRILL = Drill("api-errors", "the cloud answers 409, 429, 500, a stockout and a pool in ERROR; each `up` goes on", _play)
