"""The wire: failures of inputs, generated names, secrets, values that are not known, providers side by side."""

import pytest
from google.protobuf import struct_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi.runtime.proto import provider_pb2

from pathways.gcp import UNKNOWN
from sandbox.cloud.codec import decode, encode
from tests.sandbox.cloud.engine_side import CallError, Engine
from tests.sandbox.cloud.inputs import (
    ACCOUNT,
    BUCKET,
    CLUSTER,
    CLUSTER_INPUTS,
    CUSTOM_ROLE,
    NETWORK,
    POOL,
    SLICE_INPUTS,
)

SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270"  # of the engine's protocol
SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"

values = st.recursive(
    st.booleans() | st.integers(-(2**50), 2**50) | st.text() | st.just(UNKNOWN),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner),
    max_leaves=10,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text(min_size=1), values))
def test_values_survive_the_wire(properties):
    assert decode(encode(properties)) == properties


def test_failures_name_the_resource_and_the_path(engine):
    reasons = engine.failures(POOL, {"nodeConfig": {"machineTyp": "ct6e-standard-4t"}}, "slice-0")
    assert sorted(reason.partition("Examine")[2] for reason in reasons) == [
        " values at 'slice-0.cluster'.",
        " values at 'slice-0.nodeConfig.machineTyp'.",
    ]


def test_a_name_is_made_up_once_and_kept(engine):
    first = engine.check(NETWORK, {}, "vpc")
    assert first["name"].startswith("vpc-")
    assert "name" in first["__defaults"]
    again = engine.check(NETWORK, {"mtu": 8896}, "vpc", old=first)
    assert again["name"] == first["name"]
    assert engine.check(ACCOUNT, {}, "nodes")["accountId"].startswith("nodes-")
    assert "-" not in engine.check(CUSTOM_ROLE, {"title": "t", "permissions": ["p"]}, "role")["roleId"]


def test_automatic_naming_can_be_switched_off_and_steered(engine):
    def check(mode):
        naming = provider_pb2.CheckRequest.AutonamingOptions(proposed_name="as-configured", mode=mode)
        request = provider_pb2.CheckRequest(urn=f"urn:pulumi:s::p::{NETWORK}::vpc", news=encode({}), autonaming=naming)
        return engine.call("Check", request)

    assert check("DISABLE").failures[0].property == "name"
    assert decode(check("PROPOSE").inputs)["name"] == "as-configured"


@pytest.mark.parametrize("named", [True, False])
def test_a_named_resource_goes_before_its_replacement_comes(engine, named):
    inputs = {"description": "one", **({"name": "vpc"} if named else {})}
    network = engine.create(NETWORK, inputs, "vpc")
    diff = engine.diff(network, {**inputs, "description": "other"})
    assert diff.replaces == ["description"]
    assert diff.kinds == {"description": "UPDATE_REPLACE"}
    assert diff.delete_before_replace is named


def test_what_the_provider_calls_sensitive_comes_back_encrypted(engine):
    inputs = {"type": "slack", "displayName": "team", "sensitiveLabels": {"authToken": "hush"}}
    checked = engine.check("gcp:monitoring/notificationChannel:NotificationChannel", inputs)
    urn = "urn:pulumi:s::p::gcp:monitoring/notificationChannel:NotificationChannel::it"
    answer = engine.call("Create", provider_pb2.CreateRequest(urn=urn, properties=encode(checked)))
    token = answer.properties.fields["sensitiveLabels"].struct_value.fields["authToken"].struct_value
    assert token.fields[SIGNATURE_KEY].string_value == SECRET_SIGNATURE
    assert decode(answer.properties)["sensitiveLabels"] == {"authToken": "hush"}


def test_secrets_are_taken(engine):
    wrapped = encode({"name": "b", "location": "us-east5"})
    secret = struct_pb2.Struct()
    secret.fields[SIGNATURE_KEY].string_value = SECRET_SIGNATURE
    secret.fields["value"].string_value = "us-east1"
    wrapped.fields["location"].struct_value.CopyFrom(secret)
    request = provider_pb2.CreateRequest(urn=f"urn:pulumi:s::p::{BUCKET}::b", properties=wrapped)
    answer = engine.call("Create", request)
    assert decode(answer.properties)["location"] == "US-EAST1"


def test_a_preview_of_what_stands_on_something_unknown(engine):
    planned = engine.preview(POOL, {**SLICE_INPUTS, "cluster": UNKNOWN})
    assert planned["cluster"] is UNKNOWN
    assert planned["version"] is UNKNOWN
    assert planned["nodeConfig"]["labels"] == {"MultisliceGroup": "v6e"}
    assert planned["nodeConfig"]["serviceAccount"] is UNKNOWN


def test_two_providers_of_one_engine_work_in_their_own_projects(server, engine):
    other = Engine(server.port, project="other-project")
    assert engine.create(NETWORK, {"name": "net"}).id == "projects/my-project/global/networks/net"
    assert other.create(NETWORK, {"name": "net"}).id == "projects/other-project/global/networks/net"


def test_without_a_project_the_provider_says_so(server):
    nowhere = Engine(server.port, project="", region="", zone="")
    with pytest.raises(CallError, match="project: required field is not set"):
        nowhere.create(NETWORK, {"name": "net"})
    with pytest.raises(CallError, match="Cannot determine zone"):
        nowhere.create(CLUSTER, {**CLUSTER_INPUTS, "location": None, "project": "p"})


def test_a_type_that_is_not_simulated(engine):
    with pytest.raises(CallError, match="is not a resource type that is known here"):
        engine.check("gcp:sql/databaseInstance:DatabaseInstance", {})


def test_functions(engine):
    def invoke(token, **arguments):
        request = provider_pb2.InvokeRequest(tok=token, args=encode(arguments))
        return decode(getattr(engine.call("Invoke", request), "return"))

    assert invoke("gcp:organizations/getClientConfig:getClientConfig")["project"] == "my-project"
    assert invoke("gcp:compute/getZones:getZones")["names"] == ["us-east5-a", "us-east5-b", "us-east5-c"]
    with pytest.raises(CallError, match="is not simulated"):
        invoke("gcp:dns/getKeys:getKeys")


def test_the_engine_gets_a_schema(engine):
    import json

    schema = json.loads(engine.call("GetSchema", provider_pb2.GetSchemaRequest()).schema)
    pool = schema["resources"][POOL]
    assert pool["requiredInputs"] == ["cluster"]
    config = schema["types"][pool["properties"]["nodeConfig"]["$ref"].removeprefix("#/types/")]
    assert config["properties"]["labels"] == {"type": "object", "additionalProperties": {"type": "string"}}
