"""kwok's configuration: our own stages, kept away from the pods that local processes stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from sandbox.control_plane.images import PROGRAMS_OF_POD_JQ

_STAGES = Path(__file__).with_name("stages")
_PARALLEL_CHANGES = 16


def kwok_configuration(played_elsewhere: Sequence[str]) -> str:
    """All documents of kwok's configuration file.

    played_elsewhere: programs whose pods kwok must leave alone, as the last two words of their images' paths.
    """
    excluded = {"jq": {"key": PROGRAMS_OF_POD_JQ, "operator": "NotIn", "values": list(played_elsewhere)}}
    documents: list[dict[str, Any]] = [_options()]
    for file in sorted(_STAGES.glob("*.yaml")):
        for stage in yaml.safe_load_all(file.read_text()):
            if played_elsewhere and stage["spec"]["resourceRef"]["kind"] == "Pod":
                stage["spec"]["selector"]["matchExpressions"].insert(0, excluded)
            documents.append(stage)
    return yaml.safe_dump_all(documents, sort_keys=False, width=10_000)


def _options() -> dict[str, Any]:
    return {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokConfiguration",
        "options": {
            "podPlayStageParallelism": _PARALLEL_CHANGES,
            "nodePlayStageParallelism": _PARALLEL_CHANGES,
        },
    }
