"""Slices: what a machine type and a topology, or a name, come to."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathways.tpu import IllegalSlice, Part, Placement, catalog, every_slice, other_slices_of_count, parse_slice

MACHINES = st.sampled_from(list(catalog().machines))
SLICES = st.sampled_from(every_slice())


@pytest.mark.parametrize(
    ("name", "machine", "topology", "chips", "hosts"),
    [  # v4, v5p and tpu7x names count TensorCores, v5e and v6e names count chips: case topo-4
        ("v4-8", "ct4p-hightpu-4t", "2x2x1", 4, 1),
        ("v4-16", "ct4p-hightpu-4t", "2x2x2", 8, 2),
        ("v5p-8", "ct5p-hightpu-4t", "2x2x1", 4, 1),
        ("v5p-128", "ct5p-hightpu-4t", "4x4x4", 64, 16),
        ("v5p-12288", "ct5p-hightpu-4t", "16x16x24", 6144, 1536),
        ("v5e-1", "ct5lp-hightpu-1t", "1x1", 1, 1),
        ("v5e-4", "ct5lp-hightpu-4t", "2x2", 4, 1),
        ("v5litepod-16", "ct5lp-hightpu-4t", "4x4", 16, 4),
        ("v5litepod-256", "ct5lp-hightpu-4t", "16x16", 256, 64),
        ("v6e-16", "ct6e-standard-4t", "4x4", 16, 4),
        ("v6e-256", "ct6e-standard-4t", "16x16", 256, 64),
        ("tpu7x-8", "tpu7x-standard-4t", "2x2x1", 4, 1),
        ("tpu7x-128", "tpu7x-standard-4t", "4x4x4", 64, 16),
        ("v5p-4x4x8", "ct5p-hightpu-4t", "4x4x8", 128, 32),
        ("v6e-4x4", "ct6e-standard-4t", "4x4", 16, 4),
    ],
)
def test_a_name_is_a_slice(name, machine, topology, chips, hosts):
    slice_ = parse_slice(name)
    assert (slice_.machine_type, slice_.topology_text, slice_.chips, slice_.hosts) == (machine, topology, chips, hosts)
    assert name in slice_.names


def test_a_count_with_several_topologies_means_the_most_cubic_one():
    slice_ = parse_slice("v5p-512")
    assert slice_.topology == (4, 8, 8)
    assert [other.topology for other in other_slices_of_count(slice_)] == [(4, 4, 16)]


def test_eight_chips_of_v6e_are_one_host_by_name_and_two_when_asked_for():  # case topo-5
    assert [str(other) for other in other_slices_of_count(parse_slice("v6e-8"))] == ["ct6e-standard-4t 2x4"]
    assert (parse_slice("v6e-8").machine_type, parse_slice("v6e-8").hosts) == ("ct6e-standard-8t", 1)
    for machine in ("ct6e-standard", "ct5lp-hightpu"):
        assert [parse_slice(f"{machine}-{chips}t", "2x4").hosts for chips in (8, 4)] == [1, 2]


def test_two_hosts_of_eight_chips_have_no_name_of_their_own():
    assert parse_slice("ct6e-standard-4t", "2x4").names == ()


@pytest.mark.parametrize(
    ("machine", "topology", "placement"),
    [
        ("ct6e-standard-4t", "2x2", Placement.NONE),  # case topo-3: a single host has no placement at all
        ("ct6e-standard-8t", "2x4", Placement.NONE),
        ("tpu7x-standard-4t", "2x2x1", Placement.NONE),
        ("ct6e-standard-4t", "2x4", Placement.COMPACT),
        ("ct4p-hightpu-4t", "2x2x2", Placement.COMPACT),
        ("ct5p-hightpu-4t", "4x4x4", Placement.COMPACT),
        ("ct5lp-hightpu-4t", "4x4", Placement.COMPACT),
        ("tpu7x-standard-4t", "2x2x2", Placement.WORKLOAD),  # case topo-2: GKE refuses compact placement
    ],
)
def test_placement_follows_from_the_slice(machine, topology, placement):
    assert parse_slice(machine, topology).placement is placement


@pytest.mark.parametrize(
    ("machine", "topology", "nearest"),
    [  # case topo-8: another order of the axes
        ("ct6e-standard-4t", "4x2", "2x4"),
        ("ct5p-hightpu-4t", "8x4x4", "4x4x8"),
        ("ct4p-hightpu-4t", "1x2x2", "2x2x1"),
        ("ct5p-hightpu-4t", "4x4", "2x2x4"),
        ("ct6e-standard-4t", "4X4", "4x4"),
        ("ct6e-standard-4t", "3x3", "4x4"),
        ("ct6e-standard-8t", "4x4", "2x4"),
        ("ct6e-standard-4t", "1x1", "2x2"),  # case topo-7: the controller accepts it, and it is pending for ever
        ("tpu7x-standard-4t", "1x1x1", "2x2x1"),
        ("ct4p-hightpu-4t", "4x4x20", "4x4x16"),  # longer than a side of a v4 pod
    ],
)
def test_an_illegal_topology_is_refused_with_the_nearest(machine, topology, nearest):
    with pytest.raises(IllegalSlice) as refused:
        parse_slice(machine, topology)
    assert (refused.value.part, refused.value.nearest) == (Part.TOPOLOGY, [nearest])
    assert f'"{topology}" is not a topology of {machine}' in str(refused.value)
    assert str(refused.value).endswith(f'did you mean "{nearest}"?')


def test_a_topology_of_another_machine_is_named_with_it():
    with pytest.raises(IllegalSlice, match=r"hosts have 4 chips \(it is one of ct6e-standard-1t\)"):
        parse_slice("ct6e-standard-4t", "1x1")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("v6e-12", ["v6e-8", "v6e-16"]),
        ("v6e-512", ["v6e-128", "v6e-256"]),
        ("v5p-9", ["v5p-8", "v5p-16"]),
        ("v5p-96", ["v5p-64", "v5p-128"]),
        ("v6e-0", ["v6e-1", "v6e-4"]),
        ("V6E-16", ["v6e-16"]),
        ("v5-128", ["v5p-128"]),
        ("v6e-4x2", ["v6e-2x4"]),
        ("v5p-8x4x4", ["v5p-4x4x8"]),
    ],
)
def test_a_name_that_fits_nothing_is_refused_with_the_nearest(name, nearest):  # case topo-4
    with pytest.raises(IllegalSlice) as refused:
        parse_slice(name)
    assert (refused.value.part, refused.value.nearest) == (Part.NAME, nearest)


@pytest.mark.parametrize("name", ["v2-8", "v3-32", "v2", "v3-"])
def test_old_generations_are_refused_as_such(name):  # case slice-3
    with pytest.raises(IllegalSlice, match="generation that GKE multislice and Pathways do not support"):
        parse_slice(name)


@pytest.mark.parametrize("name", ["", "v6e", "v6e-", "-16", "ct6e-standard-4t", "16", "v6e-16-4", "v6e--4", "x" * 9999])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(IllegalSlice) as refused:
        parse_slice(name)
    assert refused.value.part is Part.NAME
    assert len(str(refused.value)) < 500


def test_a_misspelt_machine_type_is_refused_with_the_nearest():
    with pytest.raises(IllegalSlice, match='did you mean "ct6e-standard-4t"'):
        parse_slice("ct6e-standrd-4t", "4x4")


@pytest.mark.parametrize(
    ("machine", "topology", "warning"),
    [
        ("ct5p-hightpu-4t", "4x4x16", "no published list has 4x4x16 for v5p"),
        ("ct4p-hightpu-4t", "16x16x16", "no published list has 16x16x16 for v4"),
        ("ct5p-hightpu-4t", "16x20x28", "stop at 6,144 chips"),
        ("ct5p-hightpu-1t", "1x1x1", "known to tools only"),
        ("tpu7x-standard-1t", "1x1x1", "known to tools only"),
        ("tpu7x-standard-4t", "16x16x32", None),
        ("ct5p-hightpu-4t", "16x16x24", None),
    ],
)
def test_what_is_doubtful_is_accepted_with_a_warning(machine, topology, warning):
    warnings = parse_slice(machine, topology).warnings
    assert warnings == () if warning is None else any(warning in each for each in warnings)


@pytest.mark.parametrize(
    ("machine", "topology"),
    [("ct5p-hightpu-4t", "20x20x24"), ("ct5p-hightpu-4t", "4x4x32"), ("tpu7x-standard-4t", "4x4x36")],
)
def test_cuboids_beyond_the_pod_or_its_longest_side_are_refused(machine, topology):
    with pytest.raises(IllegalSlice):
        parse_slice(machine, topology)


@given(SLICES)
def test_hosts_and_chips_add_up(slice_):
    assert slice_.hosts * slice_.chips_per_host == slice_.chips == math.prod(slice_.topology)
    assert slice_.multi_host == (slice_.hosts > 1) == (slice_.placement is not Placement.NONE)
    assert slice_.chips <= slice_.generation.pod_chips


@given(SLICES)
def test_a_slice_is_found_again_by_machine_and_topology_and_by_each_of_its_names(slice_):
    assert parse_slice(slice_.machine_type, slice_.topology_text) == slice_
    assert all(parse_slice(name) == slice_ for name in slice_.names)


@given(SLICES)
def test_larger_topologies_are_spelled_with_their_sides_in_order(slice_):
    if slice_.chips > 4:
        assert list(slice_.topology) == sorted(slice_.topology)


def outcome(*written):
    """Return the slice, or the error about it."""
    try:
        return parse_slice(*written)
    except IllegalSlice as refused:
        return refused


@given(MACHINES, st.text(max_size=12) | st.from_regex(r"[0-9]{1,4}(x[0-9]{1,4}){0,3}", fullmatch=True))
def test_any_topology_is_a_slice_or_refused_with_what_is_legal(machine, topology):
    found = outcome(machine, topology)
    if isinstance(found, IllegalSlice):
        assert "; legal: " in str(found)
        assert "\n" not in str(found)
        assert all(parse_slice(machine, nearest) for nearest in found.nearest)
    else:
        assert found.topology_text == topology


@given(st.text(max_size=20) | st.from_regex(r"(v4|v5e|v5litepod|v5p|v6e|tpu7x)-[0-9x]{1,12}", fullmatch=True))
def test_any_name_is_a_slice_or_refused_with_names_that_are(name):
    found = outcome(name)
    if isinstance(found, IllegalSlice):
        assert "\n" not in str(found)
        assert all(parse_slice(nearest) for nearest in found.nearest)
    else:
        assert found.chips > 0


def test_every_slice_is_listed_once():
    slices = [(slice_.machine_type, slice_.topology) for slice_ in every_slice()]
    assert len(slices) == len(set(slices))


@pytest.mark.parametrize(
    ("name", "accelerator_type"),  # Google, Cloud TPU documentation: the pages of each generation
    [
        ("v4-8", "v4-8"),
        ("v5e-1", "v5litepod-1"),
        ("v5litepod-16", "v5litepod-16"),
        ("v5p-128", "v5p-128"),
        ("v6e-8", "v6e-8"),
        ("v5p-4x4x4", "v5p-128"),
    ],
)
def test_what_the_cloud_tpu_api_calls_a_slice(name, accelerator_type):
    assert parse_slice(name).accelerator_type == accelerator_type


@pytest.mark.parametrize("name", ["v5p-4x4x16", "tpu7x-128", "v5p-2"])
def test_slices_that_the_cloud_tpu_api_has_no_name_for(name):
    """A count names another topology; the API does not support the generation; only tools know the machine."""
    assert parse_slice(name).accelerator_type is None


@pytest.mark.parametrize(
    ("generation", "runtime"),  # Google, Cloud TPU documentation, "TPU software versions"
    [
        ("v4", "tpu-ubuntu2204-base"),
        ("v5e", "v2-alpha-tpuv5-lite"),
        ("v5p", "v2-alpha-tpuv5"),
        ("v6e", "v2-alpha-tpuv6e"),
    ],
)
def test_the_software_version_of_tpu_vms(generation, runtime):
    assert catalog().generations[generation].tpu_vm.runtime == runtime
