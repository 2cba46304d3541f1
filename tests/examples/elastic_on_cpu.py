"""Runs examples/elastic/train.py on eight CPU devices, as two slices of four, and takes a slice away meanwhile.

Run by the examples' own Python: `elastic_on_cpu.py FOLDER LOST_AT BACK_AT`, steps at which the second slice is lost and
is back; 0 for neither. Prints one JSON line a step. The program is unaware: devices get a slice, a lost one fails its
health check, its arrays are gone, and the step under way ends as Pathways ends it.
"""

import json
import os
import sys
import threading
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
from pathwaysutils.elastic import elastic

folder, lost_at, back_at = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, folder)

import train  # noqa: E402

DEVICES_PER_SLICE = 4
LOST = 1
lost: set[int] = set()
losses = []


def by_slice(devices):
    found = {}
    for device in devices:
        found.setdefault(device.id // DEVICES_PER_SLICE, []).append(device)
    return found


health_of = elastic.get_active_slice_indices


def health(*arguments, **options):
    return frozenset(health_of(*arguments, **options)) - lost


def lose():
    lost.add(LOST)
    for array in jax.live_arrays():
        if not array.is_deleted() and any(device.id // DEVICES_PER_SLICE == LOST for device in array.devices()):
            array.delete()
    # Where all slices are waited for, nothing reports a step until it is back.
    if train.MINIMUM_SLICES == 2:
        threading.Timer(3 * train.POLL_SECONDS, lost.clear).start()
    raise jax.errors.JaxRuntimeError("DATA_LOSS: a device of slice 1 is gone")


def report(step, loss, slices, batch):
    if lost_at and step == lost_at and not losses:
        losses.append(step)
        lose()
    if back_at and step == back_at and losses:
        lost.clear()
        deadline = time.monotonic() + 30
        while not slices.available_inactive_slices and time.monotonic() < deadline:
            time.sleep(0.05)
    told = {"step": step, "loss": loss, "slices": slices.active_slice_count, "first": int(batch["index"][0])}
    print(json.dumps(told), flush=True)


elastic.get_slice_to_devices = by_slice
elastic.get_active_slice_indices = health
train.report = report
state = train.train()
print(json.dumps({"final": [float(abs(value).sum()) for value in jax.tree.leaves(state)]}))
