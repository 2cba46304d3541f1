"""Train through the loss and the return of slices.

One controller sees every device through Pathways. When a slice is lost, the attempt under way ends, the next one goes
on from a snapshot in the hosts' memory: with the slices that are left, or, where MINIMUM_SLICE_COUNT is all of them,
once they are back. A slice that returns is taken in between two steps, without a snapshot.
"""

import os

import grain
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
import pathwaysutils
from grain.experimental import ElasticIterator
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from pathwaysutils.elastic import manager

FEATURES, HIDDEN = 16, 32
GLOBAL_BATCH = 24
LEARNING_RATE = 0.05

FINAL_STEP = int(os.environ.get("FINAL_STEP", "200"))
SNAPSHOT_INTERVAL = int(os.environ.get("SNAPSHOT_INTERVAL", "10"))
MINIMUM_SLICES = int(os.environ.get("MINIMUM_SLICE_COUNT", "1"))
POLL_SECONDS = float(os.environ.get("POLL_SECONDS", "10"))
RETRIES = manager.ElasticRetryLimit(max_attempts=10)


def create_mesh(slices: manager.Manager) -> Mesh:
    """Returns a mesh of the active slices: a replica of the model on each, the model over the chips of a slice."""
    devices = [slices.slice_to_devices[index] for index in sorted(slices.active_slice_indices)]
    return Mesh(np.asarray(devices), axis_names=("replica", "model"))


def example(index: int) -> dict[str, np.ndarray]:
    """Returns an example of the data set: a vector and what is to be learnt of it."""
    x = np.random.default_rng(index).normal(size=FEATURES).astype(np.float32)
    return {"index": np.int32(index), "x": x, "y": np.float32(np.sin(x).sum())}


def open_data() -> ElasticIterator:
    """Returns the batches. Their position is one for all slices, so it outlives a change of their number."""
    dataset = grain.MapDataset.range(1_000_000).map(example)
    everything = grain.sharding.ShardOptions(shard_index=0, shard_count=1)
    return ElasticIterator(dataset, global_batch_size=GLOBAL_BATCH, shard_options=everything)


def loss_of(state: dict[str, jax.Array], batch: dict[str, jax.Array]) -> jax.Array:
    predicted = jnp.tanh(batch["x"] @ state["inner"]) @ state["outer"]
    return jnp.mean((predicted[:, 0] - batch["y"]) ** 2)


@jax.jit
def train_step(state: dict[str, jax.Array], batch: dict[str, jax.Array]) -> tuple[dict[str, jax.Array], jax.Array]:
    loss, gradient = jax.value_and_grad(loss_of)(state, batch)
    return jax.tree.map(lambda value, slope: value - LEARNING_RATE * slope, state, gradient), loss


def shardings(mesh: Mesh) -> dict[str, NamedSharding]:
    """Returns where the state lives: the same on every slice, which is what lets one be lost."""
    return {"inner": NamedSharding(mesh, P(None, "model")), "outer": NamedSharding(mesh, P("model", None))}


def initial_state(mesh: Mesh) -> dict[str, jax.Array]:
    keys = jax.random.split(jax.random.key(0))
    state = {
        "inner": jax.random.normal(keys[0], (FEATURES, HIDDEN)) / FEATURES**0.5,
        "outer": jax.random.normal(keys[1], (HIDDEN, 1)) / HIDDEN**0.5,
    }
    return jax.device_put(state, shardings(mesh))


def place(batch: dict[str, np.ndarray], mesh: Mesh) -> dict[str, jax.Array]:
    """Returns the batch on the devices, a part of it on each slice."""
    return jax.device_put(batch, NamedSharding(mesh, P("replica")))


def report(step: int, loss: float, slices: manager.Manager, batch: dict[str, np.ndarray]) -> None:
    first, count = batch["index"][0], slices.active_slice_count
    print(f"step {step}: loss {loss:.6f} on {count} slices, examples from {first}", flush=True)


def train() -> dict[str, jax.Array]:
    """Trains to FINAL_STEP and returns the state."""
    slices = manager.Manager()
    snapshots = ocp.v1.training.pathways.Snapshotter(replica_axis_index=0)

    @slices.elastic_retry(
        minimum_slice_count=MINIMUM_SLICES, poll_interval=POLL_SECONDS, timeout=3600, retry_policy=RETRIES
    )
    def attempt() -> dict[str, jax.Array]:
        mesh, data, step = create_mesh(slices), open_data(), 0
        state = initial_state(mesh)
        snapshots.join()
        if snapshots.latest is not None:
            saved = snapshots.load({"state": state, "step": step, "data": data.get_state()})
            state, step = saved["state"], int(saved["step"]) + 1
            data.set_state(saved["data"])

        while step < FINAL_STEP:
            batch = next(data)
            state, loss = train_step(state, place(batch, mesh))
            report(step, float(loss), slices, batch)  # float() waits: a lost slice is noticed here
            if step % SNAPSHOT_INTERVAL == 0:
                snapshots.save(step, {"state": state, "step": step, "data": data.get_state()})
            if slices.available_inactive_slices:
                slices.active_slice_indices |= slices.available_inactive_slices
                mesh = create_mesh(slices)
                state = jax.device_put(state, shardings(mesh))
            step += 1
        return state

    state = attempt()
    snapshots.join()
    return state


if __name__ == "__main__":
    pathwaysutils.initialize()
    train()
