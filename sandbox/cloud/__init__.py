"""A simulated Google Cloud: a provider for the engine, strict as the real one, with a memory of its own."""

from sandbox.cloud.cluster_host import ClusterHost, Endpoint
from sandbox.cloud.console import Console
from sandbox.cloud.finding import find
from sandbox.cloud.references import NODE_POOL
from sandbox.cloud.server import CloudServer
from sandbox.cloud.store import Record, Status, read_records

__all__ = ["NODE_POOL", "CloudServer", "ClusterHost", "Console", "Endpoint", "Record", "Status", "find", "read_records"]
