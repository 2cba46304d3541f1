"""A batch job: one program, all chips of all slices, and an end."""

import jax
import jax.numpy as jnp
import numpy as np
import pathwaysutils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def main(steps: int = 100) -> float:
    """Fits a line on all devices; returns the last loss."""
    mesh = Mesh(np.asarray(jax.devices()), axis_names=("data",))
    rows = NamedSharding(mesh, P("data"))
    x = jax.device_put(jax.random.normal(jax.random.key(0), (64 * mesh.size, 8)), rows)
    y = x @ jnp.arange(8.0)

    @jax.jit
    def step(weights: jax.Array) -> tuple[jax.Array, jax.Array]:
        loss, slope = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(weights)
        return weights - 0.1 * slope, loss

    weights = jnp.zeros(8)
    for number in range(steps):
        weights, loss = step(weights)
        if number % 20 == 0:
            print(f"step {number}: loss {loss:.4f} on {mesh.size} devices", flush=True)
    return float(loss)


if __name__ == "__main__":
    pathwaysutils.initialize()  # before anything asks for devices
    print(f"done: loss {main():.6f}")
