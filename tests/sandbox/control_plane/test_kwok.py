from __future__ import annotations

from typing import Any

import yaml

from sandbox.control_plane.kwok import kwok_configuration


def stages(played_elsewhere: list[str]) -> list[dict[str, Any]]:
    documents = yaml.safe_load_all(kwok_configuration(played_elsewhere))
    return [document for document in documents if document["kind"] == "Stage"]


def test_kwok_leaves_the_pods_of_local_processes_alone() -> None:
    for stage in stages(["jobset/jobset"]):
        conditions = [one["jq"] for one in stage["spec"]["selector"]["matchExpressions"]]
        played = ["jobset/jobset"]
        excluding = [one for one in conditions if one.get("values") == played]
        if stage["spec"]["resourceRef"]["kind"] == "Pod":
            assert [one["operator"] for one in excluding] == ["NotIn"]
        else:
            assert excluding == []


def test_without_local_processes_every_pod_is_kwoks() -> None:
    text = kwok_configuration([])
    assert "containers[].image" not in text


def test_names_of_stages_are_unique() -> None:
    names = [stage["metadata"]["name"] for stage in stages([])]
    assert len(names) == len(set(names))
