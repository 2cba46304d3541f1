"""What a stack file says reaches the rules."""

from pathways.rules import Environment, KnownReservation, context_of
from pathways.settings import parse_settings

SETTINGS = {
    "environment": "dev",
    "zone": "us-east5-a",
    "jax": "0.8.3",
    "budget": 512,
    "cluster": {"concurrentOperations": 6},
    "slices": [
        {"name": "a", "tpu": "v5p-128", "count": 1, "capacity": {"reservation": {"name": "r", "chips": 128}}},
        {"name": "b", "tpu": "v5p-128", "count": 1, "capacity": {"reservation": {"name": "s"}}},
        {"name": "c", "tpu": "v5p-128", "count": 1, "capacity": {"spot": {}}},
    ],
}


def test_environment_versions_budget_and_reservations_are_known() -> None:
    context = context_of(parse_settings(SETTINGS, project="p", stack="x", source="x"))
    assert context.environment is Environment.DEV
    assert context.jax == "0.8.3"
    assert context.budget == 512
    assert context.concurrent_operations == 6
    assert context.reservations == {"r": KnownReservation(chips=128)}
    assert context.whole
