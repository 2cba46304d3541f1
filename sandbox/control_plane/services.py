"""Which loopback port stands for a Service of the cluster."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2
from lightkube import Client
from lightkube.resources.core_v1 import Service

from sandbox.kubernetes.watch import ALL_NAMESPACES

PodPort = tuple[str, str]
"""Namespace of a pod, and a port of it by name or by number, as a Service's targetPort has it."""


class ServiceRoutes:
    """Finds a Service by its cluster address, and by its target port the process that serves it.

    ports: loopback port of each port of the pods that are local processes.
    """

    def __init__(self, client: Client, ports: Mapping[PodPort, int]) -> None:
        self._client = client
        self._ports = ports

    def port(self, address: str, port: int) -> int | None:
        """The loopback port behind an address inside the cluster; None where no local process serves it."""
        try:
            services = list(self._client.list(Service, namespace=ALL_NAMESPACES, fields={"spec.clusterIP": address}))
        except httpx2.HTTPError:
            return None
        for service in services:
            namespace = (service.metadata.namespace if service.metadata else None) or ""
            for offered in (service.spec.ports if service.spec else None) or []:
                if offered.port == port:
                    return self._ports.get((namespace, str(offered.targetPort)))
        return None
