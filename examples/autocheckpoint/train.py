"""Save a checkpoint when the end is announced, and go on from it.

Kubernetes announces the end of a pod with SIGTERM and waits for its grace period (with autocheckpoint: five minutes).
JAX notes the signal, on whichever host it comes; all hosts agree on a step; Orbax's CheckpointManager saves at that
step, whatever the interval; and the program ends, to go on at the step after.

For jobs without Pathways: on Pathways' proxy Orbax never reports a preemption.
"""

import os
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

FEATURES = 32
EXAMPLES_PER_DEVICE = 16
LEARNING_RATE = 0.001

CHECKPOINTS = os.environ["CHECKPOINT_LOCATION"]  # gs://BUCKET/FOLDER, or a folder that all hosts share
FINAL_STEP = int(os.environ.get("FINAL_STEP", "100000"))
SAVE_INTERVAL = int(os.environ.get("SAVE_INTERVAL", "1000"))
REPORT_INTERVAL = 100


def train() -> int:
    """Trains to FINAL_STEP, from the last checkpoint on. Returns the exit code: 0 at the end, 1 before it, so that
    Kubernetes takes the job for failed and starts it again."""
    mesh = Mesh(np.asarray(jax.devices()), axis_names=("data",))  # of all hosts, as are the arrays on it
    everywhere, spread = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))

    @partial(jax.jit, out_shardings=everywhere)
    def train_step(weights: jax.Array, step: int) -> tuple[jax.Array, jax.Array]:
        # The data of a step follow from its number, so that their position needs no saving.
        x = jax.random.normal(jax.random.key(step), (EXAMPLES_PER_DEVICE * mesh.size, FEATURES))
        x = jax.lax.with_sharding_constraint(x, spread)
        loss, slope = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(axis=1)) ** 2))(weights)
        return weights - LEARNING_RATE * slope, loss

    options = ocp.CheckpointManagerOptions(save_interval_steps=SAVE_INTERVAL, max_to_keep=2)
    with ocp.CheckpointManager(CHECKPOINTS, options=options) as checkpoints:
        state, first = {"weights": jax.jit(lambda: jnp.zeros(FEATURES), out_shardings=everywhere)()}, 0
        last = checkpoints.latest_step()
        if last is not None:
            state, first = checkpoints.restore(last, args=ocp.args.StandardRestore(state)), last + 1
        say(f"starting at step {first} on {mesh.size} devices")

        for step in range(first, FINAL_STEP):
            state["weights"], loss = train_step(state["weights"], step)
            if step % REPORT_INTERVAL == 0:
                say(f"step {step}: loss {float(loss):.6f}")
            checkpoints.save(step, args=ocp.args.StandardSave(state))  # if it is due, or the end is announced
            if checkpoints.reached_preemption(step):
                checkpoints.wait_until_finished()
                say(f"saved step {step} before the end: loss {float(loss):.6f}")
                return 1
        say(f"done: loss {float(loss):.6f}")
    return 0


def say(text: str) -> None:
    if jax.process_index() == 0:
        print(text, flush=True)


if __name__ == "__main__":
    # It brings what notes the signal, even where there is one host. GKE tells each host its place.
    jax.distributed.initialize()
    sys.exit(train())
