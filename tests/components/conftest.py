import pytest

from components.recorder import Recording
from tests.components.recordings import shipped


@pytest.fixture(scope="session")
def dev() -> Recording:
    return shipped("dev")


@pytest.fixture(scope="session")
def prod() -> Recording:
    return shipped("prod")


@pytest.fixture(params=["dev", "prod"])
def stack(request: pytest.FixtureRequest) -> Recording:
    """Each of the stacks that are shipped."""
    return shipped(request.param)
