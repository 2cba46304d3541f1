"""Amounts of memory as Kubernetes writes them itself (k8s.io/apimachinery, Quantity: canonical form)."""

import pytest

from pathways.quantities import binary_quantity, parse_quantity


@pytest.mark.parametrize(
    ("mebibytes", "written"),
    [(512, "512Mi"), (1536, "1536Mi"), (16_384, "16Gi"), (1024 * 1024, "1Ti"), (1536 * 1024, "1536Gi")],
)
def test_the_largest_unit_without_a_fraction(mebibytes, written):
    assert binary_quantity(mebibytes) == written
    assert parse_quantity(written) == mebibytes * 1024**2
