"""What a stack file comes to: defaults, derived values, the union of capacities."""

from pathlib import Path

import pytest

from pathways.settings import (
    FlexStart,
    OnDemand,
    Queued,
    Reservation,
    Secret,
    Spot,
    StackSettings,
    load_stack_file,
    parse_settings,
)
from tests.settings.stack_files import ABSENT, STACK_FILE, platform, settings

SLICE = ("slices", 0)
JOB = ("workloads", 0)


def test_the_example(tmp_path: Path):
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(STACK_FILE)
    stack = load_stack_file(path)
    assert stack == settings()
    assert (stack.stack, stack.project, stack.zone, stack.region) == ("dev", "my-project", "us-east5-b", "us-east5")
    (group,) = stack.slices
    assert (group.slice.machine_type, group.slice.topology_text) == ("ct6e-standard-4t", "4x4")
    assert (group.count, group.spares, group.pools) == (2, 1, 3)
    assert group.capacity == Spot()
    (job,) = stack.workloads
    assert (job.slices.group, job.slices.count, job.mode) == ("v6e", 2, "batch")
    assert job.command[:2] == ("python", "-c")
    assert stack.jax_of(job) == "0.8.3"


def test_what_follows_from_something_else_is_filled_in():
    stack = settings((("head",), ABSENT))
    assert stack.cluster.name == "pathways-dev"
    assert stack.scratch.location == "gs://my-project-pathways-dev-scratch/pathways"
    assert (stack.head.min_nodes, stack.head.max_nodes) == (1, 1)
    assert stack.head.machine.vcpus == 64


def test_a_head_pool_has_a_node_for_each_job_unless_it_is_bounded():  # case sched-2
    second = {**platform()["workloads"][0], "name": "second"}
    both = [*platform()["workloads"], second]
    assert settings((("workloads",), both), (("head",), {})).head.max_nodes == 2
    assert settings((("workloads",), both), (("head",), {"maxNodes": 1})).head.max_nodes == 1
    assert settings((("head",), {"minNodes": 3})).head.max_nodes == 3


def test_a_derived_name_follows_the_one_that_is_written():
    stack = settings((("cluster",), {"name": "trial"}))
    assert stack.scratch.bucket == "my-project-trial-scratch"


def test_the_buckets_have_derived_names_and_places():
    stack = settings((("checkpoints",), {}), (("scratch",), {"profiles": {}, "dumps": {"prefix": "xla"}}))
    assert stack.checkpoints.location_of("train") == "gs://my-project-pathways-dev-checkpoints/train"
    assert stack.scratch.profile_location == "gs://my-project-pathways-dev-scratch/profiles"
    assert stack.scratch.dump_location == "gs://my-project-pathways-dev-scratch/xla"
    assert settings().checkpoints is None


def test_a_folder_whose_name_begins_like_another_is_apart():
    assert settings((("scratch",), {"profiles": {"prefix": "pathways-profiles"}})).scratch.profiles is not None


def test_prod_is_the_default_and_protects():
    stack = settings((("environment",), ABSENT))
    assert stack.environment == "prod"
    assert stack.cluster.deletion_protection
    assert not settings().cluster.deletion_protection
    assert settings((("cluster",), {"deletionProtection": True})).cluster.deletion_protection


def test_a_stack_of_that_name_is_not_a_prod_environment():
    stack = parse_settings(platform(), project="p", stack="prod", source="stacks/Pulumi.prod.yaml")
    assert (stack.stack, stack.environment, stack.cluster.deletion_protection) == ("prod", "dev", False)


@pytest.mark.parametrize(
    ("written", "capacity"),
    [
        ({"spot": {}}, Spot()),
        ({"onDemand": {}}, OnDemand()),
        ({"flexStart": {}}, FlexStart()),
        ({"queued": {}}, Queued()),
        ({"reservation": {"name": "training"}}, Reservation.model_validate({"name": "training"})),
        (
            {"reservation": {"name": "training", "project": "owner", "block": "b-1", "subBlock": "s-1"}},
            Reservation.model_validate({"name": "training", "project": "owner", "block": "b-1", "subBlock": "s-1"}),
        ),
    ],
)
def test_capacity_is_a_mapping_with_its_kind_for_a_key(written, capacity):
    assert settings(((*SLICE, "capacity"), written)).slices[0].capacity == capacity


@pytest.mark.parametrize(
    ("name", "parts"),
    [  # case cap-3
        ("r", ("r", None, None, None)),
        ("projects/p-1/reservations/r", ("r", "p-1", None, None)),
        ("projects/example.com:my-p/reservations/r", ("r", "example.com:my-p", None, None)),
        ("r/reservationBlocks/b", ("r", None, "b", None)),
        ("projects/p-1/reservations/r/reservationBlocks/b/reservationSubBlocks/s", ("r", "p-1", "b", "s")),
    ],
)
def test_a_reservation_may_be_written_as_its_path(name, parts):
    capacity = settings(((*SLICE, "capacity"), {"reservation": {"name": name}})).slices[0].capacity
    assert isinstance(capacity, Reservation)
    assert (capacity.name, capacity.project, capacity.block, capacity.sub_block) == parts


def test_a_slice_may_be_written_as_machine_type_and_topology():
    (group,) = settings(
        ((*SLICE, "tpu"), ABSENT), ((*SLICE, "machineType"), "ct6e-standard-8t"), ((*SLICE, "topology"), "2x4")
    ).slices
    assert (group.slice.hosts, group.slice.chips) == (1, 8)


def test_elastic_jobs_keep_the_retries_of_others():  # case res-2
    (job,) = settings(((*JOB, "elastic"), {"slices": 2})).workloads
    assert job.retries_per_host == 4


def test_a_secret_variable_stays_closed():
    (job,) = settings(((*JOB, "env"), {"TOKEN": {"secure": "v1:abc"}, "A": "1"})).workloads
    assert job.env == {"TOKEN": Secret(secure="v1:abc"), "A": "1"}


def test_the_defaults_pass_their_own_validators():
    stack = settings()
    for part in (stack.network, stack.install, stack.install.jobset, stack.workloads[0].resources):
        assert type(part).model_validate(part.model_dump(by_alias=True)) == part


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        settings().zone = "us-east5-a"
    assert StackSettings.model_config["frozen"]
