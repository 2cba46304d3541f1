# %% The first cell of a notebook on another machine, once `kubectl port-forward` runs (stack output `connect`).
# The variables must be set before JAX is imported; 127.0.0.1 and not localhost, which may be another address.
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

# %% All of them work on one product.
mesh = jax.sharding.Mesh(np.asarray(jax.devices()), ("rows",))
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows"))
x = jax.device_put(jnp.ones((8 * len(jax.devices()), 128)), rows)
total = float((x @ x.T).sum())
print(f"sum of the product: {total:.0f}")
