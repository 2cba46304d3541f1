"""Every refusal that people meet ends with a way back, found by the words in which GKE says it."""

import pytest

from sandbox.cloud.gke.machines import find_machine
from sandbox.cloud.gke.rules import PoolRequest, quota_refusal, reservation_refusal
from sandbox.cloud.options import Reservation
from sandbox.ways_back import way_back

POOL = PoolRequest(
    "p", "main", "v5p-3", find_machine("ct5p-hightpu-4t"), ("us-east5-a",), node_count=16, topology="4x4x4"
)
SOLD = Reservation("r", "us-east5-a", "ct5p-hightpu-4t", count=16)


@pytest.mark.parametrize(
    ("refusal", "way"),
    [
        (quota_refusal(POOL, limit=64, in_use=32), "ask for more of that quota"),
        (reservation_refusal(POOL, "r", SOLD, in_use=8), "enlarge the reservation"),
        (reservation_refusal(POOL, "s", None, in_use=0), "correct the reservation's name"),
    ],
)
def test_a_refusal_of_capacity_has_a_way_back(refusal, way):
    assert way in (way_back(refusal.text) or "")


@pytest.mark.parametrize(
    ("told", "way"),
    [  # users' reports: terraform-provider-google#15205, #6287, #13052
        ('Error 429: Too many operations: cluster "a" hits the concurrent operations quota 5', "concurrentOperations"),
        ("Google Compute Engine: Not all instances running in IGM. Current errors: [GCE_STOCKOUT]", "wait and run"),
        ("Error 409: Already exists: projects/p/locations/l/clusters/c/nodePools/n.", "import it"),
    ],
)
def test_what_users_reported_has_a_way_back(told, way):
    assert way in (way_back(told) or "")


def test_what_explains_itself_has_none():
    assert way_back("deletion_protection is set to true. Set it to false to proceed") is None
