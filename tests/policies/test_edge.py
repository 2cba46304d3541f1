"""What the SDK shows, proxies that raise where a value is not known yet, becomes plain data."""

from pulumi_policy import PolicyResourceOptions, ResourceValidationArgs
from pulumi_policy.policy import PolicyCustomTimeouts
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE, unknown_checking_proxy

from pathways.gcp import UNKNOWN
from policies.edge import plain, resource_of


def test_unknown_values_of_every_kind_become_one() -> None:
    shown = unknown_checking_proxy(
        {
            "name": UNKNOWN_STRING_VALUE,
            "nodeCount": UNKNOWN_NUMBER_VALUE,
            "nodeConfig": {"labels": UNKNOWN_OBJECT_VALUE, "machineType": "ct6e-standard-4t"},
            "nodeLocations": ["us-east5-b", UNKNOWN_STRING_VALUE],
        }
    )
    assert plain(shown) == {
        "name": UNKNOWN,
        "nodeCount": UNKNOWN,
        "nodeConfig": {"labels": UNKNOWN, "machineType": "ct6e-standard-4t"},
        "nodeLocations": ["us-east5-b", UNKNOWN],
    }


def test_numbers_are_whole_and_truth_stays_truth() -> None:
    shown = plain(unknown_checking_proxy({"nodeCount": 4.0, "ratio": 0.5, "spot": True, "none": None, "empty": []}))
    assert shown == {"nodeCount": 4, "ratio": 0.5, "spot": True, "none": None, "empty": []}
    assert type(shown["nodeCount"]) is int
    assert shown["spot"] is True


def test_what_providers_keep_for_themselves_is_left_out() -> None:
    assert plain(unknown_checking_proxy({"__defaults": ["name"], "labels": {"__defaults": [], "a": "b"}})) == {
        "labels": {"a": "b"}
    }


def options(**given: object) -> PolicyResourceOptions:
    known = {
        "protect": False,
        "ignore_changes": [],
        "delete_before_replace": None,
        "aliases": [],
        "custom_timeouts": PolicyCustomTimeouts(0, 0, 0),
        "additional_secret_outputs": [],
        "parent": None,
    }
    return PolicyResourceOptions(**{**known, **given})


def test_options_are_those_that_the_engine_shows() -> None:
    parent = "urn:pulumi:prod::pathways::pathways:index:Platform$pathways:gcp:ScratchBucket::scratch"
    args = ResourceValidationArgs(
        "gcp:storage/bucket:Bucket",
        unknown_checking_proxy({"name": "b"}),
        "urn:pulumi:prod::pathways::gcp:storage/bucket:Bucket::bucket",
        "bucket",
        options(protect=True, ignore_changes=["lifecycleRules"], parent=parent),
        None,
    )
    resource = resource_of(args)
    assert resource.options.protect
    assert resource.options.ignore_changes == ("lifecycleRules",)
    assert resource.options.replace_on_changes == ()
    assert resource.component_types == ["pathways:index:Platform", "pathways:gcp:ScratchBucket"]
    assert resource.properties == {"name": "b"}
