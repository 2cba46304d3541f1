"""A control plane that only remembers."""

from __future__ import annotations

import threading

from sandbox.cloud import Endpoint


class FakeHost:
    """A ClusterHost without processes; while `gate` is not set, no change ends.

    bound, waiting, heads: manifests of pods. events: what was told of pods: name, type, reason, message.
    """

    def __init__(self):
        self.nodes = {}
        self.bound = []
        self.waiting = []
        self.heads = []
        self.events = []
        self.there = False
        self.gate = threading.Event()
        self.gate.set()
        self.created = 0

    def create(self):
        assert self.gate.wait(20)
        self.there, self.nodes = True, {}
        self.created += 1
        return self.endpoint()

    def delete(self):
        assert self.gate.wait(20)
        self.there, self.nodes = False, {}

    def endpoint(self):
        return Endpoint("127.0.0.1:6443", "-----BEGIN CERTIFICATE-----\n") if self.there else None

    def add_nodes(self, nodes):
        assert self.gate.wait(20)
        for node in nodes:
            self.nodes.setdefault(node["metadata"]["name"], node)

    def update_nodes(self, pool, labels, taints):
        assert self.gate.wait(20)
        for node in self.of_pool(pool):
            for key, value in labels.items():
                node["metadata"]["labels"].pop(key, None)
                if value is not None:
                    node["metadata"]["labels"][key] = value
            node["spec"]["taints"] = list(taints)

    def remove_nodes(self, pool, names=None):
        assert self.gate.wait(20)
        for node in self.of_pool(pool):
            if names is None or node["metadata"]["name"] in names:
                del self.nodes[node["metadata"]["name"]]

    def of_pool(self, pool):
        label = "cloud.google.com/gke-nodepool"
        return [node for node in self.nodes.values() if node["metadata"]["labels"][label] == pool]

    def registered_nodes(self):
        return list(self.nodes.values())

    def bound_pods(self):
        return list(self.bound)

    def ready_heads(self):
        return list(self.heads)

    def unschedulable_pods(self):
        return list(self.waiting)

    def record_event(self, pod, type, reason, message):
        self.events.append((pod["name"], type, reason, message))
