"""The install manifest against the published custom resource, where a copy of that is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

INSTALL = Path(__file__).parents[3] / "sandbox" / "pathways_job" / "install.yaml"
PUBLISHED = Path(__file__).parents[4] / "shared" / "crd" / "pathwaysjobs.yaml"


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(INSTALL.read_text()))


def of_kind(kind: str) -> dict[str, Any]:
    [found] = [document for document in documents() if document["kind"] == kind]
    return found


def without_descriptions(value: Any, names: bool = False) -> Any:
    """A schema without its prose. names: the keys are names of fields, of which one may be `description`."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if names or key != "description"}
        return {key: without_descriptions(one, names=key == "properties") for key, one in kept.items()}
    return [without_descriptions(one) for one in value] if isinstance(value, list) else value


def sorted_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_lists(one) for key, one in value.items()}
    return sorted((sorted_lists(one) for one in value), key=str) if isinstance(value, list) else value


def template(crd: dict[str, Any]) -> dict[str, Any]:
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = schema["properties"]["spec"]["properties"]["controller"]["properties"]["template"]
    return found


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published custom resource is not part of this checkout")
def test_outside_the_pod_template_the_custom_resource_is_the_published_one() -> None:
    [published] = [document for document in yaml.safe_load_all(PUBLISHED.read_text()) if document]
    template(published).pop("properties")
    own = of_kind("CustomResourceDefinition")
    assert sorted_lists(without_descriptions(own["spec"])) == sorted_lists(without_descriptions(published["spec"]))


def test_the_pod_template_is_open_and_immutable() -> None:
    left_open = template(of_kind("CustomResourceDefinition"))
    assert left_open["x-kubernetes-preserve-unknown-fields"] is True
    assert [rule["rule"] for rule in left_open["x-kubernetes-validations"]] == ["self == oldSelf"]


def test_the_controller_has_the_rights_of_the_real_one() -> None:
    rules = {tuple(rule["resources"]): set(rule["verbs"]) for rule in of_kind("ClusterRole")["rules"]}
    everything = {"create", "delete", "get", "list", "patch", "update", "watch"}
    assert rules == {
        ("pathwaysjobs",): everything,
        ("pathwaysjobs/status",): {"get", "patch", "update"},
        ("pathwaysjobs/finalizers",): {"update"},
        ("jobsets",): everything,
        ("jobsets/status",): {"get", "patch", "update"},
    }


def test_the_deployment_is_named_and_sized_as_the_real_one() -> None:
    deployment = of_kind("Deployment")
    assert deployment["metadata"]["namespace"] == "pathways-job-system"
    assert deployment["metadata"]["name"] == "pathways-job-controller-manager"
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == ("us-docker.pkg.dev/cloud-tpu-v2-images/pathways-job/pathwaysjob-controller:v0.1.4")
    assert container["resources"]["requests"] == {"cpu": "10m", "memory": "64Mi"}
