"""TPU VMs outside GKE."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated

from pydantic import StringConstraints

from pathways.settings.base import NAME, Fault, Settings, Text, must_hold
from pathways.tpu import IllegalSlice, Slice, parse_slice
from pathways.wording import did_you_mean, quoted

MAX_NAME_LENGTH = 63
"""Longest id of a TPU VM. Source: Compute Engine's rule for names, which the Cloud TPU API refers to."""

FLAGS_WITHOUT_FIELD = {
    "autocheckpoint": "--autocheckpoint-enabled",
    "capacity": "--spot, --reserved or --guaranteed",
    "count": "--node-count",
    "labels": "--labels",
    "metadata": "--metadata",
    "reservation": "--reserved",
    "serviceAccount": "--service-account",
    "spot": "--spot",
    "tags": "--tags",
}
"""What people want of a queued resource and pulumi-gcp 10.2.0 has no field for, and the flag of gcloud that does it.

Source: the provider's schema (pathways/gcp/schema.json); gcloud's reference of BY_HAND. A later provider has
provisioningModel, for Spot and reservations. --autocheckpoint-enabled is of API v2alpha1; the provider speaks v2.
"""

BY_HAND = "gcloud alpha compute tpus queued-resources create"


class TpuVm(Settings):
    """A TPU slice as virtual machines to log in to, without Kubernetes; asked for by a queued resource, on demand."""

    name: Annotated[str, StringConstraints(pattern=NAME, max_length=MAX_NAME_LENGTH)]
    """Name of the queued resource and of the TPU VM."""
    tpu: Text
    """Name of a slice: v5litepod-16 (chips), v5p-128 (TensorCores)."""
    runtime_version: Text | None = None
    """Software on the VMs; absent: what Google recommends for JAX, such as v2-alpha-tpuv6e."""
    external_ips: bool = False
    """Give each VM an address that the internet reaches."""

    @must_hold
    def _has_an_accelerator_type(self) -> Iterator[Fault]:
        try:
            slice_ = self.slice
        except IllegalSlice as error:
            yield Fault(("tpu",), str(error))
            return
        generation = slice_.generation
        if generation.tpu_vm is None:
            yield Fault(
                ("tpu",), f"{quoted(self.tpu)} is of {generation.name}, which there are no TPU VMs of; use slices"
            )
        elif slice_.accelerator_type is None:
            count = slice_.chips * generation.tensor_cores
            meant = parse_slice(f"{generation.name}-{count}").accelerator_type
            message = f"{quoted(self.tpu)} ({slice_}) has no accelerator type in the Cloud TPU API"
            yield Fault(("tpu",), message + did_you_mean([meant] if meant else []))

    @cached_property
    def slice(self) -> Slice:
        return parse_slice(self.tpu)

    @property
    def accelerator_type(self) -> str:
        """What the Cloud TPU API calls the slice."""
        found = self.slice.accelerator_type
        assert found is not None, "settings without one are refused"
        return found

    @property
    def runtime(self) -> str:
        """Software version on the VMs."""
        terms = self.slice.generation.tpu_vm
        assert terms is not None, "settings without them are refused"
        return self.runtime_version or terms.runtime


def has_no_field(key: str) -> str | None:
    """Return what to say of a key that a queued resource of the provider cannot have; None of a mere mistake."""
    flag = FLAGS_WITHOUT_FIELD.get(key)
    if flag is None:
        return None
    return (
        "is nothing that pulumi-gcp's queued resource has a field for; take it away, or leave this VM out of the stack"
        f" and make it with {BY_HAND} and {flag}"
    )
