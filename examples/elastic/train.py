"""Train through the loss and the return of slices.

One program sees all devices of all slices, through Pathways. When a slice is lost, the step under way raises, the
attempt ends, and the next attempt goes on from a snapshot in the memory of the hosts that are left. MINIMUM_SLICE_COUNT
says with how many slices: fewer than all, and training goes on smaller and takes a returning slice in between two
steps; all of them (or unset), and training pauses until they are back.
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
GLOBAL_BATCH = 24  # examples a step, however many slices: each number of them that may be active must divide it
LEARNING_RATE = 0.05

FINAL_STEP = int(os.environ.get("FINAL_STEP", "10000"))
SNAPSHOT_INTERVAL = int(os.environ.get("SNAPSHOT_INTERVAL", "10"))
POLL_SECONDS = float(os.environ.get("POLL_SECONDS", "10"))
WAIT_SECONDS = 3600  # for slices to come back, before the job fails
MINIMUM_SLICES = int(os.environ.get("MINIMUM_SLICE_COUNT", "0")) or None  # set by the stack for elastic jobs
LOADER_THREADS = int(os.environ.get("DATA_LOADER_WORKERS", "4"))  # set by the stack: the CPUs that the program has

State = dict[str, jax.Array]


def create_mesh(slices: manager.Manager) -> Mesh:
    """Returns a mesh of the active slices: a replica of the model on each, the model over the chips of a slice."""
    devices = [slices.slice_to_devices[index] for index in sorted(slices.active_slice_indices)]
    return Mesh(np.asarray(devices), axis_names=("replica", "model"))


def shardings(mesh: Mesh) -> dict[str, NamedSharding]:
    """Returns where the state lives: the same on every slice, which is what makes one of them dispensable."""
    return {"inner": NamedSharding(mesh, P(None, "model")), "outer": NamedSharding(mesh, P("model", None))}


def initial_values() -> State:
    inner, outer = jax.random.split(jax.random.key(0))
    return {
        "inner": jax.random.normal(inner, (FEATURES, HIDDEN)) / FEATURES**0.5,
        "outer": jax.random.normal(outer, (HIDDEN, 1)) / HIDDEN**0.5,
    }


def initial_state(mesh: Mesh) -> State:
    return jax.jit(initial_values, out_shardings=shardings(mesh))()


def abstract_state(mesh: Mesh) -> dict[str, jax.ShapeDtypeStruct]:
    """Returns shapes and places of the state without the state, so that a restore needs its memory once."""
    return jax.tree.map(
        lambda value, place: jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=place),
        jax.eval_shape(initial_values),
        shardings(mesh),
    )


def loss_of(state: State, batch: dict[str, jax.Array]) -> jax.Array:
    predicted = jnp.tanh(batch["x"] @ state["inner"]) @ state["outer"]
    return jnp.mean((predicted[:, 0] - batch["y"]) ** 2)


@jax.jit  # compiles again for a mesh that it has not seen
def train_step(state: State, batch: dict[str, jax.Array]) -> tuple[State, jax.Array]:
    loss, gradient = jax.value_and_grad(loss_of)(state, batch)
    return jax.tree.map(lambda value, slope: value - LEARNING_RATE * slope, state, gradient), loss


def example(index: int) -> dict[str, np.ndarray]:
    """Returns an example of the data set: a vector and what is to be learnt of it."""
    x = np.random.default_rng(index).normal(size=FEATURES).astype(np.float32)
    return {"index": np.int32(index), "x": x, "y": np.float32(np.sin(x).sum())}


def open_data() -> grain.DatasetIterator:
    """Returns an iterator over batches. It keeps one position for all slices, which outlives a change of their number;
    and one shard, as one program feeds all slices."""
    batches = ElasticIterator(
        grain.MapDataset.range(1_000_000).map(example),
        global_batch_size=GLOBAL_BATCH,
        shard_options=grain.sharding.ShardOptions(shard_index=0, shard_count=1),
        read_options=grain.ReadOptions(num_threads=LOADER_THREADS),
    )
    return iter(batches)


def train() -> State:
    """Trains to FINAL_STEP and returns the state."""
    slices = manager.Manager()  # these two outlive the attempts
    snapshots = ocp.v1.training.pathways.Snapshotter(replica_axis_index=0)

    @slices.elastic_retry(
        minimum_slice_count=MINIMUM_SLICES,
        poll_interval=POLL_SECONDS,
        timeout=WAIT_SECONDS,
        retry_policy=manager.ElasticRetryLimit(max_attempts=10),
    )
    def attempt() -> State:
        mesh, data, step = create_mesh(slices), open_data(), 0
        snapshots.join()
        if snapshots.latest is None:
            state = initial_state(mesh)
        else:
            saved = snapshots.load({"state": abstract_state(mesh), "step": step, "data": data.get_state()})
            state, step = saved["state"], saved["step"] + 1
            data.set_state(saved["data"])

        while step < FINAL_STEP:
            batch = next(data)
            on_devices = jax.device_put(batch, NamedSharding(mesh, P("replica")))
            state, loss = train_step(state, on_devices)
            # float() waits for the step: a lost slice is noticed here.
            print(
                f"step {step}: loss {float(loss):.6f}, slices {slices.active_slice_count},"
                f" examples from {batch['index'][0]}",
                flush=True,
            )

            grows = bool(slices.available_inactive_slices)  # kept up to date by a thread of the manager
            if grows:
                slices.active_slice_indices |= slices.available_inactive_slices
                mesh = create_mesh(slices)
                state = jax.device_put(state, shardings(mesh))
            # At once after growth: the last snapshot is on the old slices alone, and would be lost with them.
            if grows or step % SNAPSHOT_INTERVAL == 0:
                snapshots.save(step, {"state": state, "step": step, "data": data.get_state()})
            step += 1
        return state

    state = attempt()
    snapshots.join()
    return state


if __name__ == "__main__":
    pathwaysutils.initialize()  # before anything asks for devices
    train()
