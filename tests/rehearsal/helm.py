"""Renders a Helm chart as Pulumi does: by the Kubernetes provider's own `helm template`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
import yaml
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from sandbox.toolchain import Toolchain

_NO_ENGINE = "127.0.0.1:1"


def render(provider: Path, chart: Path, namespace: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a chart, its custom resource definitions first.

    provider: the program pulumi-resource-kubernetes.
    """
    process = subprocess.Popen([provider, _NO_ENGINE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.max_receive_message_length", 64 << 20)]) as channel:
            asked = provider_pb2_grpc.ResourceProviderStub(channel)
            asked.Configure(provider_pb2.ConfigureRequest(variables={}, acceptSecrets=True))
            options = {"path": str(chart), "release_name": "rehearsal", "namespace": namespace, "values": dict(values)}
            arguments = struct_pb2.Struct()
            arguments.update({"jsonOpts": json.dumps(options)})
            answer = asked.Invoke(provider_pb2.InvokeRequest(tok="kubernetes:helm:template", args=arguments))
            assert not answer.failures, answer.failures
            rendered = json_format.MessageToDict(answer)["return"]["result"]
    finally:
        process.kill()
        process.wait()
    crds = [document for file in sorted(chart.glob("crds/*.yaml")) for document in _documents(file.read_text())]
    known = {crd["metadata"]["name"] for crd in crds}
    return crds + [document for document in _rendered(rendered) if document["metadata"]["name"] not in known]


def jobset_chart(programs: Toolchain, version: str) -> list[dict[str, Any]]:
    """The objects of JobSet's own chart, with the published image."""
    image = {"repository": "registry.k8s.io/jobset/jobset", "tag": f"v{version}"}
    values = {"fullnameOverride": "jobset", "image": image}
    chart = programs.chart(f"jobset-{version}")
    return render(programs.path("pulumi-resource-kubernetes"), chart, "jobset-system", values)


def _rendered(result: Any) -> list[dict[str, Any]]:
    """The objects of the provider's answer, whose numbers have all become floating point."""
    objects: list[dict[str, Any]] = json.loads(json.dumps(result), parse_float=_number)
    return objects


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _documents(text: str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(text) if document]
