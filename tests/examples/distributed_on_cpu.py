"""Runs a program as one of the hosts of a job: `distributed_on_cpu.py PROGRAM COORDINATOR HOSTS HOST`.

Run by the examples' own Python. The program is as its users have it; what JAX asks GKE for is told here.
"""

import runpy
import sys
from functools import partial

import jax

program, coordinator, hosts, host = sys.argv[1:]
jax.distributed.initialize = partial(
    jax.distributed.initialize, coordinator, int(hosts), int(host), coordinator_bind_address=coordinator
)
runpy.run_path(program, run_name="__main__")
