"""TPU VMs outside GKE: what a stack file says of them, and what it cannot say."""

import pytest

from tests.settings.stack_files import settings
from tests.settings.test_problems import problem

VM = {"name": "debug", "tpu": "v6e-8"}


def vms(*written):
    return settings((("tpuVms",), list(written))).tpu_vms


def test_what_is_not_written_follows():
    (vm,) = vms(VM)
    assert (vm.accelerator_type, vm.runtime, vm.external_ips) == ("v6e-8", "v2-alpha-tpuv6e", False)
    assert (vm.slice.chips, vm.slice.hosts) == (8, 1)


def test_the_software_can_be_another():
    (vm,) = vms({**VM, "runtimeVersion": "tpu-ubuntu2204-base"})
    assert vm.runtime == "tpu-ubuntu2204-base"


def test_there_are_none_unless_asked_for():
    assert settings().tpu_vms == []


@pytest.mark.parametrize(
    ("changes", "where", "message"),
    [
        ({"tpu": "v6e-12"}, "tpuVms[0].tpu", 'did you mean "v6e-8" or "v6e-16"?'),
        ({"name": "Debug"}, "tpuVms[0].name", '"Debug" is not a name'),
        ({"name": "d" * 64}, "tpuVms[0].name", "has more than 63 characters"),
        ({"externalIp": True}, "tpuVms[0].externalIp", 'did you mean "externalIps"?'),
        ({"autocheckpoint": True}, "tpuVms[0].autocheckpoint", "queued-resources create and --autocheckpoint-enabled"),
        ({"spot": {}}, "tpuVms[0].spot", "has a field for; take it away"),
        ({"capacity": {"spot": {}}}, "tpuVms[0].capacity", "--spot, --reserved or --guaranteed"),
        ({"serviceAccount": "a@b.c"}, "tpuVms[0].serviceAccount", "--service-account"),
    ],
)
def test_what_cannot_be_is_told(changes, where, message):
    path, told = problem(("tpuVms",), [{**VM, **changes}])
    assert path == where
    assert message in told


@pytest.mark.parametrize(
    ("tpu", "zone", "message"),
    [
        ("tpu7x-128", "us-central1-c", "is of tpu7x, which there are no TPU VMs of; use slices"),
        ("v5p-4x4x16", "us-east5-a", 'has no accelerator type in the Cloud TPU API; did you mean "v5p-512"?'),
    ],
)
def test_slices_that_the_cloud_tpu_api_does_not_make(tpu, zone, message):
    slices = [{"name": "g", "tpu": tpu, "count": 1, "capacity": {"spot": {}}}]
    others = [(("slices",), slices), (("zone",), zone), (("workloads",), [])]
    path, told = problem(("tpuVms",), [{"name": "debug", "tpu": tpu}], *others)
    assert (path, message in told) == ("tpuVms[0].tpu", True), told


def test_the_zone_must_have_the_generation():
    path, told = problem(("tpuVms",), [{"name": "debug", "tpu": "v5p-8"}])
    assert path == "zone"
    assert '"us-east5-b" does not have v5p' in told


def test_names_are_unequal():
    path, told = problem(("tpuVms",), [VM, {**VM, "tpu": "v6e-4"}])
    assert (path, told) == ("tpuVms[1].name", '"debug" is the name of tpuVms[0] as well')
