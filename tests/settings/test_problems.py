"""What is said about a stack file that is wrong: path, value, what is legal, what was probably meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathways.settings import SettingsError, parse_settings
from tests.settings.stack_files import ABSENT, platform, settings

SLICE = ("slices", 0)
JOB = ("workloads", 0)


def problems(*changes, project="my-project"):
    """Returns what is wrong with the example after some changes, as a mapping from path to message."""
    with pytest.raises(SettingsError) as refused:
        parse_settings(platform(*changes), project=project, stack="dev", source="stacks/Pulumi.dev.yaml")
    assert len(refused.value.problems) == len(dict(refused.value.problems))
    return dict(refused.value.problems)


def problem(path, value, *others):
    """Returns the path and the message of the only thing that is wrong after a change."""
    ((where, message),) = problems((path, value), *others).items()
    return where, message


@pytest.mark.parametrize(
    ("path", "value", "where", "message"),
    [
        (("zone",), ABSENT, "zone", "is missing"),
        (("zone",), "us-east5", "zone", '"us-east5" is not a zone, such as us-east5-b'),
        (("zone",), "us-east5-c", "zone", '"us-east5-c" does not have v6e; legal: us-central1-b us-east1-d us-east5-a'),
        (("environment",), "Dev", "environment", '"Dev" is none of dev, prod; did you mean "dev"?'),
        (("jax",), 0.8, "jax", '0.8 is a number here; quote it: "0.8"'),
        (("jax",), "0.8", "jax", '"0.8" is not a version of three numbers, such as 0.8.3'),
        (("namespace",), "Jobs", "namespace", '"Jobs" is not a name: lower-case letters, digits and dashes, a letter'),
        (("enviroment",), "dev", "enviroment", 'did you mean "environment"?'),
        (("head", "maxNode"), 2, "head.maxNode", 'legal: machineType maxNodes minNodes; did you mean "maxNodes"?'),
        (("head", "maxNodes"), "2", "head.maxNodes", '"2" is text; a whole number is wanted, without quotes'),
        (("head", "maxNodes"), 0, "head.maxNodes", "0 is too small; 1 at least"),
        (("head", "minNodes"), 3, "head.maxNodes", "2 is less than minNodes, 3"),
        (("head", "machineType"), "n2-standard-46", "head.machineType", 'did you mean "n2-standard-'),
        (("head",), None, "head", "is empty; a mapping is wanted"),
        (("cluster",), {"concurrentOperations": 0}, "cluster.concurrentOperations", "0 is too small; 1 at least"),
        (("cluster",), {"concurrentOperations": 33}, "cluster.concurrentOperations", "33 is too large; 32 at most"),
        ((*SLICE, "count"), True, "slices[0].count", "true is a truth value; a whole number is wanted"),
        ((*SLICE, "tpu"), "v6e-12", "slices[0].tpu", 'did you mean "v6e-8" or "v6e-16"?'),
        ((*SLICE, "tpu"), "v2-8", "slices[0].tpu", "do not support"),
        ((*SLICE, "tpu"), ABSENT, "slices[0].tpu", "is missing (or machineType and topology are)"),
        ((*SLICE, "topology"), "4x4", "slices[0].tpu", "says machine type and topology already"),
        ((*SLICE, "hosts"), 4, "slices[0].hosts", "is not a key here"),  # case topo-6: hosts are never an input
        ((*SLICE, "capacity"), "spot", "slices[0].capacity", "a mapping with one key is wanted, such as {spot: {}}"),
        ((*SLICE, "capacity"), {}, "slices[0].capacity", "has 0 keys; exactly one is wanted"),
        ((*SLICE, "capacity"), {"spt": {}}, "slices[0].capacity", 'onDemand, flexStart, queued; did you mean "spot"?'),
        ((*SLICE, "capacity"), {"reservation": {}}, "slices[0].capacity.reservation.name", "is missing"),
        (
            (*SLICE, "capacity"),
            {"reservation": {"name": "r/blocks/b"}},
            "slices[0].capacity.reservation.name",
            '"r/blocks/b" is no reservation; write its name, or a path such as projects/P/reservations/R',
        ),
        (
            (*SLICE, "capacity"),
            {"reservation": {"name": "r/reservationBlocks/b", "block": "c"}},
            "slices[0].capacity.reservation.name",
            "and what the path says nowhere else",
        ),
        (
            (*SLICE, "capacity"),
            {"reservation": {"name": "projects/P/reservations/r"}},
            "slices[0].capacity.reservation.project",
            '"P" is not the id of a project',
        ),
        (
            (*SLICE, "capacity"),
            {"reservation": {"name": "r", "subBlock": "s"}},
            "slices[0].capacity.reservation.subBlock",
            "is of a block; name that as well",
        ),
        ((*SLICE, "capacity"), {"spot": {"max": 1}}, "slices[0].capacity.spot.max", "is not a key here"),
        # case cap-1: Spot and a reservation exclude each other
        (
            (*SLICE, "capacity"),
            {"spot": {}, "reservation": {"name": "r"}},
            "slices[0].capacity",
            "{spot, reservation} has 2 keys; exactly one is wanted",
        ),
        (("priorities", "low-prior-job"), -1, "priorities.low-prior-job", "-1 is too small; 0 at least"),  # case res-3
        (("priorities", "low-prior-job"), 10**9, "priorities.low-prior-job", "less than 1,000,000,000"),
        (("priorities", "low-prior-job"), 2000, "priorities.low-prior-job", "is the value of high-prior-job as well"),
        ((*JOB, "priority"), "high", "workloads[0].priority", "is not declared in priorities; legal: high-prior-job"),
        ((*JOB, "slices", "group"), "v6", "workloads[0].slices.group", 'legal: v6e; did you mean "v6e"?'),
        (
            (*JOB, "slices", "count"),
            3,
            "workloads[0].slices.count",
            '3 slices wanted, group "v6e" has 2 (and 1 spare); lower it or add slices',
        ),
        ((*JOB, "kind"), ABSENT, "workloads[0].kind", "is missing"),
        ((*JOB, "image"), ABSENT, "workloads[0].image", "is missing: a batch job runs one; or write mode: headless"),
        ((*JOB, "mode"), "headles", "workloads[0].mode", 'did you mean "headless"?'),
        ((*JOB, "command"), "python", "workloads[0].command", '"python" is text; a list is wanted'),
        ((*JOB, "args"), [1], "workloads[0].args[0]", '1 is a number here; quote it: "1"'),
        ((*JOB, "env"), {"A": 1}, "workloads[0].env.A", '1 is a number here; quote it: "1"'),
        ((*JOB, "env"), {"A.B": "1"}, 'workloads[0].env["A.B"]', "is not a variable's name"),
        # case env-1: the JobSet would be refused as a duplicate
        ((*JOB, "env"), {"JAX_PLATFORMS": "x"}, "workloads[0].env.JAX_PLATFORMS", "is set by Pathways as well"),
        ((*JOB, "image"), {"secure": "v1:x"}, "workloads[0].image", "{secure} is a secret; text is wanted"),
        # case res-1
        ((*JOB, "elastic"), {"slices": 3}, "workloads[0].elastic.slices", "the job has 2; lower it to 2 at most"),
        # cases scratch-1 and scratch-6
        (("scratch",), {"bucket": "cloud-pathways-staging"}, "scratch.bucket", "belongs to Google"),
        (("scratch",), {"bucket": "<bucket>"}, "scratch.bucket", '"<bucket>" is a placeholder'),
        (("scratch",), {"bucket": "BUCKET_NAME"}, "scratch.bucket", '"BUCKET_NAME" is a placeholder'),
        (("scratch",), {"bucket": "Mine"}, "scratch.bucket", "is no bucket name"),
        (("scratch",), {"bucket": "goog-mine"}, "scratch.bucket", "must not begin with"),
        (("scratch",), {"prefix": "/a/"}, "scratch.prefix", "no slash at either end"),
        (
            ("scratch",),
            {"profiles": {"prefix": "pathways/profiles"}},
            "scratch.profiles.prefix",
            '"pathways/profiles", for 30 days, lies in "pathways", whose objects are deleted after 7 days; take a',
        ),
        (
            ("scratch",),
            {"prefix": "hlo/programs", "expireDays": 9, "dumps": {"expireDays": 1}},
            "scratch.dumps.prefix",
            '"hlo/programs", for 9 days, lies in "hlo", whose objects are deleted after 1 day',
        ),
        (
            ("scratch",),
            {"profiles": {"prefix": "both"}, "dumps": {"prefix": "both"}},
            "scratch.dumps.prefix",
            '"both", for 7 days, lies in "both", whose objects are deleted after 30 days',
        ),
        (("scratch",), {"enabled": False, "profiles": {}}, "scratch.profiles", "is of the bucket that enabled: false"),
        (
            ("checkpoints",),
            {"bucket": "my-project-pathways-dev-scratch"},
            "checkpoints.bucket",
            "which keeps nothing that is deleted and deletes pathways/ after 7 days; name another one",
        ),
        ((*JOB, "xla"), {"dump": True}, "workloads[0].xla.dump", "is to go to scratch.dumps, which is missing; write"),
        ((*JOB, "xla"), {"dump": True, "dumpTo": "gs://my-bucket/x"}, "workloads[0].xla.dumpTo", "is instead of"),
        (("network",), {"nodeRange": "10.0.0.1/20"}, "network.nodeRange", "is no IPv4 block such as 10.0.0.0/20"),
        (("network",), {"nodeRange": "8.8.0.0/16"}, "network.nodeRange", "is public; take a block of 10.0.0.0/8"),
        (("network",), {"podRange": "10.0.0.0/12"}, "network.podRange", "10.0.0.0/12 overlaps nodeRange, 10.0.0.0/18"),
        (("network",), {"controlPlaneRange": "172.16.0.0/27"}, "network.controlPlaneRange", "must be a /28"),
        (  # 12 hosts, 2 heads, 3 controllers, and a node more of each CPU pool in an upgrade; 4 addresses are Google's
            ("network",),
            {"nodeRange": "10.0.0.0/28"},
            "network.nodeRange",
            "has 12 addresses, 19 are wanted (12 hosts of slices and 7 other nodes); take a /27",
        ),
        (  # 12 x 32 for 16 pods, 7 x 128 for 64: GKE documentation, twice as many addresses as pods
            ("network",),
            {"podRange": "10.64.0.0/22"},
            "network.podRange",
            "has 1,024 addresses, 1,280 are wanted",
        ),
        (
            ("network",),
            {"existing": {"network": "n", "subnetwork": "s", "podRange": "p", "serviceRange": "r"}, "flowLogs": True},
            "network.flowLogs",
            "is of the stack's own network",
        ),
        (
            ("cluster",),
            {"existing": {}, "releaseChannel": "rapid"},
            "cluster.releaseChannel",
            "whoever made the cluster",
        ),
        (("cluster",), {"dnsEndpoint": False}, "cluster.dnsEndpoint", "no one could reach the cluster"),
        (("cluster",), {"authorizedNetworks": {"a": "0.0.0.0/0"}}, "cluster.authorizedNetworks.a", "is everyone"),
        (("cluster",), {"rbacGroup": "team@example.com"}, "cluster.rbacGroup", "gke-security-groups@example.com"),
        (("cluster",), {"maintenance": {"hours": 3}}, "cluster.maintenance.hours", "4 at least"),
        (("cluster",), {"maintenance": {"start": "24:00"}}, "cluster.maintenance.start", "is not a time of day"),
        (
            ("cluster",),
            {"maintenance": {"freezes": [{"name": "a", "first": "2026-12-01", "last": "2026-12-31"}]}},
            "cluster.maintenance.freezes[0].last",
            "31 days from 2026-12-01 on; GKE stops all upgrades for 30 at most",
        ),
        (("cluster",), {"maintenance": {"days": ["SA", "SA"]}}, "cluster.maintenance.days[1]", "days[0] as well"),
        (
            ("encryption",),
            {"key": "projects/p/locations/us/keyRings/r/cryptoKeys/k"},
            "encryption.key",
            "is in us, disks and buckets are in us-east5",
        ),
        (("system",), {"machineType": "n2-standard-5"}, "system.machineType", 'did you mean "n2-standard-'),
        ((*SLICE, "networking"), "two", "slices[0].networking", "none of singleNic, secondNic, dra"),
        (
            ("install",),
            {"jobset": {"version": "0.12.0"}},
            "install.jobset.version",
            "0.12.0 makes the PathwaysJob controller",
        ),
    ],
)
def test_one_error(path, value, where, message):
    found, text = problem(path, value)
    assert (found, message in text) == (where, True), text


@pytest.mark.parametrize("topology", ["4x2", "4X4", "3x3"])
def test_an_illegal_topology_is_told_with_the_legal_ones(topology):  # cases topo-7, topo-8
    where, message = problem(
        (*SLICE, "topology"), topology, ((*SLICE, "tpu"), ABSENT), ((*SLICE, "machineType"), "ct6e-standard-4t")
    )
    assert where == "slices[0].topology"
    assert message.startswith(f'"{topology}" is not a topology of ct6e-standard-4t; legal: 2x2 2x4 4x4 4x8 8x8 8x16')


def test_a_machine_type_needs_a_topology():
    where, message = problem((*SLICE, "machineType"), "ct6e-standard-4t", ((*SLICE, "tpu"), ABSENT))
    assert (where, message) == ("slices[0].topology", "is missing: a machine type alone is no slice; for example 4x4")


def test_a_name_of_23_characters_is_refused_with_the_label_spelled_out():  # case install-4
    where, message = problem((*JOB, "name"), "a-name-that-is-23-chars")
    assert where == "workloads[0].name"
    assert "23 characters, 22 are possible" in message
    assert '"a-name-that-is-23-chars-pathways-head-0-0.a-name-that-is-23-chars"' in message
    assert "65 characters where 63 fit" in message
    assert settings(((*JOB, "name"), "a-name-that-is-22-char")).workloads[0].name == "a-name-that-is-22-char"


def test_a_head_that_is_too_small_is_refused_with_the_sum():  # case sched-3
    where, message = problem(("head", "machineType"), "n2-standard-32")
    assert where == "head.machineType"
    assert "n2-standard-32 leaves 31.85 CPUs and 118.6 GiB to pods" in message
    assert "8 + 16 + 8 = 32 CPUs and 29.8 + 93.1 + 32 = 154.9 GiB are asked for" in message
    assert 'by the head of "hello"' in message
    assert message.endswith('did you mean "n2-standard-48"?')


def test_a_headless_job_has_no_container():
    job = {"name": "lab", "kind": "pathways", "mode": "headless", "slices": {"group": "v6e", "count": 1}}
    assert settings((("workloads",), [job])).workloads[0].image is None
    found = problems((("workloads",), [{**job, "image": "i", "env": {}}]))
    assert set(found) == {"workloads[0].image", "workloads[0].env"}
    assert "a headless one has no container of its own" in found["workloads[0].image"]


def test_even_a_headless_head_must_fit():
    job = {"name": "lab", "kind": "pathways", "mode": "headless", "slices": {"group": "v6e", "count": 1}}
    _, message = problem(("head", "machineType"), "n2-standard-32", (("workloads",), [job]))
    assert "8 + 16 = 24 CPUs and 29.8 + 93.1 = 122.9 GiB are asked for (resource manager + proxy)" in message
    assert 'by the head of "lab"' in message


@pytest.mark.parametrize(("tpu", "legal"), [("v6e-1", "ct6e-standard-4t"), ("v5p-4x4x16", "2x2x1 2x2x2")])
def test_slices_that_the_controller_does_not_take_run_no_pathways_job(tpu, legal):
    zone = (("zone",), "us-east5-a")
    where, message = problem((*SLICE, "tpu"), tpu, zone)
    assert where == "workloads[0].slices.group"
    assert "the PathwaysJob controller does not take" in message
    assert legal in message
    assert settings(((*SLICE, "tpu"), tpu), zone, (("workloads",), [])).slices[0].slice.chips > 0


def test_a_zone_without_the_generation_is_refused_where_lists_are_complete():
    both = [*platform()["slices"], {"name": "v5p", "tpu": "v5p-128", "count": 1, "capacity": {"spot": {}}}]
    where, message = problem(("zone",), "us-east5-b", (("slices",), both))
    assert where == "zone"
    assert message == (
        '"us-east5-b" does not have v5p; legal: us-central1-a us-east5-a europe-west4-b; did you mean "us-east5-a"?'
    )
    assert settings((("zone",), "us-east5-a"), (("slices",), both)).zone == "us-east5-a"
    assert settings((("zone",), "europe-west4-c"), (("slices",), both)).zone == "europe-west4-c"


def test_names_come_once():
    both = [*platform()["workloads"], *platform()["workloads"]]
    assert problem(("workloads",), both) == ("workloads[1].name", '"hello" is the name of workloads[0] as well')


def test_a_derived_name_that_is_none_is_told_at_its_key():
    with pytest.raises(SettingsError) as refused:
        parse_settings(platform(), project="my-project", stack="Dev_1", source="stacks/Pulumi.Dev_1.yaml")
    assert [path for path, _ in refused.value.problems] == ["cluster.name", "scratch.bucket"]
    assert '"pathways-Dev_1" is not a name' in str(refused.value)


def test_without_a_project_nothing_can_be():
    assert "is missing" in problems(project=None)["gcp:project"]


def test_all_errors_come_at_once_in_the_order_of_the_file():
    found = problems(
        (("jax",), 0.8),
        ((*SLICE, "tpu"), ABSENT),
        ((*SLICE, "machineType"), "ct6e-standard-4t"),
        ((*SLICE, "topology"), "4x2"),
        ((*SLICE, "capacity"), {"spt": {}}),
        ((*JOB, "slices", "count"), 3),
        ((*JOB, "env"), {"JAX_PLATFORMS": "x", "B": 1}),
        ((*JOB, "elastic"), {"slices": 9}),
        ((*JOB, "comand"), []),
    )
    assert list(found) == [
        "jax",
        "slices[0].capacity",
        "slices[0].topology",
        "workloads[0].slices.count",
        "workloads[0].env.JAX_PLATFORMS",
        "workloads[0].env.B",
        "workloads[0].elastic.slices",
        "workloads[0].comand",
    ]


def test_the_report():
    with pytest.raises(SettingsError) as refused:
        settings(
            ((*SLICE, "tpu"), ABSENT),
            ((*SLICE, "machineType"), "ct6e-standard-4t"),
            ((*SLICE, "topology"), "4x2"),
            ((*JOB, "slices", "count"), 3),
        )
    assert str(refused.value) == (
        "stacks/Pulumi.dev.yaml: 2 errors\n"
        '  slices[0].topology: "4x2" is not a topology of ct6e-standard-4t; legal: 2x2 2x4 4x4 4x8 8x8 8x16 16x16;'
        ' did you mean "2x4"?\n'
        '  workloads[0].slices.count: 3 slices wanted, group "v6e" has 2 (and 1 spare); lower it or add slices'
    )


@pytest.mark.parametrize(
    ("slices", "message"),
    [([], "is empty; 1 at least"), ({}, "{} is a mapping; a list is wanted"), (None, "is empty; a list is wanted")],
)
def test_a_stack_has_slices(slices, message):
    assert problem(("slices",), slices, (("workloads",), [])) == ("slices", message)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths(value, path=()):
    """Yields the path of every value in a mapping."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


@given(st.sampled_from(list(paths(platform()))), JSON)
def test_any_value_anywhere_is_accepted_or_refused_in_lines_with_a_place(path, value):
    try:
        settings((path, value))
    except SettingsError as refused:
        report = str(refused).splitlines()
        assert len(report) == len(refused.problems) + 1  # noqa: PT017
        assert all(line.startswith("  ") and ": " in line for line in report[1:])


@given(JSON)
def test_any_mapping_is_refused(value):
    with pytest.raises(SettingsError):
        parse_settings(value, project="p", stack="dev", source="f")
