"""TPU slices outside GKE, as virtual machines in the cluster's network."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute, tpu

from components.network import Subnet
from components.site import Site
from pathways.settings import TpuVm

IAP_RANGE = "35.235.240.0/20"
"""Where Identity-Aware Proxy calls from. Source: Google, IAP documentation, "Using IAP for TCP forwarding"."""


@dataclass(frozen=True)
class TpuVmsArgs:
    """site: the VMs are in its zone. subnet: they are in it. node_range: its IPv4 block.

    protect: whether the engine refuses to delete or replace them. after: what must stand before, such as the way out.
    """

    site: Site
    vms: Sequence[TpuVm]
    subnet: Subnet
    node_range: str
    protect: bool
    after: Sequence[pulumi.Resource]


class TpuVms(pulumi.ComponentResource):
    """A queued resource for each TPU VM. The request waits in Google's queue; `up` does not wait for what it asks for.

    The provider's queued resource has few fields: slice, software, network. It is on demand, and its VMs run as the
    project's default service account of Compute Engine. For autocheckpoint, Spot, a reservation, another account or
    several slices there is no field: such VMs are made by hand (gcloud alpha compute tpus queued-resources create with
    --autocheckpoint-enabled, --spot, --reserved, --service-account, --node-count), in the network that this stack has.

    Nothing of one can be changed: it is deleted and made anew. Its deletion is refused while its VM is there, since the
    provider does not ask for it by force; the stack's outputs have the command that does, after which `up` and
    `destroy` go on.

    The network lets nothing in but what GKE opens for its own nodes. Hosts of a slice call each other, hence a rule for
    all that comes from the subnetwork, and another for SSH through Identity-Aware Proxy, which IAM guards. The provider
    cannot tag the VMs, so both rules are for all hosts of the network, as GKE's own rule among nodes nearly is.

    Attributes: names, as a list of outputs.
    """

    def __init__(self, name: str, args: TpuVmsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("pathways:gcp:TpuVms", name, None, opts)
        self._name, self._args = name, args
        ways_in = [
            self._let_in("hosts", "Hosts of the subnetwork call each other", args.node_range, {"protocol": "all"}),
            self._let_in("ssh", "SSH through Identity-Aware Proxy", IAP_RANGE, {"protocol": "tcp", "ports": ["22"]}),
        ]
        self.names = [self._queued_resource(vm, ways_in).name for vm in args.vms]
        self.register_outputs({"names": self.names})

    def _let_in(
        self, suffix: str, description: str, source: str, what: compute.FirewallAllowArgsDict
    ) -> compute.Firewall:
        return compute.Firewall(
            f"{self._name}-{suffix}",
            name=f"{self._args.site.cluster_name}-tpu-vms-{suffix}",
            description=description,
            network=self._args.subnet.network,
            direction="INGRESS",
            source_ranges=[source],
            allows=[what],
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _queued_resource(self, vm: TpuVm, after: Sequence[pulumi.Resource]) -> tpu.V2QueuedResource:
        site, subnet = self._args.site, self._args.subnet
        return tpu.V2QueuedResource(
            f"{self._name}-{vm.name}",
            name=vm.name,
            zone=site.zone,
            project=site.project,
            tpu={
                "node_specs": [
                    {
                        "parent": f"projects/{site.project}/locations/{site.zone}",
                        "node_id": vm.name,
                        "node": {
                            "accelerator_type": vm.accelerator_type,
                            "runtime_version": vm.runtime,
                            "network_config": {
                                "network": subnet.network,
                                "subnetwork": subnet.subnetwork,
                                "enable_external_ips": vm.external_ips,
                            },
                        },
                    }
                ]
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=self._args.protect,
                delete_before_replace=True,
                depends_on=[*self._args.after, *after],
            ),
        )
