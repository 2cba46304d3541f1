"""Queued resources of TPU VMs: what the Cloud TPU API refuses, and that their deletion needs force once they came."""

import pytest

from sandbox.cloud import Console
from tests.sandbox.cloud.engine_side import CallError
from tests.sandbox.cloud.inputs import EVERY_TYPE, NETWORK, SUBNETWORK

QUEUED_RESOURCE = "gcp:tpu/v2QueuedResource:V2QueuedResource"


def inputs(zone="us-east5-b", parent="projects/my-project/locations/us-east5-b", accelerator_type="v6e-8"):
    node = {
        "acceleratorType": accelerator_type,
        "runtimeVersion": "v2-alpha-tpuv6e",
        "networkConfig": {
            "network": "projects/my-project/global/networks/net",
            "subnetwork": "projects/my-project/regions/us-east5/subnetworks/sub",
            "enableExternalIps": False,
        },
    }
    return {"name": "debug", "zone": zone, "tpu": {"nodeSpecs": [{"parent": parent, "nodeId": "debug", "node": node}]}}


@pytest.fixture
def network(engine):
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    return engine.create(SUBNETWORK, EVERY_TYPE[SUBNETWORK])


def test_a_second_look_finds_nothing_to_do(engine, network):
    made = engine.create(QUEUED_RESOURCE, inputs())
    assert made.id == "projects/my-project/locations/us-east5-b/queuedResources/debug"
    assert not engine.diff(engine.refresh(made), inputs()).some


def test_every_change_makes_it_anew(engine, network):
    made = engine.create(QUEUED_RESOURCE, inputs())
    found = engine.diff(made, inputs(accelerator_type="v6e-16"))
    assert set(found.kinds.values()) == {"UPDATE_REPLACE"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"accelerator_type": "v6e-7"}, 'Accelerator type "v6e-7" not found'),
        ({"accelerator_type": "v5e-8"}, 'Accelerator type "v5e-8" not found'),  # it is v5litepod-8
        ({"accelerator_type": "tpu7x-128"}, 'Accelerator type "tpu7x-128" not found'),
        ({"accelerator_type": "v5p-8"}, 'Accelerator type "v5p-8" not found in zone us-east5-b'),
        ({"parent": "projects/my-project/locations/us-east5-a"}, "does not match"),
    ],
)
def test_what_the_cloud_tpu_api_refuses(engine, network, changes, message):
    with pytest.raises(CallError, match=message):
        engine.create(QUEUED_RESOURCE, inputs(**changes))


def test_generations_that_the_catalogue_lacks_are_let_pass(engine, network):
    assert engine.create(QUEUED_RESOURCE, inputs(accelerator_type="v2-8")).id


def test_its_network_must_be_there_and_stays_as_long(engine):
    with pytest.raises(CallError, match="'projects/my-project/global/networks/net' was not found"):
        engine.create(QUEUED_RESOURCE, inputs())
    engine.create(NETWORK, EVERY_TYPE[NETWORK])
    subnetwork = engine.create(SUBNETWORK, EVERY_TYPE[SUBNETWORK])
    engine.create(QUEUED_RESOURCE, inputs())
    with pytest.raises(CallError, match="already being used by"):
        engine.delete(subnetwork)


def test_once_it_came_only_force_deletes_it(engine, server, network):
    """Cloud TPU API, queuedResources.delete: without force not while its nodes are there. The provider sends none."""
    made = engine.create(QUEUED_RESOURCE, inputs())
    with pytest.raises(CallError, match="ACTIVE"):
        engine.delete(made)
    with Console(server.port) as console:
        console.remove(QUEUED_RESOURCE, made.id)  # as gcloud does with --force
    engine.delete(made)
