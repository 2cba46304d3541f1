"""How a program on another machine reaches a Pathways job."""

from __future__ import annotations

from pathways.manifests.controller.jobset import HEAD
from pathways.runtime import PROXY_PORT
from pathways.settings import PathwaysWorkload, StackSettings, Workload


def connection_to(settings: StackSettings, workload: Workload) -> dict[str, str] | None:
    """Return the lines to type: `forward`, which stays in the foreground, and `environment`, for the program's shell.

    None for jobs that nothing connects to. The address is 127.0.0.1 and not localhost, which may be IPv6.
    Source: pathwaysutils; Google Cloud documentation, Pathways interactive mode.
    """
    if not isinstance(workload, PathwaysWorkload) or workload.mode != "headless":
        return None
    job = f"{workload.name}-{HEAD}-0"
    return {
        "forward": f"kubectl port-forward --namespace {settings.namespace} job/{job} {PROXY_PORT}:{PROXY_PORT}",
        "environment": (
            f"export JAX_PLATFORMS=proxy JAX_BACKEND_TARGET=grpc://127.0.0.1:{PROXY_PORT} XCLOUD_ENVIRONMENT=GCP"
        ),
        "requirements": f"jax=={settings.jax_of(workload)} pathwaysutils",
    }
