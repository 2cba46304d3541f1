"""A batch job: one program, all chips of all slices, and an end."""

import jax
import jax.numpy as jnp
import numpy as np
import pathwaysutils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

FEATURES = 8
STEPS = 100


@jax.jit
def train_step(weights: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(weights)
    return weights - 0.1 * slope, loss


def main() -> None:
    """Fits a line to points that are spread over all devices."""
    mesh = Mesh(np.asarray(jax.devices()), axis_names=("data",))
    points = jax.random.normal(jax.random.key(0), (64 * mesh.size, FEATURES))
    x = jax.device_put(points, NamedSharding(mesh, P("data")))
    y = x @ jnp.arange(float(FEATURES))
    weights = jax.device_put(jnp.zeros(FEATURES), NamedSharding(mesh, P()))
    for step in range(STEPS):
        weights, loss = train_step(weights, x, y)
        if step % 20 == 0:
            print(f"step {step}: loss {float(loss):.4f} on {mesh.size} devices", flush=True)
    print(f"done: loss {float(loss):.6f}, weights {np.round(np.asarray(weights), 2).tolist()}")


if __name__ == "__main__":
    pathwaysutils.initialize()  # before anything asks for devices; does nothing where there is no Pathways
    main()
