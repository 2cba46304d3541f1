"""Runs a program as the only host of a job: what GKE tells each host is told here. `distributed_on_cpu.py PROGRAM`."""

import os
import runpy
import socket
import sys
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"

import jax

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    address = f"127.0.0.1:{free.getsockname()[1]}"
jax.distributed.initialize = partial(jax.distributed.initialize, address, num_processes=1, process_id=0)
runpy.run_path(sys.argv[1], run_name="__main__")
