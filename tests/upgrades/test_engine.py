"""What earlier releases deployed survives an update to this one, by the real engine's preview."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml

from sandbox.engine.events import Step
from tests.upgrades.engine import Surroundings, surroundings
from tests.upgrades.recorded import DEPLOYED, is_lasting

pytestmark = pytest.mark.rehearsal

HARMLESS = ("create", "update")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with surroundings(tmp_path_factory.mktemp("upgrades")) as found:
        yield found


def harmed(steps: Iterable[Step]) -> set[str]:
    """Names of what the engine would replace or delete of what must last."""
    return {step.name for step in steps if is_lasting(step.type) and step.operation not in HARMLESS}


@pytest.mark.parametrize("deployed", DEPLOYED, ids=str)
def test_nothing_that_lasts_is_harmed(engine: Surroundings, deployed) -> None:
    assert harmed(engine.preview(deployed, deployed.file)) == set()


def test_a_renamed_group_and_another_bucket_would_be_seen(engine: Surroundings, tmp_path: Path) -> None:
    deployed = next(each for each in DEPLOYED if each.stack == "dev")  # the engine refuses it in prod
    content = yaml.safe_load(deployed.file.read_text())
    platform = content["config"]["pathways:platform"]
    platform["slices"][0]["name"] = platform["workloads"][0]["slices"]["group"] = "renamed"
    platform["scratch"] = {"bucket": "another-bucket"}
    edited = tmp_path / deployed.file.name
    edited.write_text(yaml.safe_dump(content))
    gone = {f"pathways-slices-v6e-{number}" for number in range(3)}
    assert harmed(engine.preview(deployed, edited)) >= {*gone, "pathways-scratch-bucket"}
