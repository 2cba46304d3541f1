# %% The first cell of a notebook on your machine, while `kubectl port-forward` runs (README.md of the examples).
# The variables must be set before JAX is imported. 127.0.0.1 and not localhost, which may be another address.
import os

os.environ.setdefault("JAX_PLATFORMS", "proxy")
os.environ.setdefault("JAX_BACKEND_TARGET", "grpc://127.0.0.1:29000")
os.environ.setdefault("XCLOUD_ENVIRONMENT", "GCP")

import jax
import jax.numpy as jnp
import numpy as np
import pathwaysutils

pathwaysutils.initialize()
print(f"{len(jax.devices())} devices of {jax.devices()[0].device_kind}")

# %% All of them add up a part.
mesh = jax.sharding.Mesh(np.asarray(jax.devices()), ("part",))
spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("part"))
x = jax.device_put(jnp.arange(1000 * mesh.size), spread)
print(f"sum of the first {x.size} numbers: {x.sum()}")
