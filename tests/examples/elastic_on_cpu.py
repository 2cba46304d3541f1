"""Runs examples/elastic/train.py on eight CPU devices as two slices of four, and takes slices away meanwhile.

Run by the examples' own Python: `elastic_on_cpu.py FOLDER EVENTS`. EVENTS, in JSON: what happens once so many
steps have been taken, as [[STEPS, "lose" | "return", SLICE], ...]; STEPS below zero are seconds after the event before.
Prints the program's own lines, a line for each event, and last the final state.

The program is as its users have it. What CPU devices lack is supplied from outside: each belongs to a slice; a lost one
fails its health check, its arrays are gone, snapshots included, and the step under way raises what Pathways raises.
"""

import json
import sys
import threading
import time
from collections import defaultdict

import jax
import numpy as np
import orbax.checkpoint as ocp
from pathwaysutils.elastic import elastic, manager

folder, events = sys.argv[1], json.loads(sys.argv[2])
sys.path.insert(0, folder)

import train  # noqa: E402

DEVICES_PER_SLICE = 4
SECONDS = 60  # after which something has gone wrong
Snapshotter = ocp.v1.training.pathways.Snapshotter
lost: set[int] = set()
made: dict[type, object] = {}
taken = 0


def slice_of(device):
    return device.id // DEVICES_PER_SLICE


def by_slice(devices):
    slices = defaultdict(list)
    for device in devices:
        slices[slice_of(device)].append(device)
    return dict(slices)


def noted(kind):
    """Makes the one instance that the program has of a class known here."""
    initialize = kind.__init__

    def initialize_and_note(self, *arguments, **options):
        initialize(self, *arguments, **options)
        made[kind] = self

    kind.__init__ = initialize_and_note


def happen(what, index):
    print(f"{what} {index}", flush=True)
    if what == "lose":
        made[Snapshotter].join()
        lost.add(index)
        for array in jax.live_arrays():
            if not array.is_deleted() and any(slice_of(device) == index for device in array.devices()):
                array.delete()
        return
    lost.discard(index)


def until_found(index):
    deadline = time.monotonic() + SECONDS
    while index not in made[manager.Manager].available_inactive_slices:
        assert time.monotonic() < deadline, f"slice {index} is not found again"
        time.sleep(0.01)


def step_of(train_step):
    def step(state, batch):
        global taken
        while events and events[0][0] == taken:
            _, what, index = events.pop(0)
            happen(what, index)
            if what == "return":
                until_found(index)
                continue
            if events and events[0][0] < 0:
                seconds, *event = events.pop(0)
                threading.Timer(-seconds, happen, event).start()
            raise jax.errors.JaxRuntimeError(f"DATA_LOSS: devices of slice {index} are gone")
        taken += 1
        return train_step(state, batch)

    return step


def save_in_turn(save):
    """A snapshot is left out while two are under way, which on a busy machine would be up to chance."""

    def save_after_the_last(self, step, state):
        self.join()
        save(self, step, state)

    return save_after_the_last


health_of = elastic.get_active_slice_indices
elastic.get_active_slice_indices = lambda *arguments, **options: health_of(*arguments, **options) - lost
elastic.get_slice_to_devices = by_slice
noted(manager.Manager)
noted(Snapshotter)
Snapshotter.save = save_in_turn(Snapshotter.save)
train.train_step = step_of(train.train_step)
final = train.train()
assert not events, f"did not come to {events}"
print(json.dumps({name: np.asarray(value).ravel().tolist() for name, value in final.items()}))
