"""Save a checkpoint when the end is announced, and go on from it.

Kubernetes announces the end of a pod with SIGTERM and waits for its grace period (autocheckpoint: five minutes). JAX
notes the signal, Orbax's CheckpointManager saves at the next step, whatever the interval, and the program ends.
"""

import os
import sys

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

CHECKPOINTS = os.environ.get("CHECKPOINT_LOCATION", "/tmp/checkpoints")
FINAL_STEP = int(os.environ.get("FINAL_STEP", "100000"))
SAVE_INTERVAL = int(os.environ.get("SAVE_INTERVAL", "1000"))


@jax.jit
def train_step(weights: jax.Array, step: int) -> tuple[jax.Array, jax.Array]:
    x = jax.random.normal(jax.random.key(step), (64, weights.size))
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(axis=1)) ** 2))(weights)
    return weights - 0.01 * slope, loss


def train() -> int:
    """Trains to FINAL_STEP, from the last checkpoint on. Returns the exit code: 0 at the end, 1 before it."""
    options = ocp.CheckpointManagerOptions(save_interval_steps=SAVE_INTERVAL, max_to_keep=2)
    with ocp.CheckpointManager(CHECKPOINTS, options=options) as checkpoints:
        state, first = {"weights": jnp.zeros(32)}, 0
        if checkpoints.latest_step() is not None:
            state = checkpoints.restore(checkpoints.latest_step(), args=ocp.args.StandardRestore(state))
            first = checkpoints.latest_step() + 1
        print(f"starting at step {first}", flush=True)
        for step in range(first, FINAL_STEP):
            state["weights"], loss = train_step(state["weights"], step)
            checkpoints.save(step, args=ocp.args.StandardSave(state))
            if checkpoints.reached_preemption(step):
                checkpoints.wait_until_finished()
                print(f"saved step {step} before the end, loss {loss:.6f}", flush=True)
                return 1
        print(f"done: loss {loss:.6f}", flush=True)
    return 0


if __name__ == "__main__":
    # What notes the signal is a part of JAX's distributed service. GKE tells each host its place.
    jax.distributed.initialize()
    sys.exit(train())
