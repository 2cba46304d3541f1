"""The stacks that people start from come up as they are, and nothing differs afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.rehearsal.rehearsal import PROJECT, Rehearsal

pytestmark = pytest.mark.rehearsal

BUCKET = "gcp:storage/bucket:Bucket"
KEPT = {"pulumi:pulumi:Stack", "pulumi:providers:gcp", "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember", BUCKET}
"""Buckets, and what they need to be read."""


@pytest.fixture
def shipped(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Rehearsal]:
    """A copy of a stack file, in a sandbox of its own."""
    original = PROJECT / request.param
    rehearsal = Rehearsal(tmp_path, original.stem.removeprefix("Pulumi."))
    shutil.copyfile(original, rehearsal.file)
    try:
        yield rehearsal
    finally:
        if rehearsal.home.exists():
            rehearsal.run("down", "--discard")


@pytest.mark.parametrize("shipped", ["examples/small/Pulumi.small.yaml"], indirect=True)
def test_the_smallest_comes_up(shipped: Rehearsal) -> None:
    shipped.run("up")
    (node,) = shipped.kubectl("nodes", "--selector=cloud.google.com/gke-tpu-topology=2x4")  # v6e-8: one host of 8 chips
    assert node["status"]["capacity"]["google.com/tpu"] == "8"
    assert "nothing to change" in shipped.run("preview")


@pytest.mark.parametrize("shipped", ["stacks/Pulumi.prod.yaml"], indirect=True)
def test_prod_comes_up_with_everything_on_and_goes_by_the_steps_that_it_prints(shipped: Rehearsal) -> None:
    shipped.run("up")
    shipped.run("refresh")
    assert "nothing to change" in shipped.run("preview")
    assert "protected" in shipped.pulumi("destroy", "--yes").stdout

    content = yaml.safe_load(shipped.file.read_text())  # as the output `destroy` says, and without what forbids it
    content["config"]["pathways:platform"]["cluster"]["deletionProtection"] = False
    content["config"]["pathways:platform"]["replaceable"] = ["pretrain", "evaluate"]
    content["config"]["pathways:policies"] = {"disabled": ["deletion-protection-by-env", "protect-stateful"]}
    text = yaml.safe_dump(content)
    shipped.file.write_text(text)
    shipped.run("up")
    destroyed = shipped.pulumi("destroy", "--yes", "--exclude-protected")
    assert destroyed.returncode == 0, destroyed.stderr
    left = {each["type"] for each in shipped.state() if not each["type"].startswith("pathways:")}
    assert left == KEPT
